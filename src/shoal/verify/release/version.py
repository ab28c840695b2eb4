"""Do the versions of a release keep together what each of them promises?

Somebody who is in several versions has a value that their class has in each of them. By the ledger
everyone has one signature, whatever the versions; here it is compared with what this version
publishes, value by value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.encoding import Integers
from shoal.schema import Requirement
from shoal.verify.model.requirement import judge
from shoal.verify.release.tables import published_classes
from shoal.verify.text.classes import read_values
from shoal.verify.text.published import Published
from shoal.verify.text.quasi import check_quasi

# What is required of the people of a class, whom counterfeits are none of.
_OF_PEOPLE = ("k-anonymity", "multi-level-k")
_DIVERSE = "l-diversity"


def verify_versions(
    published: Published,
    people: pl.DataFrame,
    signatures: Sequence[Mapping[str, frozenset[str | None]]],
    n_counterfeits: int = 0,
) -> None:
    """Check that everyone keeps their signature, and that it has as many values as required.

    `people` are (person, release, signature) of all versions, the last of which is this one; the
    last `n_counterfeits` rows of the original are nobody's. Raises VerificationError with every
    kind of finding.
    """
    problems = [
        *_check_ledger(people),
        *_check_present(published, people, n_counterfeits),
        *_check_signatures(published, people, signatures, n_counterfeits),
        *_check_people(published, n_counterfeits),
    ]
    if problems:
        raise VerificationError(problems)


def _check_ledger(people: pl.DataFrame) -> Iterator[Problem]:
    """Everyone has one signature in all versions."""
    several = people.group_by("person").agg(pl.col("signature").n_unique())
    n = several.filter(pl.col("signature") > 1).height
    if n:
        yield Problem(f"{n} people have different signatures in different versions.")


def _latest(people: pl.DataFrame) -> pl.DataFrame:
    return people.filter(pl.col("release") == pl.col("release").max())


def _owners(published: Published) -> pl.Series:
    """The name of the person of every original row."""
    assert published.schema.individual is not None
    return published.original[published.schema.individual.column].cast(pl.String)


def _real(published: Published, n_counterfeits: int) -> Integers:
    """The published rows that are somebody's."""
    return np.flatnonzero(published.origin < published.original.height - n_counterfeits)


def _check_present(
    published: Published, people: pl.DataFrame, n_counterfeits: int
) -> Iterator[Problem]:
    """The ledger has those who are published, and nobody else."""
    rows = published.origin[_real(published, n_counterfeits)]
    shown = set(_owners(published).gather(rows).unique())
    entered = set(_latest(people)["person"])
    if shown != entered:
        text = f"The ledger must have the {len(shown)} people who are published, but it has "
        yield Problem(f"{text}{len(entered)}, {len(entered - shown)} of whom are not published.")


def _check_signatures(
    published: Published,
    people: pl.DataFrame,
    signatures: Sequence[Mapping[str, frozenset[str | None]]],
    n_counterfeits: int,
) -> Iterator[Problem]:
    """Everyone's class has the values of their signature, and no others."""
    rows = published.origin[_real(published, n_counterfeits)]
    held = pl.DataFrame(
        {"person": _owners(published).gather(rows), "class": published.classes[rows]}
    )
    pairs = held.unique().join(_latest(people), on="person").select("class", "signature").unique()
    for name, least, ignored in _required(published):
        if any(name not in signature for signature in signatures):
            yield Problem(f"The ledger has signatures without values of {name!r}.")
            continue
        of_class, of_signature = _codes(published, name, signatures)
        wrong = [c for c, s in pairs.iter_rows() if of_class.get(c) != of_signature[s]]
        if wrong:
            text = f"{len(wrong)} classes have other values of {name!r} than their signature."
            yield Problem(text)
        few = [
            s
            for s in pairs["signature"].unique()
            if _n_values(signatures[s][name], ignored) < least
        ]
        if few:
            yield Problem(f"{len(few)} signatures have fewer than {least} values of {name!r}.")


def _n_values(values: frozenset[str | None], without_missing: bool) -> int:
    return len(values - {None}) if without_missing else len(values)


def _required(published: Published) -> Iterator[tuple[str, int, bool]]:
    """The attributes whose values must stay the same, with their l, and whether missing counts."""
    asked: list[Requirement] = [r for r in published.requirements if r.model == _DIVERSE]
    for attribute in published.schema.sensitive:
        own = [r for r in asked if r.parameters.get("attribute") in (None, attribute.name)]
        for requirement in own:
            ignored = requirement.parameters.get("missing") == "ignore"
            yield attribute.name, int(requirement.parameters["l"]), ignored


def _codes(
    published: Published, name: str, signatures: Sequence[Mapping[str, frozenset[str | None]]]
) -> tuple[dict[int, frozenset[int]], list[frozenset[int]]]:
    """The values of every class and of every signature, as numbers that are the same for both."""
    listed = [(place, v) for place, s in enumerate(signatures) for v in s[name]]
    rows = published.origin
    cells = published.original[name].gather(rows).cast(pl.String)
    texts = pl.Series([value for _, value in listed], dtype=pl.String)
    codes = read_values(pl.concat([cells.alias(""), texts.alias("")]), published.schema[name]).codes
    of_class: dict[int, set[int]] = {}
    for number, code in np.unique(
        np.stack([published.classes[rows], codes[: len(rows)]], axis=1), axis=0
    ).tolist():
        of_class.setdefault(number, set()).add(code)
    of_signature: list[set[int]] = [set() for _ in signatures]
    for (place, _), code in zip(listed, codes[len(rows) :].tolist(), strict=True):
        of_signature[place].add(code)
    return {c: frozenset(v) for c, v in of_class.items()}, [frozenset(v) for v in of_signature]


def _check_people(published: Published, n_counterfeits: int) -> Iterator[Problem]:
    """What is required of people holds without the counterfeits."""
    requirements = [r for r in published.requirements if r.model in _OF_PEOPLE]
    if not n_counterfeits or not requirements:
        return
    _, vectors, n_vectors = check_quasi(published)
    classes = published_classes(published, vectors, n_vectors)
    rows = _real(published, n_counterfeits)
    people = None if classes.people is None else classes.people[rows]
    alone = replace(classes, rows=classes.rows[rows], of_row=classes.of_row[rows], people=people)
    for verdict in judge(alone, requirements):
        if verdict.holds is not True:
            yield Problem(f"{verdict.requirement} does not hold without the counterfeits.")
