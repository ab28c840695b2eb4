"""Where a run takes place; every engine speaks the same five verbs."""

from shoal.engines.base import Engine, shard_seed
from shoal.engines.local import LocalEngine

__all__ = ["Engine", "LocalEngine", "shard_seed"]
