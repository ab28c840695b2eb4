"""Where a run takes place; every engine has the same methods."""

from shoal._run.engine.base import Engine, Rows, Source
from shoal._run.engine.local import LocalEngine

__all__ = ["Engine", "LocalEngine", "Rows", "Source"]
