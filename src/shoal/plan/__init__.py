"""The plan: all that is asked of a run, as one file."""

from shoal.plan.plan import Plan

__all__ = ["Plan"]
