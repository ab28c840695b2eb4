"""The report that goes with a release: from the published tables and the manifest only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.report.caveat import Caveat, caveats
from shoal.report.cell import cell_shares
from shoal.report.chart import Gauge, Histogram, gauges, histogram
from shoal.report.fact import Facts, Finding
from shoal.report.group import GroupSizes
from shoal.report.page import render
from shoal.report.secret import BucketSizes, bucket_sizes, role_rows
from shoal.report.wording import measure_rows, percent, sentence
from shoal.schema import Role


@dataclass(frozen=True)
class Asked:
    """A requirement for the page."""

    finding: Finding
    sentence: str
    gauges: list[Gauge]


@dataclass(frozen=True)
class Detail:
    """What became of one quasi-identifier: shares of its cells, and the loss if it is known."""

    name: str
    cells: Mapping[str, float]
    loss: float | None


@dataclass(frozen=True)
class Summary:
    """All that both reports show."""

    facts: Facts
    sizes: GroupSizes
    charts: list[Histogram]
    asked: list[Asked]
    details: list[Detail]
    caveats: list[Caveat]
    roles: list[tuple[str, str, str]]
    measures: list[tuple[str, str, str, str]]
    buckets: list[BucketSizes]

    @property
    def semi(self) -> bool:
        """Whether there is a column that some may keep secret, and others not."""
        return bool(self.facts.of_role(Role.SEMI_SENSITIVE))

    @property
    def n_rows(self) -> int:
        return self.facts.counts.get("published", 0)

    @property
    def holds(self) -> bool:
        """Whether every requirement is known to hold."""
        return all(a.finding.holds is True for a in self.asked)


def release_report(facts: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> str:
    """`report.html` of a release, from its manifest and its published tables.

    It says what was asked and reached, how large the groups are, what it cost and what is not
    covered; of the cells it shows counts only, never a value.
    """
    known = Facts.of_manifest(facts)
    return render("public.html", summary=summarise(known, tables))


def summarise(facts: Facts, tables: Mapping[str, pl.DataFrame]) -> Summary:
    """Aggregate the published tables once for all sections."""
    data = tables["data"]
    sizes = GroupSizes.of_table(data, facts)
    return Summary(
        facts=facts,
        sizes=sizes,
        charts=size_charts(sizes),
        asked=[Asked(f, sentence(f), gauges(f)) for f in facts.findings],
        details=_details(facts, data),
        caveats=caveats(facts),
        roles=role_rows(facts, data),
        measures=measure_rows(dict(facts.measures)),
        buckets=bucket_sizes(facts, tables),
    )


def size_charts(sizes: GroupSizes) -> list[Histogram]:
    """Two histograms over the same bins: groups by their size, and the people in them."""
    bins = sizes.bins()
    if not bins:
        return []
    labels = [b.label for b in bins]
    groups = histogram(
        "Groups by size",
        f"Bar chart of {sizes.n_classes:,} groups by the number of people in them, from "
        f"{sizes.smallest:,} to {sizes.largest:,}.",
        labels,
        [b.n_groups for b in bins],
        [f"{b.label} people: {b.n_groups:,} groups" for b in bins],
    )
    shares = [b.n_people / sizes.total for b in bins]
    people = histogram(
        "People by the size of their group",
        f"Bar chart of the share of people by the size of their group; half of them are in groups "
        f"of {sizes.median:,} or fewer.",
        labels,
        shares,
        [f"{b.label} people: {percent(s)} of all" for b, s in zip(bins, shares, strict=True)],
        percent=True,
    )
    return [groups, people]


def _details(facts: Facts, data: pl.DataFrame) -> list[Detail]:
    details = []
    for column in facts.quasi:
        cells = facts.cells_by_attribute.get(column.name)
        if cells is None:
            withheld = bool(facts.counts.get("withheld"))
            cells = cell_shares(data, column.name, column.kind, column.hierarchy, withheld=withheld)
        details.append(Detail(column.name, cells, facts.loss_by_attribute.get(column.name)))
    return details
