"""A table as coded columns: small integers for values, and what each integer stands for."""

from shoal.table.column import Column, encode_column
from shoal.table.domain import Domain, number_text
from shoal.table.people import (
    People,
    find_people,
    people_named,
    repeated_rows,
    settle_conflicts,
)
from shoal.table.table import Table, encode, published_contents, without_missing

__all__ = [
    "Column",
    "Domain",
    "People",
    "Table",
    "encode",
    "encode_column",
    "find_people",
    "number_text",
    "people_named",
    "published_contents",
    "repeated_rows",
    "settle_conflicts",
    "without_missing",
]
