"""auto: the method that the plan needs, or the best of a few that would do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from pydantic import PrivateAttr

from shoal import papers
from shoal.errors import Problem
from shoal.method.base import Display, Method, Task
from shoal.method.baseline.hilbert import Hilbert
from shoal.method.baseline.mondrian import Mondrian
from shoal.method.graph.weighted import WeightedGraph
from shoal.method.identity.danonyir import DAnonyIR
from shoal.method.identity.geneir import place_residual
from shoal.method.lgb.generalisation import LGBMDP, LGBNCP
from shoal.method.loss import lost_by
from shoal.method.mhsa.qi_mhsa import QIMHSA
from shoal.method.mks3wd.base import MILLION
from shoal.method.mks3wd.ka import KA
from shoal.method.mks3wd.scheme import ECEMKS3WD
from shoal.method.mks3wd.vector import count_vectors, most_vectors
from shoal.method.repair import MethodTrial
from shoal.model import LDiversity, Model, MultiLevelK
from shoal.schema import Layout, Role, Schema
from shoal.schema.advice import Advice
from shoal.table import Table
from shoal.table.partition import Partition

M = TypeVar("M", bound=Method)

# The budget of the lattice, in millions: twice as much takes up to twice as long and saves at most
# 0.4 % of the loss, half as much costs up to 1.3 %.
_BUDGET = 2_000
# Units times quasi-identifiers times k up to which the graph is tried: next to a lattice that is
# visited as a whole, which it hardly ever beats; next to one that is visited in part, where it wins
# on small tables; and where there is none.
_BESIDE_WHOLE, _BESIDE_PART, _WITHOUT = 300_000, 1_000_000, 10_000_000
# Units times quasi-identifiers: beyond, hilbert alone is tried.
_MOST_ON_LATTICE = 10_000_000
# The same: beyond, lgb-mdp stands in for lgb-ncp, which is slower.
_MOST_BY_NCP = 5_000_000


@dataclass(frozen=True)
class Need:
    """The method that a plan calls for and why, and what is tried instead or besides on a shard."""

    method: Method
    why: str
    candidates: Callable[[Method, Task], list[Method]]


class Auto(Method):
    """Choose the method by the roles, the requirements and the size of the table.

    Semi-sensitive attributes and personal l-diversity need lgb-ncp (lgb-mdp on large tables), flags
    of sensitive cells qi-mhsa, multi-level-k ece-mks3wd where every quasi-identifier has a
    hierarchy. Otherwise several methods make classes; the classes that lose least by the plan's
    `objective`, once everything holds, are kept: the lattice (ka) if every quasi-identifier has a
    hierarchy, hilbert, weighted-graph with `weight: loss` on smaller tables, danonyir if people
    have several rows; hilbert alone on very large tables. What is tried depends on counts of rows,
    columns and levels, not on a clock, so that the release is the same on every machine. People
    whom the lattice leaves out join the class where that adds least, if that loses less.
    """

    name: ClassVar[str] = "auto"
    cite: ClassVar[papers.Citations] = (
        papers.cite("mks3wd", "section 4"),
        papers.cite("graph", "section 3.4.2"),
        papers.cite("identity", "Algorithms 1 and 5 to 7"),
        papers.cite("lgb", "Algorithms 1 to 4"),
        papers.cite("mhsa", "Algorithms 1 to 3"),
        papers.cite("lefevre"),
        papers.cite("ghinita"),
    )
    limits: ClassVar[str] = (
        "Tries two or three methods, so it takes as long as all of them together. A later version "
        "may choose differently: if a release must be repeatable years from now, name the method."
    )

    _need: Need | None = PrivateAttr(None)

    def bound(self, schema: Schema, models: Sequence[Model]) -> Method:
        found = Auto()
        found._need = need_of(schema, models)
        return found

    @property
    def acting(self) -> Method:
        return _made(Mondrian) if self._need is None else self._need.method

    @property
    def layout(self) -> Layout:
        return self.acting.layout

    @property
    def display(self) -> Display:
        return self.acting.display

    def may_miss(self, model: Model) -> bool:
        return self.acting.may_miss(model)

    def enforced(self, models: Sequence[Model]) -> list[Model]:
        return self.acting.enforced(models)

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        return self.acting.unsuited(models)

    def aims(self, models: Sequence[Model]) -> list[str]:
        return self.acting.aims(models)

    def advice(self, table: Table) -> list[Advice]:
        return self.acting.advice(table)

    def problems(self, schema: Schema) -> list[Problem]:
        need = self._need or need_of(schema, ())
        return (_made(Mondrian) if need is None else need.method).problems(schema)

    def candidates(self, task: Task) -> list[Method]:
        need = self._need
        return plain_candidates(task) if need is None else need.candidates(need.method, task)

    def choice(self, tried: Sequence[MethodTrial], objective: str) -> list[str]:
        if not tried:
            return []
        chosen = Counter(trial.method for trial in tried if trial.chosen)
        names = [
            f"{name} in {n:,} shards" if len(chosen) > 1 else name for name, n in chosen.items()
        ]
        needed = [] if self._need is None else [self._need.why]
        reasons = [*needed, *_comparisons(tried, objective)]
        return [f"auto chose {' and '.join(names)}: {'; '.join(reasons)}"]

    def partition(self, task: Task) -> Partition:
        """By the first of the candidates; a run tries all of them, and repairs what they leave."""
        return self.candidates(task)[0].partition(task)


class ClosedKA(KA):
    """The lattice; people whom it leaves out join the class where that adds least, if it pays."""

    def partition(self, task: Task) -> Partition:
        found = super().partition(task)
        if not found.n_suppressed or not found.n_classes:
            return found
        closed = place_residual(task, replace(found, level=None))
        lost = (lost_by(task.table, p, task.objective) for p in (found, closed))
        return closed if next(lost) > next(lost) else found


def need_of(schema: Schema, models: Sequence[Model]) -> Need | None:
    """The method that roles, flags and requirements call for; None: any will do.

    This is known from the plan alone, so that the layout of a release does not depend on the data.
    """
    personal = any(isinstance(m, LDiversity) and m.personal is not None for m in models)
    if personal or schema.of(Role.SEMI_SENSITIVE):
        why = "individual cells are secret, so they need buckets"
        return Need(_made(LGBNCP), why, _by_number_of_cells)
    if any(a.flag is not None or a.flags is not None for a in schema.sensitive):
        return Need(_made(QIMHSA), "sensitive cells have flags", _alone)
    if any(isinstance(m, MultiLevelK) for m in models) and all(a.hierarchy for a in schema.quasi):
        why = "the plan requires levels of k, and every quasi-identifier has a hierarchy"
        return Need(_made(ECEMKS3WD), why, _beside_mondrian)
    return None


def _alone(needed: Method, task: Task) -> list[Method]:
    return [needed]


def _by_number_of_cells(needed: Method, task: Task) -> list[Method]:
    cells = task.table.n_units * len(task.table.quasi)
    return [_made(LGBMDP) if cells > _MOST_BY_NCP else needed]


def _beside_mondrian(needed: Method, task: Task) -> list[Method]:
    return [needed] if _has_stronger(task) else [needed, _made(Mondrian)]


def plain_candidates(task: Task) -> list[Method]:
    """The methods to try where any will do; counts of units, columns and levels decide.

    A lattice is hard to beat, so the graph, which may take longer, is tried as well only on small
    tables: on the smallest if the lattice is visited as a whole. Hilbert is tried in place of
    mondrian, since it loses no more, and alone if a table is too large for the lattice.
    """
    table, least = task.table, task.requirements.least
    cells = table.n_units * len(table.quasi)
    if cells > _MOST_ON_LATTICE:
        return [_made(Hilbert)]
    found: list[Method] = [_made(Hilbert)]
    room = _WITHOUT
    if all(d.tree is not None for d in table.quasi):
        found.insert(0, _made(ClosedKA, budget=_BUDGET))
        whole = count_vectors(table) <= most_vectors(_BUDGET * MILLION, table.n_units)
        room = _BESIDE_WHOLE if whole else _BESIDE_PART
    # Classes of one are no graph to part.
    if least > 1 and cells * least <= room:
        found.append(_made(WeightedGraph, weight="loss"))
    if table.people is not None and cells * least <= room:
        found.append(_made(DAnonyIR, generalise="hierarchy"))
    return found


def _comparisons(tried: Sequence[MethodTrial], objective: str) -> list[str]:
    """What every method lost, the mean of all shards, in order of loss."""
    lost: dict[str, list[float]] = {}
    for trial in tried:
        if trial.lost is not None:
            lost.setdefault(trial.method, []).append(trial.lost)
    if not lost:
        return []
    means = sorted((sum(each) / len(each), name) for name, each in lost.items())
    return [f"{objective} {', '.join(f'{mean:.4f} by {name}' for mean, name in means)}"]


def _has_stronger(task: Task) -> bool:
    """Whether a level of multi-level-k requires more than its k: only levels know of that."""
    model = task.requirements.find(MultiLevelK)
    return model is not None and any(level.stronger for level in model.levels)


def _made(kind: type[M], **options: Any) -> M:
    return kind.model_validate(options)
