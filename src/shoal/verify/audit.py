"""What a written release proves by itself, and what it proves beside the original."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.schema import Attribute, Kind, Requirement, Role, Schema, Verdict
from shoal.verify.beside import comparable, match_rows, refuse_lacking
from shoal.verify.classes import Classes
from shoal.verify.closeness import default_distance
from shoal.verify.encoding import Flags, Integers, combine_codes, encode_text
from shoal.verify.files import check_manifest
from shoal.verify.identity import IDENTITY, demand_people, largest_person
from shoal.verify.requirement import CHECKS, judge
from shoal.verify.structure import report_rows
from shoal.verify.verdict import read_parameter

ALONE = "not checkable from the release alone"
MISSING = "not checkable: what counts as missing in the original is not known"
REPEATED = "not checkable: which rows of the original repeat one of the same person is not known"
UNTOLD = "not checkable: the manifest does not tell the order or the tree of the values"
UNLIKE = "not checkable: the published values are not those of the original"
COLUMNS = "not checkable: the published columns are not those of the manifest"
BUCKETS = "not checkable: the audit does not follow values into tables of their own"
PERSONAL = "not checkable: the sensitivities of people are not published"
UNKNOWN = "not checkable: this version has no check of its own for it"
NOTHING = "not checkable: no published column is the one that it is about"
SENSELESS = "not checkable: its parameters make no sense"

_OF_SIZES = ("k-anonymity", "ir-k")
_OF_CLASSES = (*_OF_SIZES, "multi-level-k")
_THRESHOLDS = ("l", "alpha", "beta", "k", "t", "e")


@dataclass(frozen=True)
class Recount:
    """What a published table reaches: verdicts, what is wrong with it, and how many classes.

    `n_unseen` is how many different rows of the original, at least, no published row is like in its
    unchanged values: these can only have been suppressed. None where that is not known.
    """

    verdicts: tuple[Verdict, ...]
    problems: tuple[Problem, ...] = ()
    n_classes: int | None = None
    n_unseen: int | None = None


@dataclass(frozen=True)
class _Sight:
    """What the auditor sees: the published classes and, beside the original, where each row is.

    `rows` are rows of the original with the same values; None where the two do not fit.
    `n_repeated` rows of it are said to repeat a published or suppressed one of the same person.
    """

    classes: Classes
    original: pl.DataFrame | None
    rows: Integers | None
    n_repeated: int = 0


def verify_manifest(folder: Path) -> list[Problem]:
    """What is wrong with the files of a release beside its own manifest."""
    return check_manifest(folder)


def audit_table(
    data: pl.DataFrame,
    schema: Schema,
    requirements: Sequence[Requirement],
    original: pl.DataFrame | None = None,
    ranges: str = "tight",
    n_repeated: int = 0,
) -> Recount:
    """Count again what a published table reaches.

    From the table alone only sizes of classes can be told; all else is a verdict with holds = None
    unless the original is there and every published row finds a row of it with the same values.
    Equal rows of a person are published once: `n_repeated` rows of the original are said to be such
    repeats. Raises DataError where the original lacks a column that is published.
    """
    wrong = list(_check_columns(data, schema, ranges))
    if wrong:
        return Recount(leave_open(schema, requirements, COLUMNS), tuple(wrong))
    if _bucketised(data, schema):
        return Recount(leave_open(schema, requirements, BUCKETS))
    classes = _classes(data, schema, ranges)
    problems = list(_check_people(classes))
    rows, n_unseen = None, None
    if original is not None:
        refuse_lacking(original, schema)
        rows, n_unseen, unlike = match_rows(data, original, schema)
        problems += unlike
    sight = _Sight(classes, original, rows, n_repeated)
    verdicts = []
    for requirement in requirements:
        try:
            verdicts += list(_recount(sight, requirement))
        except VerificationError as error:
            problems += error.problems
            verdicts += list(_open(schema, requirement, SENSELESS))
    return Recount(tuple(verdicts), tuple(problems), len(classes), n_unseen)


def leave_open(
    schema: Schema, requirements: Sequence[Requirement], note: str
) -> tuple[Verdict, ...]:
    """A verdict for each requirement and attribute that says why there is none."""
    return tuple(v for requirement in requirements for v in _open(schema, requirement, note))


def _check_columns(data: pl.DataFrame, schema: Schema, ranges: str) -> Iterator[Problem]:
    wanted = [] if schema.individual is None else [schema.individual.column]
    for attribute in schema.published:
        bucket = f"{attribute.name}_BID"
        own = _cells(attribute, ranges)
        if bucket in data.columns:
            own = [*(name for name in own if name in data.columns), bucket]
        wanted += own
    for name in wanted:
        if name not in data.columns:
            yield Problem(f"Column {name!r} is in the manifest and not in the table.")
    for name in data.columns:
        if name not in wanted:
            yield Problem(f"Column {name!r} is in the table and not in the manifest.")


def _cells(attribute: Attribute, ranges: str) -> list[str]:
    """The columns in which an attribute is published."""
    numbers = attribute.kind is Kind.NUMERIC and attribute.hierarchy is None
    if attribute.role is Role.QUASI and ranges == "columns" and numbers:
        return [f"{attribute.name}_low", f"{attribute.name}_high"]
    return [attribute.name]


def _bucketised(data: pl.DataFrame, schema: Schema) -> bool:
    semi = any(a.role is Role.SEMI_SENSITIVE for a in schema.published)
    return semi or any(f"{a.name}_BID" in data.columns for a in schema.published)


def _classes(data: pl.DataFrame, schema: Schema, ranges: str) -> Classes:
    """Rows with equal published quasi-identifiers, numbered."""
    names = [name for attribute in schema.quasi for name in _cells(attribute, ranges)]
    coded = [encode_text(data[name]) for name in names]
    of_row, n_classes = combine_codes([(c.codes, c.n_codes) for c in coded], data.height)
    people = encode_text(data[schema.individual.column]).codes if schema.individual else None
    numbers = np.arange(1, n_classes + 1 if data.height else 1)
    return Classes(schema, data, np.arange(data.height), of_row, numbers, people)


def _check_people(classes: Classes) -> Iterator[Problem]:
    """Every row has a person, a person is in one class, and no two rows of theirs are equal."""
    if classes.people is None or classes.schema.individual is None:
        return
    name = classes.schema.individual.column
    yield from report_rows(
        f"{{n}} rows have no {name}", classes.table[name].is_null().to_numpy().astype(np.bool_)
    )
    named = classes.table[name].is_not_null().to_numpy().astype(np.bool_)
    people, of_row = classes.people[named], classes.of_row[named]
    first = np.zeros(int(people.max(initial=0)) + 1, dtype=np.int32)
    first[people] = of_row
    # Which of a person's rows is at fault cannot be told, only whose they are.
    n_torn = len(np.unique(people[first[people] != of_row]))
    if n_torn:
        who = "person has" if n_torn == 1 else "people have"
        yield Problem(f"{n_torn} {who} rows with the same {name} in several classes.")
    coded = [encode_text(column) for column in classes.table]
    rows, n_rows = combine_codes([(c.codes, c.n_codes) for c in coded], classes.table.height)
    earliest = np.empty(n_rows, dtype=np.int64)
    earliest[rows[::-1]] = np.arange(len(rows))[::-1]
    again = named & (earliest[rows] != np.arange(len(rows)))
    yield from report_rows(f"{{n}} rows repeat another row of the same {name}", again)


def _recount(sight: _Sight, requirement: Requirement) -> Iterator[Verdict]:
    schema = sight.classes.schema
    if requirement.model in IDENTITY:
        demand_people(sight.classes, requirement)
    if requirement.model in _OF_SIZES:
        yield from judge(sight.classes, [requirement])
    elif requirement.model == "multi-level-k":
        yield _personal(sight.classes, requirement)
    elif requirement.model not in CHECKS:
        yield from _open(schema, requirement, UNKNOWN)
    else:
        targets = _targets(schema, requirement)
        for attribute in targets:
            yield _beside(sight, requirement, attribute)
        if not targets:
            yield from _open(schema, requirement, NOTHING)


def _targets(schema: Schema, requirement: Requirement) -> tuple[Attribute, ...]:
    name = requirement.parameters.get("attribute")
    if name is None:
        return schema.sensitive
    return tuple(a for a in schema.of(Role.SENSITIVE, Role.INSENSITIVE) if a.name == name)


def _personal(classes: Classes, requirement: Requirement) -> Verdict:
    """Multi-level k, where the sizes decide it whatever people asked for."""
    levels = requirement.parameters.get("levels")
    pairs = [x["k"] if isinstance(x, dict) and "k" in x else x for x in levels or ()]
    whole = [k for pair in pairs if isinstance(pair, list) for k in pair if type(k) is int]
    if not isinstance(levels, list) or not levels or len(whole) != 2 * len(levels):
        raise VerificationError("The 'levels' parameter of multi-level-k must be a list of pairs.")
    name, asked = str(requirement), {"k": max(whole)}
    if not len(classes):
        return Verdict(name, False, asked, note="no rows")
    sizes = classes.n_people
    small = classes.numbers[sizes < min(whole)]
    if len(small):
        note = "a class is below the least that any level asks for"
        return Verdict(name, False, asked, offending=tuple(small.tolist()), note=note)
    if sizes.min() >= max(whole) and not any(isinstance(x, dict) for x in levels):
        return Verdict(name, True, asked, note="every class has the most that any level asks for")
    return Verdict(name, None, asked, note=PERSONAL)


def _beside(sight: _Sight, requirement: Requirement, attribute: Attribute) -> Verdict:
    """The verdict on one sensitive attribute, with the original's values if they are there."""
    classes = sight.classes
    note = _obstacle(sight, requirement, attribute) if len(classes) else None
    if note is not None:
        return _by_size(classes, requirement, attribute, note)
    # Where there are repeats and nothing is suppressed, the published table itself is the whole.
    whole = requirement.model == "t-closeness" and not sight.n_repeated
    if whole and sight.original is not None and sight.rows is not None:
        classes = replace(classes, table=sight.original, rows=sight.rows, _latest={})
    single = Requirement(requirement.model, {**requirement.parameters, "attribute": attribute.name})
    (verdict,) = judge(classes, [single])
    return replace(verdict, requirement=str(requirement))


