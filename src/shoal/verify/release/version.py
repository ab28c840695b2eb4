"""Do the versions of a release, taken together, keep what each of them promises?

Somebody who is in several versions has a value that their class, or their bucket, has in each of
them. By the ledger everyone has one signature, whatever the versions; here it is compared with what
this version publishes, value by value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.encoding import Integers
from shoal.schema import Requirement
from shoal.verify.model.requirement import judge
from shoal.verify.model.verdict import read_parameter
from shoal.verify.release.tables import published_classes
from shoal.verify.secret.bucket import TABLE
from shoal.verify.secret.secret import BUCKET, read_counters
from shoal.verify.text.classes import read_values
from shoal.verify.text.published import Published
from shoal.verify.text.quasi import check_quasi
from shoal.verify.text.structure import of_number

# What is required of the people in a class, among whom counterfeits do not count.
_OF_PEOPLE = ("k-anonymity", "multi-level-k")
_DIVERSE = "l-diversity"


def verify_versions(
    published: Published,
    names: pl.Series,
    people: pl.DataFrame,
    signatures: Sequence[Mapping[str, frozenset[str | None]]],
    n_counterfeits: int = 0,
) -> None:
    """Check that everyone keeps their signature, and that it has as many values as required.

    `names` has the person of every original row. `people` are (person, release, attribute,
    signature) of all versions, the last of which is this one; the last `n_counterfeits` rows of the
    original belong to nobody. Raises VerificationError with every kind of finding.
    """
    problems = [
        *_check_ledger(people),
        *_check_present(published, names, people, n_counterfeits),
        *_check_signatures(published, names, people, signatures, n_counterfeits),
        *_check_people(published, n_counterfeits),
    ]
    if problems:
        raise VerificationError(problems)


def _check_ledger(people: pl.DataFrame) -> Iterator[Problem]:
    """Everyone has one signature in all versions."""
    signed = people.drop_nulls("signature")
    several = signed.group_by("person", "attribute").agg(pl.col("signature").n_unique())
    n = several.filter(pl.col("signature") > 1)["person"].n_unique()
    if n:
        yield Problem(of_number("{n} people have different signatures in different versions.", n))


def _latest(people: pl.DataFrame) -> pl.DataFrame:
    return people.filter(pl.col("release") == pl.col("release").max())


def _real(published: Published, n_counterfeits: int) -> Integers:
    """The published rows that belong to somebody."""
    return np.flatnonzero(published.origin < published.original.height - n_counterfeits)


def _check_present(
    published: Published, names: pl.Series, people: pl.DataFrame, n_counterfeits: int
) -> Iterator[Problem]:
    """The ledger has those who are published, and nobody else."""
    rows = published.origin[_real(published, n_counterfeits)]
    shown = set(names.gather(rows).unique())
    entered = set(_latest(people)["person"])
    if shown != entered:
        text = f"The ledger must have the {len(shown)} people who are published, but it has "
        yield Problem(f"{text}{len(entered)}, {len(entered - shown)} of whom are not published.")


def _check_signatures(
    published: Published,
    names: pl.Series,
    people: pl.DataFrame,
    signatures: Sequence[Mapping[str, frozenset[str | None]]],
    n_counterfeits: int,
) -> Iterator[Problem]:
    """Everyone's class, or bucket, has the values of their signature, and no others."""
    real = _real(published, n_counterfeits)
    owners = names.gather(published.origin[real])
    by_bucket = published.layout.keeps_secrets
    word = "buckets" if by_bucket else "classes"
    for name, least, ignored in _required(published):
        of_row, held, values = _groups(published, name)
        signed = _latest(people).filter(
            pl.col("attribute").eq_missing(pl.lit(name if by_bucket else None, pl.String))
        )
        there = pl.DataFrame({"person": owners, "group": of_row[real]}).filter(pl.col("group") > 0)
        pairs = there.unique().join(signed, on="person", how="left")
        if pairs["signature"].null_count():
            yield Problem(f"The ledger has people without a signature of {name!r}.")
        pairs = pairs.drop_nulls("signature").select("group", "signature").unique()
        used = pairs["signature"].unique().to_list()
        known = range(len(signatures))
        if any(place not in known or name not in signatures[place] for place in used):
            yield Problem(f"The ledger has signatures without values of {name!r}.")
            continue
        own = {place: signatures[place][name] for place in used}
        of_group, of_signature, missing = _codes(published, name, (held, values), own)
        wrong = [g for g, s in pairs.iter_rows() if of_group.get(g) != of_signature[s]]
        if wrong:
            text = f"{{n}} {word} have other values of {name!r} than their signature."
            yield Problem(of_number(text, len(wrong)))
        uncounted = {missing} if ignored else set()
        few = [place for place in used if len(of_signature[place] - uncounted) < least]
        if few:
            text = f"{{n}} signatures have fewer than {least} values of {name!r}."
            yield Problem(of_number(text, len(few)))
        if by_bucket and sum(map(len, of_group.values())) < len(held):
            yield Problem(f"Buckets of {name!r} have a value twice.")


