"""What the Data page shows of a table: every column in numbers, and a picture of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal._command.init import Entry, Proposal
from shoal.report.histogram import Histogram, histogram
from shoal.report.wording import percent

_MOST_BARS = 24
_MOST_VALUES = 8
_LONGEST = 24
ROWS_SHOWN = 20


def describe_table(proposal: Proposal, frame: Any) -> dict[str, Any]:
    """A profile as JSON, with values: it stays in the studio's own folder."""
    return {
        "rows": proposal.n_rows,
        "text": proposal.text,
        "notes": list(proposal.notes),
        "expected": proposal.expected,
        "singled_out": proposal.singled_out if proposal.together else "",
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
        "told": entry.told,
        "distinct": column.n_distinct,
        "missing": column.n_missing,
        "uniqueness": column.uniqueness if column.n_rows else 0.0,
        "together": None if together is None else together / max(proposal.n_units, 1),
        "bars": _bars(entry),
        "ends": _ends(entry),
    }


def _bars(entry: Entry) -> list[tuple[str, int]]:
    """Counts by bin where there are many numbers, else of the commonest values."""
    column = entry.column
    numbers = column.numbers
    if numbers is not None and column.n_distinct > _MOST_VALUES:
        there = np.isfinite(numbers)
        if there.any():
            counts, edges = np.histogram(
                numbers[there], bins=_MOST_BARS, weights=column.counts[there]
            )
            return [
                (f"{low:.6g}", round(n)) for low, n in zip(edges, counts.tolist(), strict=False)
            ]
    if column.n_rows and column.variety > 0.9 and column.n_distinct > _MOST_VALUES:
        return []
    texts = [_short(text or "", _LONGEST) for text in column.texts.head(_MOST_VALUES).to_list()]
    bars = list(zip(texts, column.counts[:_MOST_VALUES].tolist(), strict=True))
    rest = int(column.counts[_MOST_VALUES:].sum())
    return [*bars, ("others", rest)] if rest else bars


def _ends(entry: Entry) -> list[float]:
    """The least and the largest number; empty where there are none."""
    numbers = entry.column.numbers
    there = np.array([]) if numbers is None else numbers[np.isfinite(numbers)]
    return [float(there.min()), float(there.max())] if len(there) else []


def draw(column: Mapping[str, Any], n_rows: int) -> Histogram | None:
    """The picture of a described column; None where no value occurs often enough for one."""
    bars = column["bars"]
    if not bars:
        return None
    labels, counts = [bar[0] for bar in bars], [bar[1] for bar in bars]
    titles = [f"{label}: {n:,} rows, {percent(n / max(n_rows, 1))}" for label, n in bars]
    summary = f"Bar chart of {column['column']}: {len(bars)} bars over {n_rows:,} rows."
    return histogram(column["column"], summary, labels, counts, titles)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
