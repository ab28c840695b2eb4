"""From classes to published text."""

from shoal.recode.column import text_column
from shoal.recode.conceal import Concealed, conceal_flags
from shoal.recode.label import Generalised, generalise
from shoal.recode.order import (
    KEYS,
    Lots,
    add_digests,
    digest_text,
    hash_cells,
    hash_columns,
    published_order,
    sum_digest,
)
from shoal.recode.show import Showing, show_sensitive
from shoal.recode.table import Publication, class_numbers
from shoal.recode.thread import allow_threads, allowed_threads

__all__ = [
    "KEYS",
    "Concealed",
    "Generalised",
    "Lots",
    "Publication",
    "Showing",
    "add_digests",
    "allow_threads",
    "allowed_threads",
    "class_numbers",
    "conceal_flags",
    "digest_text",
    "generalise",
    "hash_cells",
    "hash_columns",
    "published_order",
    "show_sensitive",
    "sum_digest",
    "text_column",
]
