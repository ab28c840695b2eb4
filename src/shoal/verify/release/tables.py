"""The two questions that the verifier answers about tables in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import DataError, Problem, VerificationError
from shoal.reading.encoding import Codes, Integers, combine_codes, encode_text, has_text_form
from shoal.schema import Requirement, Schema, Verdict
from shoal.verify.model.requirement import judge
from shoal.verify.secret.guarantee import verify_secrets
from shoal.verify.secret.leak import Leak
from shoal.verify.secret.symbol import check_symbols, find_leaks, refuse_symbols
from shoal.verify.text.classes import Classes, as_they_are
from shoal.verify.text.halves import check_halves
from shoal.verify.text.people import check_people
from shoal.verify.text.quasi import check_quasi
from shoal.verify.text.structure import (
    Release,
    check_columns,
    check_integers,
    check_map_shape,
    check_rows,
    check_suppression,
    check_tables,
    refuse_secrets,
)
from shoal.verify.text.unchanged import check_unchanged

_RANGES = ("tight", "snapped", "columns")


def verify_release(
    tables: Mapping[str, pl.DataFrame],
    original: pl.DataFrame,
    origin: Integers,
    classes: Integers,
    schema: Schema,
    requirements: Sequence[Requirement],
    *,
    ranges: str = "tight",
    suppression_limit: float = 1.0,
    released_k: Integers | None = None,
    form: str = "plain",
    symbols: Mapping[str, str] | None = None,
    concealed: Mapping[str, int] | None = None,
    split: Mapping[str, pl.DataFrame] | None = None,
) -> tuple[Verdict, ...]:
    """Check a release against the table it was made from, from its published text alone.

    `origin[i]` is the input row of published row i, `classes[r]` the class number of input row r
    (-1: suppressed). Where rows belong to people, equal rows of a person are published once, by any
    one of them, and count once, in the distribution of the whole table too. Raises
    VerificationError, with every kind of finding, where the published table is not what it claims
    to be. Otherwise returns one verdict per requirement and attribute; a requirement that does not
    hold is a verdict too. Classes are rows with equal published quasi-identifiers; where several
    class numbers coincide, the smallest stands for them.
    `released_k[r]` is the k that the method says it released input row r under, if it says so.
    `form` is "plain", or "split" or "joined" where people hold cells secret: in buckets of their
    own tables, or of the same one.
    `symbols` tells how the sensitive attributes that people flag are shown: "by-flag", "interval"
    or "one-sided"; `concealed` the l that the symbols of an attribute must hide values by. `split`
    are the two tables "data" and "sensitive" that are published in place of the one, if they are.
    """
    symbols, concealed = symbols or {}, concealed or {}
    if ranges not in _RANGES:
        raise VerificationError(f"There is no independent check of ranges of form {ranges!r}.")
    if form != "plain":
        if symbols or concealed or split is not None:
            raise VerificationError(f"There is no independent check of symbols of form {form!r}.")
        return verify_secrets(
            tables,
            original,
            origin,
            classes,
            schema,
            requirements,
            ranges=ranges,
            form=form,
            suppression_limit=suppression_limit,
            released_k=released_k,
        )
    problems = list(check_tables(tables))
    unusable = check_integers(origin=origin, classes=classes)
    if unusable or "data" not in tables:
        raise VerificationError([*problems, *unusable])
    release = Release(tables["data"], original, origin, classes, schema, ranges)
    problems += [*check_columns(release), *refuse_secrets(release)]
    unusable = [*check_map_shape(release), *refuse_symbols(schema, symbols, concealed)]
    if unusable:
        raise VerificationError([*problems, *unusable])
    problems += check_rows(release)
    problems += check_suppression(release, suppression_limit)
    found, vectors, n_vectors = check_quasi(release)
    problems += [*found, *check_unchanged(release, symbols=symbols), *check_people(release)]
    problems += check_symbols(release, symbols, concealed)
    if split is not None:
        problems += check_halves(release, split)
    if problems:
        raise VerificationError(problems)
    found_classes = _published_classes(release, vectors, n_vectors)
    if released_k is not None:
        found_classes = replace(found_classes, released_k=released_k[origin])
    return judge(found_classes, requirements)


def _published_classes(release: Release, vectors: Codes, n_vectors: int) -> Classes:
    """Classes by published text; `vectors` is the quasi vector of every class number."""
    of_row, given = release.dense_classes
    numbers = np.full(n_vectors, np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(numbers, vectors, given)
    everyone = release.people.codes if release.people else None
    people = None if everyone is None else everyone[release.origin]
    return Classes(
        release.schema,
        release.original,
        release.origin,
        vectors[of_row],
        numbers,
        people,
        everyone,
        counted=release.counted,
    )


def symbol_leaks(
    table: pl.DataFrame,
    original: pl.DataFrame,
    origin: Integers,
    classes: Integers,
    schema: Schema,
    symbols: Collection[str],
) -> Mapping[str, Leak]:
    """What the published symbols of these attributes tell of the values behind them.

    The table is taken as it stands; whether its symbols are true is for `verify_release` to say.
    """
    problems = check_integers(origin=origin, classes=classes)
    if problems:
        raise VerificationError(problems)
    release = Release(table, original, origin, classes, schema, "tight")
    problems = list(check_map_shape(release))
    sensitive = {attribute.name for attribute in schema.sensitive}
    for name in symbols:
        if name not in sensitive or name not in table.columns or name not in original.columns:
            problems.append(Problem(f"Column {name!r} is no sensitive column of both tables."))
    if problems:
        raise VerificationError(problems)
    return find_leaks(release, symbols)


def check_table(
    frame: pl.DataFrame, schema: Schema, requirements: Sequence[Requirement]
) -> tuple[tuple[Verdict, ...], Integers]:
    """Check the requirements on a table as it is, and number its classes as they appear.

    Cells of quasi-identifiers are taken as they stand: missing is a value of its own, and numbers
    compare as numbers where the kind is numeric. Returns the verdicts, and the class number (from
    1) of every row.

    >>> from shoal.schema import Attribute, Role
    >>> schema = Schema((Attribute("town", Role.QUASI),))
    >>> frame = pl.DataFrame({"town": ["Ulm", "Bonn", "Ulm"]})
    >>> verdicts, numbers = check_table(frame, schema, [Requirement("k-anonymity", {"k": 2})])
    >>> verdicts[0].holds, verdicts[0].offending, numbers.tolist()
    (False, (2,), [1, 2, 1])
    """
    _demand_columns(frame, schema)
    columns = [as_they_are(frame, attribute) for attribute in schema.quasi]
    codes, n_classes = combine_codes([(codes, n) for codes, n in columns], frame.height)
    first = np.empty(n_classes, dtype=np.int64)
    rows = np.arange(frame.height)
    first[codes[::-1]] = rows[::-1]
    place = np.empty(n_classes, dtype=np.int32)
    place[np.argsort(first)] = np.arange(n_classes, dtype=np.int32)
    of_row = place[codes]
    people = encode_text(frame[schema.individual.column]).codes if schema.individual else None
    numbers = np.arange(1, n_classes + 1)
    verdicts = judge(Classes(schema, frame, rows, of_row, numbers, people, people), requirements)
    return verdicts, of_row.astype(np.int64) + 1


def _demand_columns(frame: pl.DataFrame, schema: Schema) -> None:
    wanted = [attribute.name for attribute in (*schema.quasi, *schema.sensitive)]
    if schema.individual:
        wanted.append(schema.individual.column)
    absent = [name for name in wanted if name not in frame.columns]
    problems = [Problem(f"Column {name!r} is not in the table.") for name in absent]
    problems += [
        Problem(f"Column {column.name!r} has cells that have no text form.")
        for column in frame
        if not has_text_form(column)
    ]
    if problems:
        raise DataError(problems)
