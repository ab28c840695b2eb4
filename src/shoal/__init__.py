"""shoal: publish tables about people so that each person is hidden in a crowd, and prove it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.version import __version__

if TYPE_CHECKING:
    from shoal import graph, hitting, identity, papers, threeway
    from shoal._command.audit import Audit, PersonAtRisk, audit, person_risk
    from shoal._command.check import Check, check
    from shoal._command.compare.compare import Comparison, Rehearsal, compare
    from shoal._command.experiment.experiment import Experiment, experiment
    from shoal._command.explain.explain import Cost, Explanation, explain
    from shoal._command.hierarchy import LevelLabels, hierarchy_levels
    from shoal._command.init import Proposal, init
    from shoal._command.query import Answer, OpenRelease, QueryError, open_release, query
    from shoal._command.reproduce.reproduce import Reproduction, reproduce
    from shoal._command.suggest.suggest import suggest
    from shoal._command.suggest.suggestion import Suggestion, Suggestions
    from shoal._run.release import Release
    from shoal._run.run import run
    from shoal._run.stream.stream import StreamBatch, Streamed, stream
    from shoal._run.update import Update, update
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
    from shoal.schema import Verdict
    from shoal.schema.advice import Advice

_HOMES = {
    "Advice": "shoal.schema.advice",
    "Answer": "shoal._command.query",
    "Audit": "shoal._command.audit",
    "Check": "shoal._command.check",
    "Comparison": "shoal._command.compare",
    "Cost": "shoal._command.explain",
    "DataError": "shoal.errors",
    "EngineError": "shoal.errors",
    "Experiment": "shoal._command.experiment",
    "Explanation": "shoal._command.explain",
    "Hierarchy": "shoal.hierarchy",
    "InfeasibleError": "shoal.errors",
    "LevelLabels": "shoal._command.hierarchy",
    "OpenRelease": "shoal._command.query",
    "PersonAtRisk": "shoal._command.audit",
    "Plan": "shoal.plan",
    "PlanError": "shoal.errors",
    "Proposal": "shoal._command.init",
    "QueryError": "shoal._command.query",
    "Rehearsal": "shoal._command.compare",
    "Release": "shoal._run",
    "Reproduction": "shoal._command.reproduce",
    "ShoalError": "shoal.errors",
    "StreamBatch": "shoal._run.stream",
    "Streamed": "shoal._run.stream",
    "Suggestion": "shoal._command.suggest",
    "Suggestions": "shoal._command.suggest",
    "Update": "shoal._run.update",
    "Verdict": "shoal.schema",
    "VerificationError": "shoal.errors",
    "audit": "shoal._command.audit",
    "check": "shoal._command.check",
    "compare": "shoal._command.compare",
    "experiment": "shoal._command.experiment",
    "explain": "shoal._command.explain",
    "hierarchy_levels": "shoal._command.hierarchy",
    "init": "shoal._command.init",
    "measures": "shoal.plan.registry",
    "methods": "shoal.plan.registry",
    "models": "shoal.plan.registry",
    "open_release": "shoal._command.query",
    "person_risk": "shoal._command.audit",
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
    "Answer",
    "Audit",
    "Check",
    "Comparison",
    "Cost",
    "DataError",
    "EngineError",
    "Experiment",
    "Explanation",
    "Hierarchy",
    "InfeasibleError",
    "LevelLabels",
    "OpenRelease",
    "PersonAtRisk",
    "Plan",
    "PlanError",
    "Proposal",
    "QueryError",
    "Rehearsal",
    "Release",
    "Reproduction",
    "ShoalError",
    "StreamBatch",
    "Streamed",
    "Suggestion",
    "Suggestions",
    "Update",
    "Verdict",
    "VerificationError",
    "__version__",
    "audit",
    "check",
    "compare",
    "experiment",
    "explain",
    "graph",
    "hierarchy_levels",
    "hitting",
    "identity",
    "init",
    "measures",
    "methods",
    "models",
    "open_release",
    "papers",
    "person_risk",
    "query",
    "reproduce",
    "run",
    "stream",
    "suggest",
    "threeway",
    "update",
]


# A type checker would take every name to exist, with any type.
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
