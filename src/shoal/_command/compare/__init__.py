"""Plans side by side: what each protects, and what each costs."""

from shoal._command.compare.compare import Comparison, Rehearsal, compare
from shoal._command.compare.page import comparison_page

__all__ = ["Comparison", "Rehearsal", "compare", "comparison_page"]
