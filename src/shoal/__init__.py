"""shoal: publish tables about people so that each person is hidden in a crowd, and prove it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.version import __version__

if TYPE_CHECKING:
    from shoal import graph, hitting, identity, papers, threeway
    from shoal._command.audit import audit
    from shoal._command.check import check
    from shoal._command.compare.compare import compare
    from shoal._command.experiment.experiment import experiment
    from shoal._command.explain.explain import explain
    from shoal._command.init import init
    from shoal._command.query import query
    from shoal._command.reproduce.reproduce import reproduce
    from shoal._command.suggest.suggest import suggest
    from shoal._run.release import Release
    from shoal._run.run import run
    from shoal._run.stream.stream import stream
    from shoal._run.update import update
    from shoal.errors import (
        DataError,
        EngineError,
        InfeasibleError,
        PlanError,
        ShoalError,
        VerificationError,
    )
    from shoal.hierarchy import Hierarchy
    from shoal.plan import Plan
    from shoal.plan.registry import measures, methods, models
    from shoal.schema.advice import Advice

_HOMES = {
    "Advice": "shoal.schema.advice",
    "DataError": "shoal.errors",
    "EngineError": "shoal.errors",
    "Hierarchy": "shoal.hierarchy",
    "InfeasibleError": "shoal.errors",
    "Plan": "shoal.plan",
    "PlanError": "shoal.errors",
    "Release": "shoal._run",
    "ShoalError": "shoal.errors",
    "VerificationError": "shoal.errors",
    "audit": "shoal._command.audit",
    "check": "shoal._command.check",
    "compare": "shoal._command.compare",
    "experiment": "shoal._command.experiment",
    "explain": "shoal._command.explain",
    "init": "shoal._command.init",
    "measures": "shoal.plan.registry",
    "methods": "shoal.plan.registry",
    "models": "shoal.plan.registry",
    "query": "shoal._command.query",
    "reproduce": "shoal._command.reproduce",
    "run": "shoal._run",
    "stream": "shoal._run.stream",
    "suggest": "shoal._command.suggest",
    "update": "shoal._run.update",
}

_PAPERS = ("graph", "hitting", "identity", "papers", "threeway")

__all__ = [
    "Advice",
    "DataError",
    "EngineError",
    "Hierarchy",
    "InfeasibleError",
    "Plan",
    "PlanError",
    "Release",
    "ShoalError",
    "VerificationError",
    "__version__",
    "audit",
    "check",
    "compare",
    "experiment",
    "explain",
    "graph",
    "hitting",
    "identity",
    "init",
    "measures",
    "methods",
    "models",
    "papers",
    "query",
    "reproduce",
    "run",
    "stream",
    "suggest",
    "threeway",
    "update",
]


# To a type checker every name would exist, and be anything.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used: `import shoal` costs next to nothing."""
        if name in _PAPERS:
            return import_module(f"shoal.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'shoal' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
