"""What the symbols of flagged cells give away, before and after concealing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

import polars as pl

from shoal.method.mhsa.leak import Leak
from shoal.release.outcome import Outcome
from shoal.report.wording import odds

# Shares that are equal on paper may differ in the last digits.
_SLACK = 1e-9


@dataclass(frozen=True)
class Given:
    """How sure of one attribute a reader who knows the rules can be; `allowed` if it is
    concealed."""

    name: str
    cell: str
    person: str
    cell_mean: float
    person_mean: float
    cell_before: str
    person_before: str
    allowed: str
    within: bool | None


def leaks_of(release: Outcome) -> list[Given]:
    """The attributes that show symbols, or are concealed; empty where there are none."""
    before, after = release.leaks
    return [
        _given(name, before[name], after[name], release.concealed.get(name))
        for name in _chosen(release)
    ]


def leak_data(release: Outcome) -> dict[str, Any]:
    """The same as numbers, for a document."""
    before, after = release.leaks
    return {
        name: {
            "before": asdict(before[name]),
            "after": asdict(after[name]),
            "allowed": 1 / release.concealed[name] if name in release.concealed else None,
        }
        for name in _chosen(release)
    }


def _chosen(release: Outcome) -> list[str]:
    return [n for n in release.leaks[1] if n in release.symbols or n in release.concealed]


def _given(name: str, before: Leak, after: Leak, l: int | None) -> Given:  # noqa: E741
    worst = max(after.cell_worst, after.person_worst)
    return Given(
        name,
        odds(after.cell_worst),
        odds(after.person_worst),
        after.cell_mean,
        after.person_mean,
        odds(before.cell_worst),
        odds(before.person_worst),
        "not concealed" if l is None else odds(1 / l),
        None if l is None else worst <= 1 / l + _SLACK,
    )


@dataclass(frozen=True)
class PrivacyLossBound:
    """The paper's bound on the privacy loss, and how many groups exceed it."""

    reached: float
    rpl: float
    n_above: int
    n_groups: int


def bound_of_privacy_loss(release: Outcome, frame: pl.DataFrame) -> PrivacyLossBound | None:
    """RPL = max(1/k, 1/l), next to the privacy loss; None without flags or without both k and l.

    It is a bound for everybody, but the mean over rows may keep it where some groups do not.
    """
    found: dict[str, list[float]] = {}
    for requirement in release.requirements:
        key = {"k-anonymity": "k", "l-diversity": "l"}.get(requirement.model)
        if key is not None:
            found.setdefault(key, []).append(ceil(requirement.parameters[key]))
    if not release.symbols or len(found) < 2 or "privacy-loss" not in release.measures:
        return None
    # Every group has the largest k, but each l may be on an attribute of its own.
    rpl = max(1 / max(found["k"]), 1 / min(found["l"]))
    likeliest = _likeliest(release, frame)
    above = int((likeliest > rpl + _SLACK).sum())
    return PrivacyLossBound(release.measures["privacy-loss"], rpl, above, len(likeliest))


def _likeliest(release: Outcome, frame: pl.DataFrame) -> pl.Series:
    """Of every group the share of the commonest value of any sensitive column."""
    names = [a.name for a in release.schema.sensitive]
    classes = release.rows.sort("row")["class"].gather(release.origin)
    rows = frame.select(names)[release.origin].with_columns(classes.alias(""))
    commonest = [pl.col(name).value_counts().struct.field("count").max() for name in names]
    counted = rows.group_by("").agg(pl.max_horizontal(commonest).alias("most"), pl.len().alias("n"))
    return counted["most"] / counted["n"]
