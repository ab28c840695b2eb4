"""From classes to published text."""

from shoal.recode.column import text_column
from shoal.recode.label import Generalised, generalise
from shoal.recode.order import Lots, hash_columns, published_order
from shoal.recode.table import Publication, class_numbers

__all__ = [
    "Generalised",
    "Lots",
    "Publication",
    "class_numbers",
    "generalise",
    "hash_columns",
    "published_order",
    "text_column",
]
