"""The plan: all that is asked of a run, as one file."""

from shoal.plan.declared import parse_schema, require_columns
from shoal.plan.plan import Plan

__all__ = ["Plan", "parse_schema", "require_columns"]
