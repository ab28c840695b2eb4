"""A figure of an experiment: panels of curves with intervals, as a table and as a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from shoal._command.experiment.cache import write_file
from shoal._command.experiment.result import Results
from shoal.report.axis import Look, Spot
from shoal.report.plot import Curve, Plot, draw_plots
from shoal.report.row import draw_rows


@dataclass(frozen=True)
class Panel:
    """One box: a reading against one coordinate, a curve for every value of another.

    `where` chooses trials. `names` renames curves, `x_names` what is on the axis. Without `series`
    there is one curve. With `by_reading` the x of a curve are readings of one trial, such as query
    errors by number of attributes: {1: "count-and-1", …}.
    """

    title: str
    x: str
    x_label: str
    reading: str
    where: Mapping[str, Any]
    series: str = "method"
    names: Mapping[Any, str] = field(default_factory=dict)
    by_reading: Mapping[Any, str] | None = None
    x_names: Mapping[Any, str] = field(default_factory=dict)

    def curves(self, results: Results) -> list[Curve]:
        """The curves, in the order of the grid."""
        spots: dict[str, list[Spot]] = {}
        for x, reading in (self.by_reading or {None: self.reading}).items():
            by = [*([self.series] if self.series else []), *([] if self.by_reading else [self.x])]
            for place, e in results.estimates(self.where, by, reading).items():
                series = place[0] if self.series else reading
                name = self.names.get(series, str(series))
                at = x if self.by_reading else place[-1]
                spot = Spot(self.x_names.get(at, at), e.mean, e.low, e.high, e.n)
                spots.setdefault(name, []).append(spot)
        return [Curve(name, tuple(found)) for name, found in spots.items()]


@dataclass(frozen=True)
class Figure:
    """A figure as a paper numbers it.

    `limit` is what its values cannot exceed, `log` a scale for times, `rows` a line for every name.
    """

    number: int
    title: str
    y_label: str
    panels: tuple[Panel, ...]
    categories: bool = False
    note: str = ""
    limit: float | None = None
    log: bool = False
    rows: bool = False

    def plots(self, results: Results) -> list[Plot]:
        """The panels that have anything to show."""
        found = ((panel, panel.curves(results)) for panel in self.panels)
        return [Plot(p.title, p.x_label, tuple(curves)) for p, curves in found if curves]

    def table(self, results: Results) -> pl.DataFrame:
        """Every point of the figure, with its interval and the number of seeds."""
        return pl.DataFrame(list(self._points(results)), schema=_SCHEMA)

    def _points(self, results: Results) -> Iterator[dict[str, Any]]:
        for plot in self.plots(results):
            for curve in plot.curves:
                for s in curve.spots:
                    spot = {"x": str(s.x), "mean": s.y, "low": s.low, "high": s.high, "n": s.n}
                    yield {"panel": plot.title, "series": curve.name, **spot}

    def write(self, results: Results, folder: Path) -> tuple[Path, ...]:
        """Write `figure-N.svg` and `figure-N.csv`; neither if there is nothing to show."""
        plots = self.plots(results)
        if not plots:
            return ()
        title = f"Figure {self.number}. {self.title}" if self.number else self.title
        look = Look(self.categories, self.limit, self.log)
        svg = draw_rows(title, plots) if self.rows else draw_plots(title, plots, self.y_label, look)
        drawing, table = (folder / f"figure-{self.number}.{kind}" for kind in ("svg", "csv"))
        write_file(drawing, svg.encode())
        write_file(table, self.table(results).write_csv().encode())
        return drawing, table


_SCHEMA = {
    "panel": pl.String,
    "series": pl.String,
    "x": pl.String,
    "mean": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
}
