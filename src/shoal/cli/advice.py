"""What a publisher should know of a release that holds: what it shows, and what was not asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from shoal.schema import Kind, Requirement

if TYPE_CHECKING:
    from shoal.release.release import Release

# From here on a threshold is met by every table.
_ASKS_NOTHING: dict[str, Callable[[float], bool]] = {
    "k": lambda k: k <= 1,
    "l": lambda l: l <= 1,  # noqa: E741
    "alpha": lambda alpha: alpha >= 1,
    "beta": lambda beta: beta >= 1,
    "t": lambda t: t >= 1,
    "e": lambda e: e <= 0,
}

_LIKELY = 0.5
_SHOWN = 3


def warnings_of(release: Release) -> list[str]:
    """Everything that deserves a second look before the release is handed out."""
    return [
        *release.warnings,
        *(text for requirement in release.requirements for text in _empty(requirement)),
        *_unprotected(release),
        *_unbounded(release),
        *_clues(release),
        *_unknown_values(release),
        *_real_ends(release),
    ]


def _empty(requirement: Requirement) -> Iterator[str]:
    bounds = {
        name: (value, _ASKS_NOTHING[name](value))
        for name, value in requirement.parameters.items()
        if name in _ASKS_NOTHING and isinstance(value, (int, float))
    }
    asks = any(not nothing for _, nothing in bounds.values())
    for name, (value, nothing) in bounds.items():
        if nothing:
            said = "sets no bound by it" if asks else "asks for nothing"
            yield f"{requirement.model} with {name} = {value:g} {said}."


def _unprotected(release: Release) -> Iterator[str]:
    covered = {verdict.attribute for verdict in release.verdicts}
    bare = [a.name for a in release.schema.sensitive if a.name not in covered]
    if bare:
        all_of, remedy = ("all rows", "l-diversity or t-closeness")
        if release.schema.individual is not None:
            all_of, remedy = ("all people", "eir-l or eir-alpha-beta")
        yield (
            f"No requirement is about {_names(bare)}: {all_of} of a class may share one value. "
            f"{remedy} would prevent that."
        )


def _unbounded(release: Release) -> Iterator[str]:
    """Secrets that a guess finds more often than not, though everything asked holds."""
    risks = release.risks
    if risks is None:
        return
    for name, learned in risks.posteriors.items():
        if name not in risks.posterior_limits and learned > _LIKELY:
            yield (
                f"A secret of '{name}' can be guessed with a chance of {learned:.0%} at worst, and "
                "no bound was asked. Distinct l-diversity sets one, where it can be had."
            )


def _clues(release: Release) -> Iterator[str]:
    """Flagged cells whose symbols a guess sees through more often than not."""
    found = {
        name: leak.cell_worst
        for name, leak in release.leaks[1].items()
        if name not in release.concealed and leak.cell_worst > _LIKELY
    }
    if found:
        yield (
            f"Flagged cells of {_names([*found])} can be guessed from their symbols with a chance "
            f"of {max(found.values()):.0%} at worst, by those who know the rules of flags. "
            "'conceal: true' in qi-mhsa brings that to 1/l, where it can be had."
        )


def _unknown_values(release: Release) -> Iterator[str]:
    """Values that the rules of flags list and nobody has: a misspelt one leaves cells open."""
    import polars as pl

    for attribute in release.schema.sensitive:
        if release.source is None or not attribute.flags or attribute.kind is Kind.NUMERIC:
            continue
        cells = release.source[attribute.name].cast(pl.String).unique().str.strip_chars()
        there = set(cells.to_list())
        places = [
            f"{level} {place}"
            for level, listed in attribute.flags.items()
            for place, value in enumerate(listed if isinstance(listed, (list, tuple)) else [], 1)
            if str(value) not in there
        ]
        if places:
            more = ", …" if len(places) > _SHOWN else ""
            yield (
                f"The flag rules of '{attribute.name}' list {len(places)} "
                f"{'value' if len(places) == 1 else 'values'} that no row has "
                f"({', '.join(places[:_SHOWN])}{more}). A value that is misspelt protects nobody."
            )


def _real_ends(release: Release) -> Iterator[str]:
    if release.ranges == "snapped":
        return
    ranged = (Kind.NUMERIC, Kind.DATE)
    found = [a.name for a in release.schema.quasi if a.hierarchy is None and a.kind in ranged]
    if found:
        yield (
            f"The ends of the ranges of {_names(found)} are values of real people. "
            "'ranges: snapped' in the plan rounds them."
        )


def _names(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
