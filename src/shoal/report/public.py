"""The report that goes with a release: from the published tables and the manifest only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from shoal.reading.manifest import Manifest
from shoal.release.fact import listed
from shoal.report.caveat import Caveat, caveats
from shoal.report.cell import HIDDEN, cell_shares
from shoal.report.finding import Finding, findings_of
from shoal.report.gauge import Gauge, gauges
from shoal.report.group import GroupSizes
from shoal.report.histogram import Histogram, histogram
from shoal.report.page import render
from shoal.report.secret import BucketSizes, bucket_sizes, role_rows
from shoal.report.wording import measure_rows, sentence
from shoal.schema import Role
from shoal.schema.wording import percent

_LITTLE = 0.3


@dataclass(frozen=True)
class ReportedRequirement:
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

    manifest: Manifest
    sizes: GroupSizes
    charts: list[Histogram]
    asked: list[ReportedRequirement]
    details: list[Detail]
    caveats: list[Caveat]
    roles: list[tuple[str, str, str]]
    measures: list[tuple[str, str, str, str]]
    buckets: list[BucketSizes]

    @property
    def shares(self) -> str:
        """A sentence that says what losses are shares of; empty if the manifest does not say."""
        shown = [c.name for c in self.manifest.columns if c.loss_over == "published"]
        if not any(c.loss_over for c in self.manifest.columns):
            return ""
        declared = "what the plan declares for a column: its domain, values or hierarchy"
        if not shown:
            return f"Losses are shares of {declared}."
        covered = f"all that the published cells of {listed(shown)} cover"
        if len(shown) == len([c for c in self.manifest.columns if c.loss_over]):
            return f"Losses are shares of {covered}."
        return f"Losses are shares of {declared}, or of {covered}."

    @property
    def left(self) -> float:
        """Of the input's cells that describe people, the share that still say more than `*`."""
        counts = self.manifest.counts
        read = counts.get("rows", 0) - counts.get("repeated", 0)
        published = (self.n_rows - counts.get("counterfeits", 0)) / read if read else 1.0
        hidden = [d.cells.get(HIDDEN, 0.0) for d in self.details]
        return published * (1 - sum(hidden) / max(len(hidden), 1))

    @property
    def nearly_empty(self) -> bool:
        """Whether so little is left that a reader should know before anything else."""
        return bool(self.details) and self.left < _LITTLE

    @property
    def semi(self) -> bool:
        """Whether there is a column that some may keep secret, and others not."""
        return bool(self.manifest.of_role(Role.SEMI_SENSITIVE))

    @property
    def n_rows(self) -> int:
        return self.manifest.counts.get("published", 0)

    @property
    def holds(self) -> bool:
        """Whether every requirement is known to hold."""
        # What cannot be known does not count as kept.
        return all(a.finding.holds is True for a in self.asked)


def release_report(
    manifest: Manifest,
    tables: Mapping[str, pl.DataFrame],
    sizes: GroupSizes | None = None,
    buckets: Sequence[BucketSizes] | None = None,
) -> str:
    """`report.html` of a release, from its manifest and its published tables.

    It says what was required and achieved, how large the groups are, what it cost and what is not
    covered; of the cells it shows counts only, never a value. `sizes` are those of the groups of a
    table that is not at hand, `buckets` those of its buckets: then `tables` show its columns alone.
    """
    return render("public.html", summary=summarise(manifest, tables, sizes, buckets))


def summarise(
    manifest: Manifest,
    tables: Mapping[str, pl.DataFrame],
    sizes: GroupSizes | None = None,
    buckets: Sequence[BucketSizes] | None = None,
) -> Summary:
    """Aggregate the published tables once for all sections."""
    data = tables["data"]
    findings = findings_of(manifest, data)
    sizes = sizes or GroupSizes.of_table(data, manifest)
    return Summary(
        manifest=manifest,
        sizes=sizes,
        charts=size_charts(sizes),
        asked=[ReportedRequirement(f, sentence(f), gauges(f)) for f in findings],
        details=_details(manifest, data),
        caveats=caveats(manifest, findings, (sizes.size, sizes.n_groups)),
        roles=role_rows(manifest, data),
        measures=measure_rows(dict(manifest.measures)),
        buckets=bucket_sizes(manifest, tables) if buckets is None else list(buckets),
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


def _details(manifest: Manifest, data: pl.DataFrame) -> list[Detail]:
    details = []
    for column in manifest.quasi:
        cells = manifest.cells_by_attribute.get(column.name)
        if cells is None:
            withheld = column.role is Role.SEMI_SENSITIVE
            kind, form = column.kind or "", column.hierarchy or ""
            cells = cell_shares(data, column.name, kind, form, withheld=withheld)
        details.append(Detail(column.name, cells, manifest.loss_by_attribute.get(column.name)))
    return details
