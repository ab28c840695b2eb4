"""From a plan to a verified release."""

from shoal.pipeline.running import run

__all__ = ["run"]
