"""Answers from a release alone: SUM, COUNT and AVG with bounds, by LGB's section 4.2."""

from shoal._command.query.answer import Answer, OpenRelease, open_release, query
from shoal._command.query.grammar import QueryError, parse

__all__ = ["Answer", "OpenRelease", "QueryError", "open_release", "parse", "query"]
