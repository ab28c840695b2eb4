"""From a plan to a verified release."""

from shoal._run.release import Release
from shoal._run.run import run

__all__ = ["Release", "run"]
