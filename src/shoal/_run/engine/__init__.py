"""Where a run takes place; every engine speaks the same five verbs."""

from shoal._run.engine.base import Engine, shard_seed
from shoal._run.engine.local import LocalEngine

__all__ = ["Engine", "LocalEngine", "shard_seed"]