def _by_size(
    classes: Classes, requirement: Requirement, attribute: Attribute, note: str
) -> Verdict:
    """An open verdict, unless a class is too small for the requirement whatever its values are."""
    verdict = next(_open(classes.schema, requirement, note))
    verdict = replace(verdict, attribute=attribute.name)
    lost = _lost_by_size(classes, requirement)
    if not lost.any():
        return verdict
    note = "a class has too few rows, whatever their values are"
    if requirement.model in IDENTITY:
        note = "a class has too few rows or people, or too many rows of one, whatever their values"
    return replace(verdict, holds=False, offending=tuple(classes.numbers[lost].tolist()), note=note)


def _lost_by_size(classes: Classes, requirement: Requirement) -> Flags:
    """Which classes fail for certain: no more values than rows, none in less than one of them."""

    def limit(name: str) -> float:
        return read_parameter(requirement, name)

    people, rows = classes.n_people, classes.n_rows
    lost: dict[str, Callable[[], Flags]] = {
        "l-diversity": lambda: rows < limit("l"),
        "k-e": lambda: rows < limit("k"),
        "alpha-k": lambda: people < limit("k"),
        "ir-kl": lambda: (people < limit("k")) | (rows < limit("l")),
        "eir-l": lambda: people < limit("l"),
        "ir-alpha-beta": lambda: (
            ~(largest_person(classes) <= limit("alpha")) | ~(1 / rows <= limit("beta"))
        ),
        "eir-alpha-beta": lambda: (
            ~(largest_person(classes) <= limit("alpha")) | ~(1 / people <= limit("beta"))
        ),
    }
    find = lost.get(requirement.model, lambda: np.zeros(len(classes), dtype=np.bool_))
    return find()


