"""What the Data page shows of a table: every column in numbers, and a picture of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._command.init import Entry, Proposal
from shoal.report.histogram import Histogram, histogram
from shoal.report.scale import round_step
from shoal.schema import Kind, Role
from shoal.schema.wording import percent

_MOST_BARS = 24
_MOST_VALUES = 8
_SHOWN = 5
# Days from which years, or months, are enough on an axis.
_YEARS, _MONTHS = 1_500, 60
_LONGEST = 24
ROWS_SHOWN = 20
# What a role means for a column about which there is nothing else to say.
_WHY = {
    Role.IDENTIFIER: "which names people",
    Role.QUASI: "which others may know",
    Role.SENSITIVE: "which people may want to keep to themselves",
    Role.SEMI_SENSITIVE: "which some want to keep to themselves",
    Role.SENSITIVITY: "how much protection people ask for",
    Role.FLAG: "which says what is secret",
    Role.INSENSITIVE: "which harms nobody",
    Role.DROP: "left out until you decide",
}


def describe_table(proposal: Proposal, frame: Any) -> dict[str, Any]:
    """A profile as JSON, with values: it stays in the studio's own folder."""
    return {
        "rows": proposal.n_rows,
        "text": proposal.text,
        "notes": list(proposal.notes),
        "expected": proposal.expected,
        # The name under which studios have kept this sentence: old profiles are still shown.
        "singled_out": proposal.stand_out if proposal.together else "",
        "person": proposal.person and proposal.person.column,
        "columns": [_describe(entry, proposal) for entry in proposal.entries],
        "sample": {
            "names": frame.columns,
            "rows": [
                ["" if cell is None else _short(str(cell), 40) for cell in row]
                for row in frame.head(ROWS_SHOWN).iter_rows()
            ],
        },
    }


def _describe(entry: Entry, proposal: Proposal) -> dict[str, Any]:
    column = entry.column
    together = proposal.together.get(entry.name)
    return {
        **entry.as_data(),
        "told": f"{entry.told}, {_WHY[entry.role]}"
        if entry.told == entry.nature.value
        else entry.told,
        "distinct": column.n_distinct,
        "missing": column.n_missing,
        "uniqueness": column.uniqueness if column.n_rows else 0.0,
        "together": None if together is None else together / max(proposal.n_units, 1),
        "bars": _bars(entry),
        "binned": _is_binned(entry),
        "ends": _ends(entry),
    }


def _bars(entry: Entry) -> list[tuple[str, int]]:
    """Counts by bin where there are many numbers or dates, else of the commonest values."""
    column = entry.column
    if _is_binned(entry):
        assert column.numbers is not None
        there = np.isfinite(column.numbers)
        return _bins(column.numbers[there], column.counts[there], column.kind is Kind.DATE)
    # Where hardly any value occurs twice, a few of them are no picture of the column.
    if column.n_rows and column.variety > 0.9 and column.n_distinct > _MOST_VALUES:
        return []
    texts = [_short(text or "(empty)", _LONGEST) for text in column.texts.head(_SHOWN).to_list()]
    bars = list(zip(texts, column.counts[:_SHOWN].tolist(), strict=True))
    rest = int(column.counts[_SHOWN:].sum())
    n_others = column.n_distinct - _SHOWN
    return [*bars, (f"{n_others:,} others", rest)] if rest else bars


def _is_binned(entry: Entry) -> bool:
    column = entry.column
    return (
        column.numbers is not None
        and column.n_distinct > _MOST_VALUES
        and bool(np.isfinite(column.numbers).any())
    )


def _bins(
    numbers: NDArray[np.float64], counts: NDArray[Any], of_dates: bool
) -> list[tuple[str, int]]:
    """Rows in bins between round numbers."""
    least, most = float(numbers.min()), float(numbers.max())
    step = round_step((most - least) / _MOST_BARS) if most > least else 1.0
    if (numbers == np.floor(numbers)).all():
        # Narrower bins would leave gaps between whole numbers.
        step = max(step, 1.0)
    first = np.floor(least / step)
    places = np.floor(numbers / step) - first
    found = np.bincount(places.astype(np.int64), weights=counts)
    lows = [(first + i) * step for i in range(len(found))]
    names = [_day(low, most - least) if of_dates else f"{low:.6g}" for low in lows]
    return [(name, round(n)) for name, n in zip(names, found.tolist(), strict=True)]


def _day(number: float, span: float) -> str:
    """A day for an axis: its year where the axis has several, else its month too."""
    day = np.datetime64("1970-01-01") + np.timedelta64(int(number), "D")
    return str(day)[: 4 if span > _YEARS else 10 if span < _MONTHS else 7]


def _ends(entry: Entry) -> list[float]:
    """The least and the largest number; empty where there are none."""
    numbers = entry.column.numbers
    there = np.array([]) if numbers is None else numbers[np.isfinite(numbers)]
    return [float(there.min()), float(there.max())] if len(there) else []


@dataclass(frozen=True)
class Picture:
    """A column drawn: as a histogram, or a bar for each of its commonest values."""

    histogram: Histogram | None
    bars: tuple[tuple[str, int, float], ...]


def draw(column: Mapping[str, Any], n_rows: int) -> Picture | None:
    """The picture of a described column; None where no value occurs often enough for one.

    A bar has its value, its rows and its length in percent.
    """
    bars = column["bars"]
    if not bars:
        return None
    if not column.get("binned", True):
        # What is left of many values must not dwarf them.
        most = max(n for _, n in bars[:_SHOWN])
        lengths = [(label, n, 100 * min(n / max(most, 1), 1)) for label, n in bars]
        return Picture(None, tuple(lengths))
    labels, counts = [bar[0] for bar in bars], [bar[1] for bar in bars]
    titles = [f"from {label} on: {n:,} rows, {percent(n / max(n_rows, 1))}" for label, n in bars]
    summary = f"Bar chart of {column['column']}: {len(bars)} bars over {n_rows:,} rows."
    return Picture(histogram(column["column"], summary, labels, counts, titles), ())


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
