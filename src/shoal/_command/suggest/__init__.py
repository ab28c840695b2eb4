"""Thresholds and pairs of k: candidates, each rehearsed on the table."""

from shoal._command.suggest.suggest import suggest
from shoal._command.suggest.suggestion import Suggestion, Suggestions

__all__ = ["Suggestion", "Suggestions", "suggest"]
