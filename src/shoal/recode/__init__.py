"""From classes to published text."""

from shoal.recode.label import Generalised, generalise
from shoal.recode.order import Order, hash_columns, published_order
from shoal.recode.publish import text_column

__all__ = ["Generalised", "Order", "generalise", "hash_columns", "published_order", "text_column"]
