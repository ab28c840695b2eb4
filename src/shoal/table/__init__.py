"""A table as coded columns: small integers for values, and what each integer stands for."""

from shoal.table.cell import without_missing
from shoal.table.column import Column, encode_column
from shoal.table.domain import Domain, number_text
from shoal.table.flag import read_own_l, read_secrets
from shoal.table.people import (
    People,
    comparable,
    find_people,
    people_named,
    repeated_rows,
    settle_conflicts,
)
from shoal.table.rule import LEVELS, rule_faults
from shoal.table.span import label_shares
from shoal.table.table import Table, encode, published_contents, read_sensitivity

__all__ = [
    "LEVELS",
    "Column",
    "Domain",
    "People",
    "Table",
    "comparable",
    "encode",
    "encode_column",
    "find_people",
    "label_shares",
    "number_text",
    "people_named",
    "published_contents",
    "read_own_l",
    "read_secrets",
    "read_sensitivity",
    "repeated_rows",
    "rule_faults",
    "settle_conflicts",
    "without_missing",
]
