"""The plan: everything that defines a run, as one file."""

from shoal.plan.plan import AnyPlan, Plan
from shoal.plan.schema import parse_schema, require_columns

__all__ = ["AnyPlan", "Plan", "parse_schema", "require_columns"]
