"""Plans beside one another: what each protects, and what each costs."""

from shoal.experiments.compare import Comparison, Outcome, compare, short_words
from shoal.experiments.page import comparison_page
from shoal.experiments.suggest import suggest
from shoal.experiments.suggestion import Suggestion, Suggestions

__all__ = [
    "Comparison",
    "Outcome",
    "Suggestion",
    "Suggestions",
    "compare",
    "comparison_page",
    "short_words",
    "suggest",
]
