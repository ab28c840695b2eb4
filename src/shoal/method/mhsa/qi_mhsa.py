"""QI-MHSA: several sensitive attributes of different kinds, with personal flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.method.base import Display, Method, Task
from shoal.method.baseline.mondrian import cut_table, marked_classes
from shoal.method.merge import Merging, by_first_unit
from shoal.model import LDiversity, Model
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.schema import Kind, Layout, Schema
from shoal.table.partition import Partition
from shoal.table.space import packed_rows


class QIMHSA(Method):
    """Make classes on the quasi-identifiers, then show each sensitive cell as its flag allows.

    Every class has k rows and l values of every sensitive attribute; a class that falls short
    is merged with its nearest. Then flag 0 shows the value, 1 one level up its hierarchy, 2 the
    root; numbers are shown as `numeric` says. `division` is Mondrian, or the paper's runs of k
    rows.
    """

    name: ClassVar[str] = "qi-mhsa"
    cite: ClassVar[papers.Citations] = (papers.cite("mhsa", "Algorithms 1 to 3"),)
    limits: ClassVar[str] = (
        "A flag is a clue: if only a few values are flagged high, `*` says that the value is one "
        "of them. The private report shows how much readers who know the rules can learn; "
        "`conceal: true` lowers this to 1/l. Anybody who also replays the method may learn more "
        "from which classes were merged."
    )

    division: Literal["mondrian", "k-division"] = Field(
        "mondrian",
        description=("how classes are made: by Mondrian, or as runs of k consecutive rows"),
    )
    order: Literal["input", "quasi"] = Field(
        "input",
        description="the order of rows for k-division: that of the table (the plan's `order`), or "
        "by the QIs",
    )
    numeric: Literal["interval", "one-sided", "by-flag"] = Field(
        "interval",
        description="how a number is shown: as the interval of its class, as the side of a cut on "
        "which its class lies, or as its own flag allows",
    )
    conceal: bool = Field(
        False,
        description=(
            "hide cells more than their flags require, and merge classes, until flags reveal no "
            "more than 1/l"
        ),
    )
    tables: Literal["joined", "split"] = Field(
        "joined",
        description="one table, or quasi-identifiers and sensitive values in two, linked by class",
    )

    @property
    def layout(self) -> Layout:
        return Layout.LINKED if self.tables == "split" else Layout.PLAIN

    @property
    def display(self) -> Display:
        return Display(self.numeric, every=True, conceal=self.conceal)

    @property
    def keeps_neighbours(self) -> bool:
        return self.division == "k-division" and self.order == "input"

    def aims(self, models: Sequence[Model]) -> list[str]:
        return [
            f"frequency {m.l:g} {m.attribute or 'each'}"
            for m in models
            if isinstance(m, LDiversity) and not m.names_kind
        ]

    def problems(self, schema: Schema) -> list[Problem]:
        found = super().problems(schema)
        if not schema.sensitive:
            hint = "Give the columns to protect 'role: sensitive'."
            found.append(Problem(f"{self.name} needs a sensitive attribute.", hint=hint))
        if self.numeric == "one-sided":
            found += [
                Problem(
                    "'numeric: one-sided' needs the cuts of an intervals hierarchy, but "
                    f"{a.name!r} has none.",
                    hint="Declare 'hierarchy: {intervals: [30000, 40000]}', or another 'numeric'.",
                )
                for a in schema.sensitive
                if a.kind is Kind.NUMERIC
                and a.hierarchy is not None
                and a.hierarchy.form != "intervals"
            ]
        return found

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        if not self.conceal or any(isinstance(m, LDiversity) for m in models):
            return []
        hint = "Add '- l-diversity: {l: 3}'."
        return [
            Problem("'conceal' needs an l-diversity requirement, but the plan has none.", hint=hint)
        ]

    def partition(self, task: Task) -> Partition:
        asked = _aimed(task.requirements)
        if self.division == "mondrian":
            marked = cut_table(
                task.table, asked, "loss", objective=task.objective, threads=task.threads
            )
            partition = marked_classes(*marked)
        else:
            partition = self._runs(task)
        # Failing classes are mended in the order of their first rows, and ties go to the earlier.
        merging = Merging(task.table, asked, by_first_unit(partition))
        merging.mend()
        return merging.finished()

    def _runs(self, task: Task) -> Partition:
        """Consecutive runs of k units; the last takes the rest."""
        n, k = task.table.n_units, max(task.requirements.least, 1)
        order = np.arange(n)
        if self.order == "quasi":
            order = np.lexsort(packed_rows(task.table).T[::-1])
        number = np.minimum(np.arange(n) // k, max(n // k - 1, 0))
        unit_class = np.empty(n, dtype=np.int32)
        unit_class[order] = number
        return Partition(unit_class, int(number[-1]) + 1)


def _aimed(requirements: Requirements) -> Requirements:
    """The same, and frequency l where no kind is named and the whole table has it."""
    table = requirements.table
    # The paper's bound on the privacy loss, max(1/k, 1/l), holds for frequency l-diversity only.
    higher = [
        Bound(Reach.FREQUENCY, float(m.l), name, known=m.missing == "ignore")
        for m in requirements.models
        if isinstance(m, LDiversity) and not m.names_kind
        for name in m.targets(table.schema)
        if (counts := m.counts(table, name)).max(initial=0) * m.l <= counts.sum()
    ]
    bounds = dict.fromkeys([*requirements.all_bounds, *higher])
    return Requirements(table, tuple(bounds), requirements.models)
