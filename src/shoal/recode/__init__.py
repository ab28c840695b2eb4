"""From classes to published text."""

from shoal.recode.label import Generalised, generalise
from shoal.recode.order import Order, published_order
from shoal.recode.publish import text_column

__all__ = ["Generalised", "Order", "generalise", "published_order", "text_column"]
