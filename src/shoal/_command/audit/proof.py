"""With the private folder or the plan: ask the verifier of a run again, about the files.

The private folder has the row map, so nothing is left open. The plan has what labels cover and
who holds what secret, but not which row is whose: that is found by an assignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.audit.integrity import compare_requirements
from shoal._command.audit.own import Own, names_release
from shoal.errors import DataError, Problem, VerificationError
from shoal.folder.state import changed_files
from shoal.plan import Plan
from shoal.reading.encoding import encode_rows, encode_text
from shoal.reading.manifest import MANIFEST, Manifest
from shoal.schema import Attribute, Kind, Layout, Role, Schema, Verdict
from shoal.schema.wording import counted, model_of
from shoal.table import encode_column
from shoal.table.distinct import by_appearance
from shoal.verify import Assignment, Published, verify_release, verify_versions

_BY_ROW = "multi-level-k"
PublishedTables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Proof:
    """What the verifier finds: verdicts, None where it gives none, and what is wrong.

    `together` says whether this version keeps with the earlier ones what all of them promise; None
    where nothing is promised, or it cannot be told.
    """

    verdicts: tuple[Verdict, ...] | None
    problems: tuple[Problem, ...] = ()
    together: bool | None = None


def prove_by_map(
    own: Own,
    places: tuple[Path, Path],
    manifest: Manifest,
    tables: PublishedTables,
    original: pl.DataFrame,
) -> Proof:
    """Verify the files with the row map of a run, whose private folder and release `places` are."""
    problems = list(compare_requirements(manifest, own.requirements, "the private folder"))
    problems += [
        Problem("The private folder has a file that is not the one that the run wrote.", name)
        for name in changed_files(places[0])
    ]
    if not names_release(*places):
        text = "The manifest is not the one that the private folder belongs to."
        hint = "Is it the private folder that was written with this release?"
        problems.append(Problem(text, MANIFEST, hint))
    if (manifest.form, manifest.ranges) != (own.layout, own.ranges):
        text = "The release does not have the form in which its run wrote it."
        problems.append(Problem(text, MANIFEST))
        return Proof(None, tuple(problems))
    if original.height != len(own.classes):
        rows = counted(original.height, "row")
        text = f"The original has {rows}, but the run read {len(own.classes):,}."
        problems.append(Problem(text, hint="Is it the table that the release was made from?"))
        return Proof(None, tuple(problems))
    data = _as_verified(tables["data"], own.schema, own.ranges)
    halves = None
    shown = {"data": data} | _buckets(tables, own.schema, original)
    if own.layout is Layout.LINKED:
        if own.whole is None or "sensitive" not in tables:
            return Proof(None, (*problems, Problem("One of the two tables is not there.")))
        halves = {"data": data, "sensitive": _as_verified(tables["sensitive"], own.schema, "")}
        shown = {"data": own.whole}
    published = Published(
        shown,
        original,
        own.origin,
        own.classes,
        own.schema,
        own.requirements,
        ranges=own.ranges,
        layout=own.layout,
        suppression_limit=own.suppression_limit,
        released_k=own.released_k,
        symbols=own.symbols,
        concealed=own.concealed,
        halves=halves,
        described_by=own.described_by,
        counterfeits=own.entries,
    )
    proof = _verify(published)
    if manifest.republish is not None and proof.verdicts is not None:
        broken = tuple(_check_versions(own, published))
        proof = replace(proof, problems=broken, together=not broken)
    return replace(proof, problems=(*problems, *proof.problems))


def _check_versions(own: Own, published: Published) -> Iterator[Problem]:
    """What this version and the ledger of all versions have against each other."""
    if own.ledger is None or own.person not in published.original.columns:
        yield Problem(
            "The release promises to hold together with earlier versions, but the private folder "
            "has no ledger of them.",
            hint="Is it the private folder that was written with this release?",
        )
        return
    assert own.person is not None
    names = published.original[own.person].cast(pl.String)
    ledger, n_made_up = own.ledger, own.counterfeits.height
    try:
        verify_versions(published, names, ledger.people, ledger.signatures, n_made_up)
    except VerificationError as error:
        yield from error.problems


def prove_by_plan(
    plan: Plan,
    schema: Schema,
    manifest: Manifest,
    tables: PublishedTables,
    original: pl.DataFrame,
    assigned: Assignment,
) -> Proof:
    """Verify the files with the plan, and the rows that an assignment found."""
    problems = list(compare_plan(plan, schema, manifest))
    if assigned.rows is None or problems or manifest.form is not Layout.PLAIN:
        return Proof(None, tuple(problems))
    # Which cells a flag hides, and which row is a person's first, is the run's own secret.
    chosen = schema.individual is not None and schema.individual.conflict == "first"
    if chosen or manifest.flagged:
        return Proof(None)
    data = _as_verified(tables["data"], schema, plan.ranges)
    published = Published(
        {"data": data},
        original,
        assigned.rows,
        _classes(data, original, schema, assigned.rows),
        schema,
        plan.requirements,
        ranges=plan.ranges,
        suppression_limit=plan.suppression_limit,
    )
    proof = _verify(published)
    # People whom the same rows can be may require different k, and any of them may be assigned.
    sure = [v for v in proof.verdicts or () if v.holds or model_of(v.requirement) != _BY_ROW]
    return replace(proof, verdicts=tuple(sure))


def _verify(published: Published) -> Proof:
    try:
        return Proof(verify_release(published))
    except VerificationError as error:
        return Proof(None, tuple(error.problems))


def compare_plan(plan: Plan, schema: Schema, manifest: Manifest) -> list[Problem]:
    """What the manifest says that the plan does not, or the other way round."""
    problems = list(compare_requirements(manifest, plan.requirements, "the plan"))
    pairs: list[tuple[str, object, object]] = [
        ("method", manifest.method, plan.method.name),
        ("ranges", manifest.ranges, plan.ranges),
        ("form", manifest.form, plan.method.layout),
        ("individual", manifest.individual, schema.individual and schema.individual.column),
    ]
    said = {c.name: c for c in manifest.columns if c.role != "person"}
    for a in schema.published:
        column = said.pop(a.name, None)
        role = None if column is None else column.role
        marks = () if column is None else column.missing or ()
        pairs += [
            (f"role of {a.name!r}", role, a.role),
            (f"missing of {a.name!r}", marks, a.missing),
        ]
    pairs += [(f"role of {name!r}", column.role, None) for name, column in said.items()]
    problems += [
        Problem(f"The manifest does not have what the plan says: {what}.", MANIFEST)
        for what, one, other in pairs
        if one != other
    ]
    return problems


def schema_by_plan(plan: Plan, original: pl.DataFrame) -> Schema:
    """The attributes as the plan declares them, with the kinds that the original shows.

    Raises DataError where the original lacks a column or its cells do not fit.
    """
    absent = [a.name for a in plan.schema.published if a.name not in original.columns]
    if absent:
        raise DataError(Problem(f"The original has no column {name!r}.") for name in absent)
    attributes = tuple(_with_kind(a, original) for a in plan.schema.attributes)
    schema = replace(plan.shown_schema, attributes=attributes)
    return schema.without_hierarchies() if plan.method.sheds_hierarchies else schema


def _with_kind(attribute: Attribute, original: pl.DataFrame) -> Attribute:
    coded = (Role.QUASI, Role.SENSITIVE, Role.SEMI_SENSITIVE)
    if attribute.kind is not None or attribute.role not in coded:
        return attribute
    return encode_column(original[attribute.name], attribute).attribute


def _as_verified(table: pl.DataFrame, schema: Schema, ranges: str) -> pl.DataFrame:
    """The table as the verifier sees it before it is written: text, and ends as numbers."""
    ends = {
        f"{a.name}_{end}"
        for a in schema.quasi
        if ranges == "columns" and a.kind is Kind.NUMERIC and a.hierarchy is None
        for end in ("low", "high")
    }
    return table.select(
        table[name].cast(pl.Float64 if name in ends else pl.String, strict=False)
        for name in table.columns
    )


def _buckets(
    tables: PublishedTables, schema: Schema, original: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """The tables of buckets, their values of the original's type where they can be."""
    found = {}
    for a in schema.secret:
        table = tables.get(f"buckets-{a.name}")
        if table is None:
            continue
        table = table.select(table[n].cast(pl.String) for n in table.columns)
        if "value" in table.columns:
            value = table["value"].cast(original[a.name].dtype, strict=False)
            if value.null_count() == table["value"].null_count():
                table = table.with_columns(value)
        found[f"buckets-{a.name}"] = table
    return found


def _classes(
    data: pl.DataFrame, original: pl.DataFrame, schema: Schema, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """A number for the class of every row of the original, as they appear; -1: left out."""
    labels = {f"{a.name}{end}" for a in schema.quasi for end in ("", "_low", "_high")}
    vectors, n_vectors = encode_rows(data, [name for name in data.columns if name in labels])
    classes = np.full(original.height, -1, dtype=np.int64)
    classes[rows] = by_appearance(vectors, n_vectors)[vectors] + 1
    if schema.individual is None:
        return classes
    people = encode_text(original[schema.individual.column])
    of_person = np.full(people.n_codes, -1, dtype=np.int64)
    of_person[people.codes[rows]] = classes[rows]
    found: NDArray[np.int64] = of_person[people.codes]
    return found
