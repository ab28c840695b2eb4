"""What a written release proves by itself, and what it proves given the original."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.encoding import encode_rows, encode_text, first_places
from shoal.reading.label import STAR
from shoal.schema import Attribute, Kind, Requirement, Role, Schema, Verdict
from shoal.verify.model.identity import IDENTITY, demand_people
from shoal.verify.model.recount import (
    ALONE,
    BUCKETS,
    COLUMNS,
    INVALID,
    LINKED,
    NOTHING,
    OF_POPULATION,
    OF_SIZES,
    OF_WHOLE,
    REPEATED,
    SYMBOLS,
    UNASSIGNED,
    UNKNOWN,
    UNLIKE,
    UNORDERED,
    Recount,
    crowds_by_size,
    has_distance,
    leave_open,
    levels_by_size,
    lost_by_size,
    open_verdicts,
    targets_of,
    without_counterfeits,
)
from shoal.verify.model.requirement import CHECKS, judge
from shoal.verify.release.audit_secret import audit_secrets
from shoal.verify.release.original import compare_columns, demand_columns
from shoal.verify.text.assignment import Assignment, Shown, find_assignment
from shoal.verify.text.classes import Classes
from shoal.verify.text.halves import check_gids, join_halves
from shoal.verify.text.structure import of_number, report_rows


@dataclass(frozen=True)
class _Sight:
    """What the auditor sees: the published classes and, given the original, where each row is.

    `assigned` has a row of the original for every published one, where the original is given.
    `n_repeated` rows of it are said to repeat a published or suppressed one of the same person.
    `n_suppressed` rows are said to be left out, None where nothing is said. `symbols` are columns
    that do not show values; where `linked`, sensitive cells are in the rows of their class, and
    not of their person.
    """

    classes: Classes
    original: pl.DataFrame | None
    assigned: Assignment | None
    n_repeated: int
    n_suppressed: int | None
    symbols: Collection[str]
    linked: bool


def audit_table(
    data: pl.DataFrame,
    schema: Schema,
    requirements: Sequence[Requirement],
    original: pl.DataFrame | None = None,
    ranges: str = "tight",
    n_repeated: int = 0,
    buckets: Mapping[str, pl.DataFrame] | None = None,
    symbols: Collection[str] = (),
    sensitive: pl.DataFrame | None = None,
    n_suppressed: int | None = None,
    person: str | None = None,
    n_counterfeits: int = 0,
    whole: Mapping[str, pl.DataFrame] | None = None,
    n_entries: int = 0,
) -> Recount:
    """Recount what a published table reaches.

    The table alone shows the sizes of classes and the sensitive values that are published as they
    were; all else is a verdict with holds = None. Where the original is given, there must be a row
    of it for every published row, no row twice, that its labels cover and whose cells it shows.
    Equal rows of a person are published once: `n_repeated` rows of the original are said to be such
    repeats, and `n_suppressed` to be left out; distances to the whole table can be counted from the
    published one where that is none. Raises DataError where the original lacks a column that is
    published.
    `buckets` are the tables `buckets-<attribute>` of the release, by name; none of them where each
    bucket's values are in the table itself. Where it is None, buckets are not followed.
    `symbols` are the sensitive columns that do not show values. `sensitive` is the second table of
    a release in two, whose rows only the class (GID) links to those of the first. `person` is the
    column of people in the original. `n_counterfeits` published rows and `n_entries` of buckets are
    said to be nobody's. Where `data` is some classes of a larger table, `whole` has the different
    cells of its sensitive columns (`value`) and how often each occurs (`n`).
    """
    if buckets is not None and (_bucketised(data, schema) or buckets):
        return audit_secrets(data, schema, requirements, original, ranges, buckets, n_entries)
    problems: list[Problem] = []
    gids = None
    if sensitive is not None:
        joined = join_halves(data, sensitive, [a.name for a in schema.sensitive])
        problems += joined.problems
        if joined.table is None:
            return Recount(leave_open(schema, requirements, COLUMNS), joined.problems)
        data, gids = joined.table, joined.gids
    wrong = list(_check_columns(data, schema, ranges))
    if wrong:
        return Recount(leave_open(schema, requirements, COLUMNS), (*problems, *wrong))
    if _bucketised(data, schema):
        return Recount(leave_open(schema, requirements, BUCKETS))
    # A column that may show symbols but shows only values can be counted.
    symbols = [name for name in symbols if not _shows_values(data[name], schema[name], original)]
    classes = replace(_classes(data, schema, ranges), whole=whole or {})
    problems += _check_people(classes, repeats=not symbols and gids is None)
    if gids is not None:
        problems += check_gids(gids, classes.of_row)
    assigned = None
    if original is not None:
        demand_columns(original, schema)
        people = None if schema.individual is None else (schema.individual.column, person)
        assigned = find_assignment(
            Shown(
                data,
                original,
                schema,
                ranges,
                symbols,
                people,
                gids is not None,
                n_counterfeits=n_counterfeits,
            )
        )
        problems += assigned.problems
    linked = gids is not None and schema.individual is not None
    # Whose row is whose is not known then, but all that counts is in the table itself.
    original = None if n_counterfeits else original
    sight = _Sight(classes, original, assigned, n_repeated, n_suppressed, symbols, linked)
    verdicts = []
    for requirement in requirements:
        try:
            verdicts += [
                without_counterfeits(classes, requirement, verdict, n_counterfeits)
                for verdict in _recount(sight, requirement)
            ]
        except VerificationError as error:
            problems += error.problems
            verdicts += list(open_verdicts(schema, requirement, INVALID))
    return Recount(tuple(verdicts), tuple(problems), len(classes), assigned)


def _shows_values(cells: pl.Series, attribute: Attribute, original: pl.DataFrame | None) -> bool:
    """Whether a column that may show symbols shows values only, so that they can be counted.

    A label that is the text of a value stands for it alone. Where there is no hierarchy, only the
    root is no value; else the original must have all that is shown.
    """
    texts = cells.cast(pl.String).unique().drop_nulls()
    if texts.is_in([STAR]).any():
        return False
    if attribute.hierarchy is None:
        return True
    if original is None or attribute.name not in original.columns:
        return False
    return bool(texts.is_in(original[attribute.name].cast(pl.String).unique().implode()).all())


def _check_columns(data: pl.DataFrame, schema: Schema, ranges: str) -> Iterator[Problem]:
    required = [] if schema.individual is None else [schema.individual.column]
    for attribute in schema.published:
        bucket = f"{attribute.name}_BID"
        own = _cells(attribute, ranges)
        if bucket in data.columns:
            own = [*(name for name in own if name in data.columns), bucket]
        required += own
    return compare_columns(required, data.columns)


def _cells(attribute: Attribute, ranges: str) -> list[str]:
    """The columns in which an attribute is published."""
    numbers = attribute.kind is Kind.NUMERIC and attribute.hierarchy is None
    if attribute.role in (Role.QUASI, Role.SEMI_SENSITIVE) and ranges == "columns" and numbers:
        return [f"{attribute.name}_low", f"{attribute.name}_high"]
    return [attribute.name]


def _bucketised(data: pl.DataFrame, schema: Schema) -> bool:
    semi = any(a.role is Role.SEMI_SENSITIVE for a in schema.published)
    return semi or any(f"{a.name}_BID" in data.columns for a in schema.published)


def _classes(data: pl.DataFrame, schema: Schema, ranges: str) -> Classes:
    """Rows with equal published quasi-identifiers, numbered."""
    names = [name for attribute in schema.quasi for name in _cells(attribute, ranges)]
    of_row, n_classes = encode_rows(data, names)
    samples = np.zeros(n_classes, dtype=np.int64)
    samples[of_row] = np.arange(data.height)
    shown = [encode_rows(data[samples], _cells(a, ranges))[0] for a in schema.quasi]
    people = encode_text(data[schema.individual.column]).codes if schema.individual else None
    numbers = np.arange(1, n_classes + 1)
    return Classes(schema, data, np.arange(data.height), of_row, numbers, people, shown=shown)


def _check_people(classes: Classes, repeats: bool) -> Iterator[Problem]:
    """Every row has a person, a person is in one class, and no two rows of theirs are equal.

    Without `repeats` the last is not checked: equal rows may stand for different ones.
    """
    if classes.people is None:
        return
    assert classes.schema.individual is not None
    name = classes.schema.individual.column
    yield from report_rows(
        f"{{n}} rows have no {name}", classes.table[name].is_null().to_numpy().astype(np.bool_)
    )
    named = classes.table[name].is_not_null().to_numpy().astype(np.bool_)
    people, of_row = classes.people[named], classes.of_row[named]
    first = np.zeros(int(people.max(initial=0)) + 1, dtype=np.int32)
    first[people] = of_row
    # Which of a person's rows is at fault is not known, only whose they are.
    n_split = len(np.unique(people[first[people] != of_row]))
    if n_split:
        text = f"{{n}} people have rows with the same {name} in several classes."
        yield Problem(of_number(text, n_split))
    if not repeats:
        return
    rows, n_rows = encode_rows(classes.table, classes.table.columns)
    again = named & (first_places(rows, n_rows)[rows] != np.arange(len(rows)))
    yield from report_rows(f"{{n}} rows repeat another row of the same {name}", again)


def _recount(sight: _Sight, requirement: Requirement) -> Iterator[Verdict]:
    schema = sight.classes.schema
    if requirement.model in IDENTITY:
        demand_people(sight.classes, requirement)
    if requirement.model in OF_SIZES:
        yield from judge(sight.classes, [requirement])
    elif requirement.model in OF_POPULATION:
        yield crowds_by_size(sight.classes, requirement)
    elif requirement.model == "multi-level-k":
        yield levels_by_size(sight.classes, requirement)
    elif requirement.model not in CHECKS:
        yield from open_verdicts(schema, requirement, UNKNOWN)
    else:
        targets = targets_of(schema, requirement)
        for attribute in targets:
            yield _judge_values(sight, requirement, attribute)
        if not targets:
            yield from open_verdicts(schema, requirement, NOTHING)


def _judge_values(sight: _Sight, requirement: Requirement, attribute: Attribute) -> Verdict:
    """The verdict on one sensitive attribute, with the original's values where they are known."""
    classes = sight.classes
    note = _obstacle(sight, requirement, attribute) if len(classes) else None
    if note is not None:
        return _by_size(classes, requirement, attribute, note)
    assigned = sight.assigned
    # Where there are repeats and nothing is suppressed, the published table itself is the whole.
    if assigned is not None and assigned.counted is None and sight.n_repeated:
        assigned = None
    if sight.original is not None and assigned is not None and assigned.rows is not None:
        classes = replace(
            classes,
            table=sight.original,
            rows=assigned.rows,
            counted=assigned.counted,
            # What was counted is of the published cells, not of the original ones.
            _latest={},
        )
    single = Requirement(requirement.model, {**requirement.parameters, "attribute": attribute.name})
    (verdict,) = judge(classes, [single])
    return replace(verdict, requirement=str(requirement))


