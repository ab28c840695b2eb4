"""What a written release with buckets proves by itself, and given the original.

Buckets show the original values, so what is required of them can be counted from the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.encoding import Integers, dense_codes
from shoal.schema import Attribute, Layout, Requirement, Schema, Verdict
from shoal.verify.model.identity import IDENTITY, demand_people
from shoal.verify.model.recount import (
    ALONE,
    COLUMNS,
    INVALID,
    NOTHING,
    PERSONAL,
    UNKNOWN,
    UNORDERED,
    Recount,
    has_distance,
    levels_by_size,
    open_verdict,
    targets_of,
)
from shoal.verify.model.requirement import CHECKS
from shoal.verify.release.original import compare_columns, demand_columns
from shoal.verify.secret.bucket import (
    check_buckets,
    check_names,
    classes_of_values,
    find_listing,
)
from shoal.verify.secret.rule import (
    OF_CROWDS,
    has_meaning,
    judge_buckets,
    judge_crowd,
    secret_targets,
)
from shoal.verify.secret.secret import (
    BUCKET,
    CLASS,
    Bucketed,
    check_numbers,
    check_patterns,
    encode_known,
    read_counters,
)
from shoal.verify.text.assignment import Shown, find_assignment, same_codes
from shoal.verify.text.classes import Classes
from shoal.verify.text.quasi import check_quasi, smallest_numbers
from shoal.verify.text.structure import of_number

UNREAD = "not checkable: the contents of its buckets cannot be read"


@dataclass(frozen=True)
class _Sight:
    """What the auditor sees: rows that look alike, classes by number, and the buckets."""

    by_vector: Classes
    by_class: Classes
    buckets: Mapping[str, Classes]
    unread: frozenset[str]


def audit_secrets(
    data: pl.DataFrame,
    schema: Schema,
    requirements: Sequence[Requirement],
    original: pl.DataFrame | None,
    ranges: str,
    buckets: Mapping[str, pl.DataFrame],
    n_entries: int,
) -> Recount:
    """Recount what a release with buckets reaches.

    The release alone shows the sizes of classes and what buckets hold, but not whose cells are
    secret. Given the original, no bucket may have a value that is not there, or more often
    than there; `n_entries` of the buckets are said to be nobody's. Raises DataError where the
    original lacks a column that is published.
    """
    if original is not None:
        demand_columns(original, schema)
    published = _as_bucketed(data, schema, original, ranges, buckets)
    if n_entries:
        # The manifest states only their sum, so those of each attribute are counted.
        published = replace(published, counterfeits=_count_entries(published))
    wrong = [*check_names(published), *compare_columns(published.columns(), data.columns)]
    if schema.individual is not None:
        # Such a release has no column of people, without whom their number cannot be counted.
        name = schema.individual.column
        wrong.append(Problem(f"Column {name!r} has people, which no release with buckets has."))
    if wrong:
        return Recount(_leave_open(schema, requirements, COLUMNS), tuple(wrong))
    uneven, vectors, n_vectors = check_quasi(published, encode_known)
    problems = [*check_numbers(published), *check_patterns(published), *uneven]
    problems += check_buckets(published, alone=True)
    counted = sum(published.counterfeits.values())
    if counted != n_entries:
        text = (
            f"The manifest claims {n_entries} counterfeit entries in buckets, but there are "
            f"{counted}."
        )
        problems.append(Problem(text))
    assigned = None
    if original is not None:
        held = bucket_contents(data, schema, ranges, buckets)
        assigned = find_assignment(Shown(data, original, schema, ranges, buckets=held))
        problems += [*assigned.problems, *_check_values(published, original)]
    of_row, numbers = published.dense_classes
    by_class = Classes(schema, data, published.origin, of_row, numbers)
    smallest = smallest_numbers(published, vectors, n_vectors)
    by_vector = replace(by_class, of_row=vectors[of_row], numbers=smallest)
    sight = _Sight(by_vector, by_class, *_buckets(published))
    verdicts: list[Verdict] = []
    for requirement in requirements:
        try:
            verdicts += list(_recount(sight, schema, requirement))
        except VerificationError as error:
            problems += error.problems
            verdicts += _open(schema, requirement, INVALID)
    return Recount(tuple(verdicts), tuple(problems), len(by_vector), assigned)


def _as_bucketed(
    data: pl.DataFrame,
    schema: Schema,
    original: pl.DataFrame | None,
    ranges: str,
    buckets: Mapping[str, pl.DataFrame],
) -> Bucketed:
    """The release as one whose rows are their own origin, in classes by their GID."""
    points = any(f"{a.name}{BUCKET}" in data.columns for a in schema.secret)
    layout = Layout.JOINED if points and not buckets else Layout.SPLIT
    source = original
    if source is None:
        # Only the names of its columns are looked at, since there is nothing to compare with.
        source = pl.DataFrame(schema={a.name: pl.String for a in schema.published})
    classes = np.zeros(data.height, dtype=np.int64)
    if CLASS in data.columns:
        classes = read_counters(data[CLASS])
    rows = np.arange(data.height)
    tables = {"data": data, **buckets}
    return Bucketed(tables, source, rows, classes, schema, (), ranges, layout)


def bucket_contents(
    data: pl.DataFrame, schema: Schema, ranges: str, buckets: Mapping[str, pl.DataFrame]
) -> dict[str, tuple[Integers, Integers, pl.Series]]:
    """By attribute the bucket of every row (-1: none), and the buckets with what they hold."""
    published = _as_bucketed(data, schema, None, ranges, buckets)
    held = {a.name: _held(published, a) for a in published.bucketised}
    return {name: found for name, found in held.items() if found is not None}


def _held(published: Bucketed, attribute: Attribute) -> tuple[Integers, Integers, pl.Series] | None:
    """The bucket of every row (-1: none), and what buckets hold; None where it cannot be read."""
    _, listing = find_listing(published, attribute)
    if listing is None:
        return None
    numbers = published.bids[attribute.name]
    of_all, _ = dense_codes(np.append(numbers, listing.bids))
    inside = np.where(numbers > 0, of_all[: len(numbers)], -1)
    return inside.astype(np.int64), of_all[len(numbers) :].astype(np.int64), listing.values


def _buckets(published: Bucketed) -> tuple[dict[str, Classes], frozenset[str]]:
    """The buckets of every attribute as they are published, and those that cannot be read."""
    found, unread = {}, set()
    for attribute in published.bucketised:
        _, listing = find_listing(published, attribute)
        if listing is None:
            unread.add(attribute.name)
        else:
            found[attribute.name] = classes_of_values(attribute, listing.bids, listing.values)
    return found, frozenset(unread)


def _check_values(published: Bucketed, original: pl.DataFrame) -> Iterator[Problem]:
    """No value is in buckets more often than in the original, entries of nobody aside."""
    for attribute in published.bucketised:
        _, listing = find_listing(published, attribute)
        if listing is None:
            continue
        there, held, n_codes = same_codes(original[attribute.name], listing.values, attribute)
        n_there, n_held = (np.bincount(codes, minlength=n_codes) for codes in (there, held))
        n_over = int(np.count_nonzero(n_held > n_there))
        n_beyond = int(np.maximum(n_held - n_there, 0).sum())
        if n_beyond > published.counterfeits.get(attribute.name, 0):
            yield Problem(
                of_number(
                    f"{{n}} values of {attribute.name!r} are in buckets more often than in the "
                    "original.",
                    n_over,
                )
            )


def _count_entries(published: Bucketed) -> dict[str, int]:
    """By attribute how many entries its buckets have beyond their rows."""
    found = {}
    for attribute in published.bucketised:
        _, listing = find_listing(published, attribute)
        if listing is not None:
            n_rows = int(np.count_nonzero(published.bids[attribute.name] > 0))
            found[attribute.name] = max(len(listing.bids) - n_rows, 0)
    return found


def _recount(sight: _Sight, schema: Schema, requirement: Requirement) -> Iterator[Verdict]:
    if requirement.model in IDENTITY:
        demand_people(sight.by_class, requirement)
    targets = secret_targets(schema, requirement)
    if requirement.model == "multi-level-k":
        yield levels_by_size(sight.by_class, requirement)
    elif requirement.model in OF_CROWDS:
        yield judge_crowd(sight.by_vector, sight.by_class, requirement)
    elif requirement.model not in CHECKS:
        yield from _open(schema, requirement, UNKNOWN)
    elif targets:
        for attribute in targets:
            yield _recount_buckets(sight, requirement, attribute)
    else:
        known = targets_of(schema, requirement)
        yield from _open(schema, requirement, ALONE if known else NOTHING)


def _recount_buckets(sight: _Sight, requirement: Requirement, attribute: Attribute) -> Verdict:
    note = None
    if not has_meaning(requirement):
        note = UNKNOWN
    elif attribute.name in sight.unread:
        note = UNREAD
    elif requirement.model == "t-closeness" and attribute.name in sight.buckets:
        known = has_distance(attribute, requirement.parameters.get("distance"))
        note = None if known else UNORDERED
    if note is not None:
        return open_verdict(requirement, attribute.name, note)
    shared = {k: v for k, v in requirement.parameters.items() if k != "personal"}
    verdict = judge_buckets(sight.buckets, attribute, Requirement(requirement.model, shared), {})
    verdict = replace(verdict, requirement=str(requirement))
    personal = requirement.parameters.get("personal") is not None
    if personal and verdict.holds and attribute.name in sight.buckets:
        # Somebody may require a larger l, which is not published.
        return open_verdict(requirement, attribute.name, PERSONAL)
    return verdict


def _leave_open(
    schema: Schema, requirements: Sequence[Requirement], note: str
) -> tuple[Verdict, ...]:
    return tuple(v for requirement in requirements for v in _open(schema, requirement, note))


def _open(schema: Schema, requirement: Requirement, note: str) -> list[Verdict]:
    """A verdict for each attribute of a requirement that says why there is none."""
    targets: tuple[Attribute, ...] = ()
    if requirement.model in CHECKS and requirement.model not in OF_CROWDS:
        targets = secret_targets(schema, requirement) or targets_of(schema, requirement)
    names: list[str | None] = [a.name for a in targets]
    return [open_verdict(requirement, name, note) for name in names or [None]]
