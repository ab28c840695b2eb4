"""From classes to published text."""

from shoal.recode.column import text_column
from shoal.recode.conceal import Concealed, conceal_flags
from shoal.recode.label import Generalised, generalise
from shoal.recode.order import Lots, hash_columns, published_order
from shoal.recode.show import Showing, show_sensitive
from shoal.recode.table import Publication, class_numbers

__all__ = [
    "Concealed",
    "Generalised",
    "Lots",
    "Publication",
    "Showing",
    "class_numbers",
    "conceal_flags",
    "generalise",
    "hash_columns",
    "published_order",
    "show_sensitive",
    "text_column",
]
