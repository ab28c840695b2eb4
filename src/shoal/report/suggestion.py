"""The page of `suggest`: what each way to choose the levels would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.report.page import render
from shoal.report.trend import Dot, Trend, trend

# Family, how it is drawn, and where its thresholds come from.
FAMILIES = {
    "even": ("first", "steps of the same width from 1 and from 0 to the middle"),
    "quantile": ("second", "every level decides about as many people at both ends"),
    "share": ("third", "no more than the chosen share of people asks for the highest k"),
}


def suggestion_report(
    rows: Sequence[Mapping[str, Any]],
    baseline: Mapping[str, Any],
    best: int | None,
    notes: Sequence[str] = (),
    *,
    plain: Mapping[str, Any] | None = None,
) -> str:
    """A page with the loss against the number of levels, and every candidate.

    Rows are suggestions as plain data; `best` is the number of the recommended one, `plain`
    is mondrian with one k for all, if it is to be shown.
    """
    schemes = list(dict.fromkeys(row["scheme"] for row in rows))
    shown = [name for name in FAMILIES if any(row["family"] == name for row in rows)]
    chosen = next((row for row in rows if row["number"] == best), None)
    return render(
        "suggest.html",
        rows=[baseline, *([plain] if plain else []), *rows],
        baseline=baseline,
        plain=plain,
        beaten=_is_beaten(chosen, plain),
        best=chosen,
        charts=[_chart(scheme, rows, baseline, best) for scheme in schemes],
        families=[(name, *FAMILIES[name]) for name in shown],
        highest=baseline["people"][0]["k"],
        notes=notes,
    )


def _is_beaten(best: Mapping[str, Any] | None, plain: Mapping[str, Any] | None) -> bool:
    if best is None or plain is None or best["glm"] is None or plain["glm"] is None:
        return False
    return bool(best["glm"] > plain["glm"])


def _chart(
    scheme: str, rows: Sequence[Mapping[str, Any]], baseline: Mapping[str, Any], best: int | None
) -> Trend:
    dots: dict[str, list[Dot]] = {}
    for row in rows:
        if row["scheme"] == scheme and row["loss"] is not None:
            title = f"No. {row['number']}: {row['levels']} levels, loss {row['loss']:.4f}"
            dot = Dot(row["levels"], row["loss"], title, row["number"] == best)
            dots.setdefault(row["family"], []).append(dot)
    least = min((dot.y for line in dots.values() for dot in line), default=None)
    found = "nothing can be published" if least is None else f"the least is {least:.3f}"
    level = None if baseline["loss"] is None else (baseline["loss"], "KA")
    return trend(
        scheme,
        f"Lines: loss by {scheme} against the number of levels; {found}.",
        dots,
        {name: style for name, (style, _) in FAMILIES.items()},
        level,
    )
