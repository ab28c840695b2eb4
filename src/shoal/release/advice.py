"""What deserves a second look in a release that holds: one list for all readers.

The command line, `--json`, the private report and `release.warnings` show this list; public reports
state the same facts as far as a manifest holds them (`shoal.release.fact`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from shoal.model import MultiLevelK
from shoal.release import fact, value
from shoal.release.crowd import CrowdSizes, count_alone, crowd_sizes, read_pairs, sensitivity_clues
from shoal.release.outcome import Outcome
from shoal.schema import Layout, Requirement, Role
from shoal.schema.advice import Advice, advise, by_severity
from shoal.schema.wording import percent

# Thresholds that every table meets.
_IS_IDLE: dict[str, Callable[[float], bool]] = {
    "k": lambda k: k <= 1,
    "l": lambda l: l <= 1,  # noqa: E741
    "alpha": lambda alpha: alpha >= 1,
    "beta": lambda beta: beta >= 1,
    "t": lambda t: t >= 1,
    "e": lambda e: e <= 0,
    "p": lambda p: p <= 1,
    "high": lambda high: high >= 1,
}

# The l of lkc is what an adversary knows; a gain on a value may be many times its share.
_NEVER_IDLE = (("lkc", "l"), ("beta-likeness", "beta"))
_LIKELY = 0.5
_LITTLE_LEFT = 0.8


def warnings_of(release: Outcome) -> tuple[Advice, ...]:
    """Everything that deserves a second look before a release is handed out, most severe first.

    `release.advice` is what only the run could know: the method's own, and earlier releases.
    """
    data = release.coded["data"]
    return by_severity(
        [
            *_by_outcome(release, data, None),
            *_clues(release),
            *_telling_columns(release),
            *value.missing_that_count(release),
            *value.telling_numbers_of_rows(release),
        ]
    )


def warnings_of_parts(
    release: Outcome, labels: Mapping[str, pl.DataFrame], sizes: CrowdSizes
) -> tuple[Advice, ...]:
    """The same for a release that is not in memory.

    From the distinct labels of its columns and the sizes of its classes. What only its rows can
    tell was counted by the run shard by shard: it is in `release.advice`.
    """
    return by_severity(
        [*_by_outcome(release, {n: own["label"] for n, own in labels.items()}, sizes)]
    )


def _by_outcome(
    release: Outcome, data: pl.DataFrame | Mapping[str, pl.Series], sizes: CrowdSizes | None
) -> Iterator[Advice]:
    """What needs only the published labels, not the rows.

    `sizes` are those of classes, if they are known.
    """
    yield from release.advice
    for requirement in release.requirements:
        yield from _empty(requirement)
    yield from _unprotected(release)
    yield from _by_size(release, sizes)
    yield from _unbounded(release)
    yield from _replayable(release)
    yield from _singled_out(release)
    yield from value.unknown_values(release)
    yield from value.look_alikes(release)
    yield from value.exact_sets(release, data)
    yield from _changed(release)
    yield from _real_ends(release)


def in_the_open(release: Outcome) -> list[str]:
    """Columns published unchanged in the rows of their people, not as buckets or symbols."""
    sensitive = (Role.SENSITIVE,) if release.layout is Layout.PLAIN else ()
    chosen = release.schema.of(Role.INSENSITIVE, *sensitive)
    return [a.name for a in chosen if a.name not in release.symbols]


def _empty(requirement: Requirement) -> Iterator[Advice]:
    bounds = {
        name: (value, _IS_IDLE[name](value))
        for name, value in requirement.parameters.items()
        if name in _IS_IDLE
        and isinstance(value, (int, float))
        and (requirement.model, name) not in _NEVER_IDLE
    }
    asks = any(not nothing for _, nothing in bounds.values())
    code, said = "asks-nothing", "requires nothing: every table meets it"
    if asks:
        code, said = "idle-bound", "sets no limit through this parameter"
    for name, (limit, nothing) in bounds.items():
        if nothing:
            yield advise(code, f"{requirement.model} with {name} = {limit:g} {said}.")


def _unprotected(release: Outcome) -> Iterator[Advice]:
    covered = {verdict.attribute for verdict in release.verdicts}
    bare = [a.name for a in release.schema.sensitive if a.name not in covered]
    if bare:
        people = release.schema.individual is not None
        remedy = "eir-l or eir-alpha-beta" if people else "l-diversity or t-closeness"
        said = fact.unprotected(_names(bare), people)
        yield advise("unprotected-secret", f"{said} {remedy} would prevent that.")


def _by_size(release: Outcome, known: CrowdSizes | None) -> Iterator[Advice]:
    """What the sizes of groups reveal, where people require crowds of different sizes."""
    holds = {verdict.requirement: verdict.holds for verdict in release.verdicts}
    for requirement in (r for r in release.requirements if r.model == MultiLevelK.name):
        people = release.schema.individual is not None
        person = "Id_num" if people else None
        sizes = known or crowd_sizes(release.coded["data"], release.schema.quasi, person)
        if any(low == 1 for _, low in read_pairs(requirement.parameters)):
            said = fact.published_alone(count_alone(sizes), people)
            yield advise("published-alone", f"{said} An LK of 2 or more prevents that.")
        clues = sensitivity_clues(requirement.parameters, sizes)
        if clues and holds[str(requirement)] is True:
            yield advise("size-clue", fact.size_clues(clues, people))


def _unbounded(release: Outcome) -> Iterator[Advice]:
    """Secrets that a guess finds more often than not, though every requirement holds."""
    risks = release.risks
    if risks is None:
        return
    for name, learned in risks.posteriors.items():
        if name not in risks.posterior_limits and learned > _LIKELY:
            yield advise(
                "likely-guess",
                f"A secret in '{name}' can be guessed with a chance of {percent(learned, 0)} at "
                "worst, and the plan sets no limit. Distinct l-diversity sets one, where it can be "
                "met.",
            )


def _clues(release: Outcome) -> Iterator[Advice]:
    """Flagged cells whose symbols a guess sees through more often than not."""
    risks = release.leaks[1].items()
    yield from flag_clues(
        {name: leak.cell_worst for name, leak in risks if name not in release.concealed}
    )


def flag_clues(worst: Mapping[str, float]) -> Iterator[Advice]:
    """Say where flagged cells can be guessed; `worst` is the chance at worst, by attribute."""
    found = {name: chance for name, chance in worst.items() if chance > _LIKELY}
    if found:
        yield advise(
            "flag-clue",
            f"Flagged cells of {_names([*found])} can be guessed from their symbols with a chance "
            f"of {percent(max(found.values()), 0)} at worst, by anybody who knows the flag rules. "
            "'conceal: true' in qi-mhsa lowers this to 1/l, where that can be achieved.",
        )


def _replayable(release: Outcome) -> Iterator[Advice]:
    """A known seed undoes whatever depends on it: the run can be replayed for every table."""
    hidden = [a.name for a in release.schema.secret] if release.keeps_secrets else release.symbols
    if release.seed_origin == "plan" and hidden:
        yield advise(
            "seed-in-plan",
            "The seed is a number in the plan: anybody who knows it, and everything but the "
            f"hidden values of {_names([*hidden])}, can try every table that fits the release; "
            "only the true one reproduces it. Leave 'seed' out, or keep it in a file: 'seed: "
            "{file: …}'.",
        )


def _telling_columns(release: Outcome) -> Iterator[Advice]:
    """Columns in the open that single people out alone."""
    for attribute in release.schema.of(Role.INSENSITIVE):
        cells = release.source[attribute.name]
        alone = int(cells.is_unique().sum()) / max(len(cells), 1)
        if alone > fact.MANY:
            yield advise(
                "telling-column",
                f"The insensitive column '{attribute.name}' is published as it is, but "
                f"{percent(alone, 0)} of the rows have a value that no other row has: anybody who "
                "knows it finds the row.",
            )


def _singled_out(release: Outcome) -> Iterator[Advice]:
    """Columns in the open that single people out together."""
    names = in_the_open(release)
    if release.singled_out > fact.MANY:
        said = fact.telling_columns(_names(names), len(names), release.singled_out)
        yield advise("singled-out", said)


def _changed(release: Outcome) -> Iterator[Advice]:
    """Cells that were replaced, and detail that was lost."""
    if release.replaced:
        cells = ", ".join(f"{n:,} of '{name}'" for name, n in release.replaced.items())
        yield advise("replaced-cells", f"{fact.replaced_cells(cells)} Readers do not learn which.")
    lost = release.measures["glm"]
    if lost > _LITTLE_LEFT:
        yield advise(
            "little-left",
            f"Hardly anything is left: {percent(lost, 0)} of the detail of the quasi-identifiers "
            "is lost.",
        )


def _real_ends(release: Outcome) -> Iterator[Advice]:
    found = fact.with_real_ends(release.schema.quasi, release.ranges)
    if found:
        said = fact.real_ends(_names(found))
        yield advise("real-ends", f"{said} 'ranges: snapped' in the plan rounds them.")


def _names(names: Sequence[str]) -> str:
    return fact.listed([f"'{name}'" for name in names], most=len(names))
