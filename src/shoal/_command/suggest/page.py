"""Suggestions as one HTML file: what each way to choose the levels would cost."""

from __future__ import annotations

from shoal._command.suggest.suggestion import Suggestions
from shoal.report.page import render
from shoal.report.trend import Dot, TrendChart, trend

# Family, how it is drawn, and where its thresholds come from.
FAMILIES = {
    "even": ("first", "steps of the same width from 1 and from 0 to the middle"),
    "quantile": ("second", "every level decides about the same number of people at both ends"),
    "share": ("third", "no more than the chosen share of people asks for the highest k"),
}


def suggestion_page(found: Suggestions) -> str:
    """The page of suggestions: the loss against the number of levels, and every candidate."""
    families = {row.family for row in found}
    return render(
        "suggest.html",
        rows=[row.as_data() for row in (found.baseline, found.plain, *found)],
        baseline=found.baseline,
        plain=found.plain,
        beaten=found.is_beaten,
        best=found.best,
        charts=[_chart(found, scheme) for scheme in dict.fromkeys(row.scheme for row in found)],
        families=[(name, *words) for name, words in FAMILIES.items() if name in families],
        highest=max(found.baseline.people),
        notes=found.notes,
    )


def _chart(found: Suggestions, scheme: str) -> TrendChart:
    dots: dict[str, list[Dot]] = {}
    for row in found:
        if row.scheme == scheme and row.loss is not None:
            title = f"No. {row.number}: {row.n_levels} levels, loss {row.loss:.4f}"
            dot = Dot(row.n_levels, row.loss, title, row is found.best)
            dots.setdefault(row.family, []).append(dot)
    least = min((dot.y for line in dots.values() for dot in line), default=None)
    said = "nothing can be published" if least is None else f"the least is {least:.3f}"
    loss = found.baseline.loss
    return trend(
        scheme,
        f"Lines: loss by {scheme} against the number of levels; {said}.",
        dots,
        {name: style for name, (style, _) in FAMILIES.items()},
        None if loss is None else (loss, "KA"),
    )
