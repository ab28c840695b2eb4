"""What the symbols of flagged cells give away, before and after concealing."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from shoal.release import Leaked, Release
from shoal.reports.wording import odds


@dataclass(frozen=True)
class Given:
    """How sure a reader who knows the rules can be, of one attribute; `allowed` where concealed."""

    name: str
    cell: str
    person: str
    mean: float
    cell_before: str
    person_before: str
    allowed: str
    within: bool | None


def leaks_of(release: Release) -> list[Given]:
    """The attributes that show symbols, or are concealed; empty where no cell is flagged."""
    before, after = release.leaks
    chosen = [name for name in after if name in release.symbols or name in release.concealed]
    return [_given(name, before[name], after[name], release.concealed.get(name)) for name in chosen]


def _given(name: str, before: Leaked, after: Leaked, l: int | None) -> Given:  # noqa: E741
    worst = max(after.cell_worst, after.person_worst)
    return Given(
        name,
        odds(after.cell_worst),
        odds(after.person_worst),
        after.person_mean,
        odds(before.cell_worst),
        odds(before.person_worst),
        "not concealed" if l is None else odds(1 / l),
        None if l is None else worst <= 1 / l + 1e-9,
    )


@dataclass(frozen=True)
class Bound:
    """The paper's bound on the privacy loss, and whether the release keeps it."""

    reached: float
    rpl: float

    @property
    def within(self) -> bool:
        return self.reached <= self.rpl + 1e-9


def bound_of_privacy_loss(release: Release) -> Bound | None:
    """RPL = max(1/k, 1/l), beside the privacy loss; None where flags or k and l are not asked."""
    asked = {"k-anonymity": "k", "l-diversity": "l"}
    found: dict[str, list[float]] = {}
    for requirement in release.requirements:
        key = asked.get(requirement.model)
        if key is not None:
            found.setdefault(key, []).append(ceil(requirement.parameters[key]))
    if not release.symbols or len(found) < 2 or "privacy-loss" not in release.measures:
        return None
    rpl = max(1 / max(found["k"]), 1 / min(found["l"]))
    return Bound(release.measures["privacy-loss"], rpl)
