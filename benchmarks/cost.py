"""What a run in shards costs, by phase, fitted to measurements; and what that predicts.

A phase takes `fixed` seconds, `work` seconds for a row on one core, and sends `sent` bytes of a
row to other tasks. The fit makes the relative errors of all sizes least (least squares of the ratio
to what was measured), with no negative cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Row = dict[str, Any]
ROWS, EXECUTORS, CORES = 1_000_000_000, 50, 2
# Bytes a second that an executor receives from others: a network of 1 Gbit/s.
NETWORK = 125_000_000
# Phases in which the driver adds up what the executors counted: more cores do not shorten them.
DRIVER = ("counting",)
SPARK = "Spark"
_TOTAL = ("whole s", "local s", "spark s", "session s")


@dataclass(frozen=True)
class Sample:
    """One measured run: its rows, and the seconds and sent bytes of every phase.

    `read` and `written` are bytes of files, `peak` the most bytes in memory; 0 if not measured.
    """

    n_rows: int
    seconds: Mapping[str, float]
    sent: Mapping[str, float]
    read: float = 0.0
    written: float = 0.0
    peak: float = 0.0

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


@dataclass(frozen=True)
class Phase:
    """What a phase costs."""

    name: str
    fixed: float
    work: float
    sent: float

    def seconds(self, n_rows: int, executors: int, cores: int) -> float:
        """The time that it takes for so many rows, on so many executors of so many cores."""
        at_once = 1 if self.name in DRIVER else executors * cores
        # Of what is sent, the share of one executor stays where it is.
        away = self.sent * n_rows * (1 - 1 / executors)
        return self.fixed + self.work * n_rows / at_once + away / (executors * NETWORK)


def fit(samples: Sequence[Sample], cores: int) -> list[Phase]:
    """The cost of every phase by measurements on one machine of so many cores."""
    names = dict.fromkeys(name for sample in samples for name in sample.seconds)
    rows = np.array([sample.n_rows for sample in samples], dtype=np.float64)
    phases = []
    for name in names:
        seconds = np.array([sample.seconds.get(name, 0.0) for sample in samples])
        fixed, slope = _line(rows, seconds)
        sent = float(np.mean([sample.sent.get(name, 0.0) / sample.n_rows for sample in samples]))
        work = slope if name in DRIVER else slope * cores
        phases.append(Phase(name, fixed, work, sent))
    return phases


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The line through points of positive x whose relative errors are least; nothing negative."""
    if not (y > 0).all():
        return 0.0, max(float((y / x).mean()), 0.0)
    both = np.column_stack([1 / y, x / y])
    if len(x) > 1:
        fixed, slope = np.linalg.lstsq(both, np.ones(len(x)), rcond=None)[0]
        if fixed >= 0 and slope >= 0:
            return float(fixed), float(slope)
        if slope < 0:
            return _scale(both[:, 0]), 0.0
    return 0.0, _scale(both[:, 1])


def _scale(ratios: np.ndarray) -> float:
    """The factor that brings ratios nearest to 1."""
    return float(ratios.sum() / (ratios**2).sum())


def samples_of(results: Mapping[str, Any]) -> dict[str, list[Sample]]:
    """The measured runs in shards by what made them: this machine in a loop, or Spark."""
    found: dict[str, list[Sample]] = {}
    for row in results.get("shards", []):
        if row.get("workers") == 1:
            found.setdefault("one machine, mondrian", []).append(_sample(row))
    for row in results.get("spark", []):
        if "spark s" in row:
            found.setdefault(f"{SPARK}, {row['method']}", []).append(_sample(row))
    return {name: sorted(own, key=lambda s: s.n_rows) for name, own in found.items()}


def _sample(row: Row) -> Sample:
    seconds = {
        name.removesuffix(" s"): value
        for name, value in row.items()
        if name.endswith(" s") and name not in _TOTAL
    }
    sent = {
        name.removesuffix(" sent bytes"): value
        for name, value in row.items()
        if name.endswith(" sent bytes")
    }
    files = (float(row.get(name, 0)) for name in ("read bytes", "written bytes"))
    return Sample(int(row["rows"]), seconds, sent, *files, row.get("peak GB", 0.0) * 1e9)


def _sizes(sample: Sample) -> str:
    """The bytes of a run, as far as they were measured."""
    found = [
        f"{size / sample.n_rows:.1f} bytes a row {what}"
        for size, what in ((sample.read, "are read"), (sample.written, "are written"))
        if size
    ]
    if sample.peak:
        found.append(f"{sample.peak / 1e9:.2f} GB are in memory at most")
    return f"In that run {', '.join(found)}." if found else ""


def left_out(samples: Sequence[Sample], cores: int) -> tuple[float, float]:
    """The seconds of the largest run as the others predict them, and as measured."""
    *others, largest = samples
    phases = fit(others, cores)
    return sum(phase.seconds(largest.n_rows, 1, cores) for phase in phases), largest.total


def phase_rows(phases: Sequence[Phase], executors: int, cores: int) -> list[Row]:
    """A table of the phases with what they take at the size of the prediction."""
    rows: list[Row] = [
        {
            "phase": phase.name, "fixed s": phase.fixed,
            "microseconds a row and core": phase.work * 1e6, "bytes sent a row": phase.sent,
            "predicted s": phase.seconds(ROWS, executors, cores),
        }
        for phase in phases
    ]  # fmt: skip
    totals = {name: sum(row[name] for row in rows) for name in list(rows[0])[1:]}
    return [*rows, {"phase": "all", **totals}]


def cost_text(results: Mapping[str, Any], table: Any) -> list[str]:
    """The paragraphs and tables of all models; none where nothing was measured."""
    cores = results.get("machine", {}).get("cores", CORES)
    parts = []
    for name, samples in samples_of(results).items():
        if len(samples) < 2:
            continue
        clustered = name.startswith(SPARK)
        place = (EXECUTORS, CORES) if clustered else (1, cores)
        where = f"{EXECUTORS} executors of {CORES} cores" if clustered else f"{cores} cores"
        sizes = ", ".join(f"{sample.n_rows:,}" for sample in samples)
        predicted, measured = left_out(samples, cores)
        rows = phase_rows(fit(samples, cores), *place)
        largest = samples[-1]
        parts += [
            f"**{name}** (fitted to runs of {sizes} rows on {cores} cores). Prediction, not a "
            f"measurement: {ROWS:,} rows on {where} take {rows[-1]['predicted s'] / 60:,.0f} "
            f"minutes. Without the largest run the model predicts {predicted:.1f} s for its "
            f"{largest.n_rows:,} rows; it took {measured:.1f} s ({predicted / measured - 1:+.0%}). "
            f"{_sizes(largest)}",
            table(rows),
        ]
    if not parts:
        return []
    return [
        *parts,
        "Assumed of Spark: executors with cores like those measured and memory for one shard a "
        f"core; all phases but {' and '.join(DRIVER)} (the driver's) divide evenly among cores; "
        f"what is sent from task to task crosses a network of {NETWORK * 8 / 1e9:g} Gbit/s for "
        "each executor "
        "after the work is done; storage that reads and writes as fast for all executors at once "
        "as for one; no worker is lost. Not in the model: the wait for executors, slow tasks at "
        "the end of a phase, and levels of the shard plan, of which a larger table has more.",
    ]
