"""Where a run takes place; every engine speaks the same verbs."""

from shoal._run.engine.base import Engine
from shoal._run.engine.local import LocalEngine

__all__ = ["Engine", "LocalEngine"]
