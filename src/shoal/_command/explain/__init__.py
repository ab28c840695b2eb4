"""What each requirement, each quasi-identifier and each hierarchy of a plan costs."""

from shoal._command.explain.explain import Cost, Explanation, explain
from shoal._command.explain.page import explanation_page

__all__ = ["Cost", "Explanation", "explain", "explanation_page"]
