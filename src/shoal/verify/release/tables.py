"""The two questions that the verifier answers about tables in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import DataError, Problem, VerificationError
from shoal.reading.encoding import (
    Codes,
    Integers,
    combine_codes,
    encode_rows,
    encode_text,
    has_text_form,
)
from shoal.schema import Layout, Requirement, Schema, Verdict
from shoal.verify.model.requirement import judge
from shoal.verify.secret.guarantee import verify_secrets
from shoal.verify.secret.leak import Leak
from shoal.verify.secret.symbol import check_symbols, find_leaks, refuse_symbols
from shoal.verify.text.classes import Classes, encode_cells
from shoal.verify.text.halves import check_halves
from shoal.verify.text.people import check_people
from shoal.verify.text.population import Population, count_fitting
from shoal.verify.text.published import Published
from shoal.verify.text.quasi import check_quasi, smallest_numbers
from shoal.verify.text.structure import (
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


def verify_release(published: Published) -> tuple[Verdict, ...]:
    """Check a release against the table it was made from, from its published text alone.

    Where rows belong to people, equal rows of a person are published once, by any one of them, and
    count once, in the distribution of the whole table too. Raises VerificationError, with every
    kind of finding, where the published tables are not what they claim to be. Otherwise returns one
    verdict per requirement and attribute; a requirement that does not hold is a verdict too.
    Classes are rows with equal published quasi-identifiers; where several class numbers coincide,
    the smallest stands for them.
    """
    layout = published.layout
    if published.ranges not in _RANGES:
        raise VerificationError(
            f"There is no independent check of ranges of form {published.ranges!r}."
        )
    if layout.keeps_secrets:
        if published.symbols or published.concealed or published.halves is not None:
            text = f"There is no independent check of symbols of form {str(layout)!r}."
            raise VerificationError(text)
        return verify_secrets(published)
    if (layout is Layout.LINKED) != (published.halves is not None):
        text = f"The two tables of a linked release do not fit the form {str(layout)!r}."
        raise VerificationError(text)
    return _verify_cells(published)


def _verify_cells(published: Published) -> tuple[Verdict, ...]:
    """Check a release in which every cell is in the row of its person."""
    problems = list(check_tables(published))
    unusable = check_integers(origin=published.origin, classes=published.classes)
    # Without the maps between rows and classes nothing else can be computed.
    if unusable or "data" not in published.tables:
        raise VerificationError([*problems, *unusable])
    problems += [*check_columns(published), *refuse_secrets(published)]
    unusable = [*check_map_shape(published), *refuse_symbols(published)]
    if unusable:
        raise VerificationError([*problems, *unusable])
    problems += [*check_rows(published), *check_suppression(published)]
    found, vectors, n_vectors = check_quasi(published)
    problems += [*found, *check_unchanged(published), *check_people(published)]
    problems += check_symbols(published)
    if published.halves is not None:
        problems += check_halves(published, published.halves)
    if problems:
        raise VerificationError(problems)
    classes = published_classes(published, vectors, n_vectors)
    if published.released_k is not None:
        classes = replace(classes, released_k=published.released_k[published.origin])
    return judge(classes, published.requirements)


def published_classes(published: Published, vectors: Codes, n_vectors: int) -> Classes:
    """Classes by published text; `vectors` is the quasi vector of every class number."""
    of_row, _ = published.dense_classes
    everyone = published.people.codes if published.people else None
    people = None if everyone is None else everyone[published.origin]
    of_vector = vectors[of_row]
    samples = np.empty(n_vectors, dtype=np.int64)
    samples[of_vector] = np.arange(len(of_vector))
    quasi = {a.name: published.cells(a) for a in published.schema.quasi}
    shown = published.data.select(name for own in quasi.values() for name in own)[samples]
    fitting = None
    if published.population is not None:
        fitting = count_fitting(shown, published.population, published.schema)
    return Classes(
        published.schema,
        published.original,
        published.origin,
        of_vector,
        smallest_numbers(published, vectors, n_vectors),
        people,
        everyone,
        counted=published.counted,
        shown=[encode_rows(shown, own)[0] for own in quasi.values()],
        fitting=fitting,
        whole=published.whole,
    )


def symbol_leaks(published: Published) -> Mapping[str, Leak]:
    """What the published symbols reveal of the values behind them, by attribute.

    The table is taken as it is; whether its symbols are true is for `verify_release` to say.
    """
    problems = check_integers(origin=published.origin, classes=published.classes)
    if problems:
        raise VerificationError(problems)
    problems = list(check_map_shape(published))
    present = set(published.data.columns) & set(published.original.columns)
    present &= {attribute.name for attribute in published.schema.sensitive}
    for name in published.symbols:
        if name not in present:
            problems.append(Problem(f"Column {name!r} must be a sensitive column of both tables."))
    if problems:
        raise VerificationError(problems)
    return find_leaks(published)


def check_table(
    frame: pl.DataFrame,
    schema: Schema,
    requirements: Sequence[Requirement],
    population: Population | None = None,
) -> tuple[tuple[Verdict, ...], Integers]:
    """Check the requirements on a table as it is, and number its classes as they appear.

    Cells of quasi-identifiers are taken as they are: missing is a value of its own, and numbers
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
    columns = [encode_cells(frame, attribute) for attribute in schema.quasi]
    codes, n_classes = combine_codes([(codes, n) for codes, n in columns], frame.height)
    first = np.empty(n_classes, dtype=np.int64)
    rows = np.arange(frame.height)
    first[codes[::-1]] = rows[::-1]
    place = np.empty(n_classes, dtype=np.int32)
    order = np.argsort(first)
    place[order] = np.arange(n_classes, dtype=np.int32)
    of_row = place[codes]
    people = encode_text(frame[schema.individual.column]).codes if schema.individual else None
    numbers = np.arange(1, n_classes + 1)
    samples = first[order]
    fitting = None
    if population is not None:
        shown = frame.select(a.name for a in schema.quasi)[samples]
        fitting = count_fitting(shown, population, schema)
    classes = Classes(
        schema, frame, rows, of_row, numbers, people, people,
        shown=[codes[samples] for codes, _ in columns], fitting=fitting,
    )  # fmt: skip
    verdicts = judge(classes, requirements)
    return verdicts, of_row.astype(np.int64) + 1


def _demand_columns(frame: pl.DataFrame, schema: Schema) -> None:
    required = [attribute.name for attribute in (*schema.quasi, *schema.sensitive)]
    if schema.individual:
        required.append(schema.individual.column)
    absent = [name for name in required if name not in frame.columns]
    problems = [Problem(f"Column {name!r} is not in the table.") for name in absent]
    problems += [
        Problem(f"Column {column.name!r} has cells that have no text form.")
        for column in frame
        if not has_text_form(column)
    ]
    if problems:
        raise DataError(problems)