def _by_size(
    classes: Classes, requirement: Requirement, attribute: Attribute, note: str
) -> Verdict:
    """An open verdict, unless a class is too small for the requirement whatever its values are."""
    verdict = next(open_verdicts(classes.schema, requirement, note))
    verdict = replace(verdict, attribute=attribute.name)
    lost = lost_by_size(classes, requirement)
    if not lost.any():
        return verdict
    note = "a class has too few rows, whatever their values"
    if requirement.model in IDENTITY:
        note = "a class has too few rows or people, or too many rows of one, whatever their values"
    return replace(verdict, holds=False, offending=tuple(classes.numbers[lost].tolist()), note=note)


def _obstacle(sight: _Sight, requirement: Requirement, attribute: Attribute) -> str | None:
    """Why a requirement of values cannot be recounted; None where it can."""
    if attribute.name in sight.symbols:
        return SYMBOLS
    if sight.linked:
        return LINKED
    if sight.original is None:
        return _obstacle_alone(sight, requirement, attribute)
    if sight.assigned is None or sight.assigned.rows is None:
        return UNLIKE if sight.assigned is None or sight.assigned.problems else UNASSIGNED
    if requirement.model in OF_WHOLE:
        whole = sight.classes.table.height + sight.n_repeated == sight.original.height
        if sight.n_repeated and sight.assigned.counted is None and not whole:
            return REPEATED
    return UNORDERED if _lacks_distance(requirement, attribute) else None


def _obstacle_alone(sight: _Sight, requirement: Requirement, attribute: Attribute) -> str | None:
    """The same without the original: rows that were left out count in distances to the whole."""
    if requirement.model in OF_WHOLE and sight.n_suppressed != 0:
        return ALONE
    if _lacks_distance(requirement, attribute):
        return UNORDERED
    unknown = requirement.model == "k-e" and attribute.kind is None
    return ALONE if unknown else None


def _lacks_distance(requirement: Requirement, attribute: Attribute) -> bool:
    """Whether t-closeness is required by a distance that the attribute does not have here."""
    distance = requirement.parameters.get("distance")
    return requirement.model == "t-closeness" and not has_distance(attribute, distance)