def _obstacle(sight: _Sight, requirement: Requirement, attribute: Attribute) -> str | None:
    """Why a requirement of values cannot be counted again; None where it can."""
    if sight.original is None:
        return ALONE
    if sight.rows is None:
        return UNLIKE
    published = sight.classes.table[attribute.name]
    if published.null_count():
        return MISSING
    if requirement.model == "t-closeness":
        if sight.n_repeated and published.len() + sight.n_repeated != sight.original.height:
            return REPEATED
        if not _is_told(attribute, requirement.parameters.get("distance")):
            return UNTOLD
        # A value that only suppressed rows have may be one that the plan takes as missing.
        source = sight.original[attribute.name]
        shown, all_of_it = (
            comparable(cells, attribute, source.dtype).unique() for cells in (published, source)
        )
        if not all_of_it.is_in(shown.implode(), nulls_equal=True).all():
            return MISSING
    return None


def _is_told(attribute: Attribute, distance: str | None) -> bool:
    """Whether the manifest tells all that the distance between values needs."""
    distance = distance or default_distance(attribute)
    line = attribute.kind in (Kind.NUMERIC, Kind.DATE)
    return attribute.kind is not None and (distance == "equal" or (distance == "ordered" and line))


def _open(schema: Schema, requirement: Requirement, note: str) -> Iterator[Verdict]:
    of_values = requirement.model in CHECKS and requirement.model not in _OF_CLASSES
    targets = _targets(schema, requirement) if of_values else ()
    asked = {k: v for k, v in requirement.parameters.items() if k in _THRESHOLDS}
    threshold = next(iter(asked.values())) if len(asked) == 1 else asked or None
    names: list[str | None] = [a.name for a in targets]
    for name in names or [None]:
        yield Verdict(str(requirement), None, threshold, attribute=name, note=note)