def _groups(published: Published, name: str) -> tuple[Integers, Integers, pl.Series]:
    """The class or bucket of every published row (0: none), and those with each of their values."""
    if not published.layout.keeps_secrets:
        rows = published.origin
        of_row = published.classes[rows]
        return of_row, of_row, published.original[name].gather(rows).cast(pl.String)
    nothing = np.zeros(published.data.height, dtype=np.int64)
    if f"{name}{BUCKET}" not in published.data.columns:
        return nothing, nothing[:0], pl.Series([], dtype=pl.String)
    listing = published.tables[f"{TABLE}{name}"]
    return (
        read_counters(published.data[f"{name}{BUCKET}"]),
        read_counters(listing["BID"]),
        listing["value"].cast(pl.String),
    )


def _required(published: Published) -> Iterator[tuple[str, int, bool]]:
    """The attributes whose values must stay the same, with their l, and whether missing counts."""
    asked: list[Requirement] = [r for r in published.requirements if r.model == _DIVERSE]
    secrets = published.layout.keeps_secrets
    for attribute in published.schema.secret if secrets else published.schema.sensitive:
        own = [r for r in asked if r.parameters.get("attribute") in (None, attribute.name)]
        for requirement in own:
            ignored = requirement.parameters.get("missing") == "ignore"
            yield attribute.name, math.ceil(read_parameter(requirement, "l")), ignored


def _codes(
    published: Published,
    name: str,
    held: tuple[Integers, pl.Series],
    signatures: Mapping[int, frozenset[str | None]],
) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]], int | None]:
    """The values of every group and of every signature, as numbers that are the same for both.

    The third is the number of the missing value; None where there is none.
    """
    groups, cells = held
    listed = [(place, v) for place, values in signatures.items() for v in values]
    texts = pl.Series([value for _, value in listed], dtype=pl.String)
    read = read_values(pl.concat([cells.alias(""), texts.alias("")]), published.schema[name])
    codes = read.codes
    of_group: dict[int, set[int]] = {}
    for number, code in np.unique(
        np.stack([groups, codes[: len(groups)]], axis=1), axis=0
    ).tolist():
        of_group.setdefault(number, set()).add(code)
    of_signature: dict[int, set[int]] = {place: set() for place in signatures}
    for (place, _), code in zip(listed, codes[len(groups) :].tolist(), strict=True):
        of_signature[place].add(code)
    return (
        {g: frozenset(v) for g, v in of_group.items()},
        {s: frozenset(v) for s, v in of_signature.items()},
        read.n_values - 1 if read.has_missing else None,
    )


def _check_people(published: Published, n_counterfeits: int) -> Iterator[Problem]:
    """What is required of people holds without the counterfeits."""
    requirements = [r for r in published.requirements if r.model in _OF_PEOPLE]
    if not n_counterfeits or not requirements:
        return
    _, vectors, n_vectors = check_quasi(published)
    classes = published_classes(published, vectors, n_vectors)
    rows = _real(published, n_counterfeits)
    n_empty = len(classes) - len(np.unique(classes.of_row[rows]))
    if n_empty:
        # Nobody can be judged there, and a check takes it that every class has a row.
        yield Problem(of_number("{n} classes have rows of counterfeits only.", n_empty))
        return
    people = None if classes.people is None else classes.people[rows]
    alone = replace(classes, rows=classes.rows[rows], of_row=classes.of_row[rows], people=people)
    for verdict in judge(alone, requirements):
        if verdict.holds is not True:
            yield Problem(f"{verdict.requirement} does not hold without the counterfeits.")
