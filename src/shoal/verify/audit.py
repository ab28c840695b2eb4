"""What a written release proves by itself, and what it proves beside the original."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.schema import Attribute, Kind, Requirement, Schema, Verdict
from shoal.verify.classes import Classes
from shoal.verify.encoding import Codes, Integers, combine_codes, encode_text
from shoal.verify.files import check_manifest
from shoal.verify.requirement import judge

ALONE = "not checkable from the release alone"
UNMATCHED = "not checkable: missing values have no certain place in the original"
UNTOLD = "not checkable: the manifest does not tell the order or the tree of the values"


def verify_manifest(folder: Path) -> list[Problem]:
    """What is wrong with the files of a release beside its own manifest."""
    return check_manifest(folder)


def audit_table(
    data: pl.DataFrame,
    schema: Schema,
    requirements: Sequence[Requirement],
    original: pl.DataFrame | None = None,
) -> tuple[Verdict, ...]:
    """Count again what a published table reaches.

    Only sizes of classes can be told from the table alone; all else is a verdict with holds = None
    unless the original is there. Raises VerificationError where the published columns are not those
    of the schema, or a published sensitive value is not one of the original.
    """
    of_row, n_classes = _classes(data, schema)
    people = encode_text(data[schema.individual.column]).codes if schema.individual else None
    numbers = np.arange(1, n_classes + 1)
    verdicts: list[Verdict] = []
    for requirement in requirements:
        if requirement.model == "k-anonymity":
            rows = np.arange(data.height)
            alone = Classes(schema, data, rows, of_row, numbers, people)
            verdicts += judge(alone, [requirement])
            continue
        for attribute in _targets(schema, requirement):
            verdicts += _beside(
                data, schema, requirement, attribute, original, (of_row, numbers, people)
            )
    return tuple(verdicts)


def _classes(data: pl.DataFrame, schema: Schema) -> tuple[Codes, int]:
    """Rows with equal published quasi-identifiers, numbered."""
    names: list[str] = []
    for attribute in schema.quasi:
        ends = [f"{attribute.name}_low", f"{attribute.name}_high"]
        names += [attribute.name] if attribute.name in data.columns else ends
    others = [a.name for a in schema.published if a not in schema.quasi]
    people = [schema.individual.column] if schema.individual else []
    if sorted([*names, *others, *people]) != sorted(data.columns):
        raise VerificationError("The published columns are not those that the manifest lists.")
    coded = [encode_text(data[name]) for name in names]
    return combine_codes([(c.codes, c.n_codes) for c in coded], data.height)


def _targets(schema: Schema, requirement: Requirement) -> tuple[Attribute, ...]:
    name = requirement.parameters.get("attribute")
    return tuple(a for a in schema.sensitive if name in (None, a.name))


def _beside(
    data: pl.DataFrame,
    schema: Schema,
    requirement: Requirement,
    attribute: Attribute,
    original: pl.DataFrame | None,
    classes: tuple[Codes, Integers, Codes | None],
) -> tuple[Verdict, ...]:
    """The verdict on one sensitive attribute, with the original's values if they are there."""
    of_row, numbers, people = classes
    single = Requirement(requirement.model, {**requirement.parameters, "attribute": attribute.name})
    if original is None:
        return (_open(requirement, attribute, ALONE),)
    if requirement.model == "t-closeness" and _untold(requirement, attribute):
        return (_open(requirement, attribute, UNTOLD),)
    if attribute.name not in original.columns:
        raise VerificationError(f"The original has no column {attribute.name!r}.")
    if data[attribute.name].null_count():
        return (_open(requirement, attribute, UNMATCHED),)
    rows = _match(data[attribute.name], original[attribute.name], attribute)
    beside = Classes(schema, original, rows, of_row, numbers, people)
    found = judge(beside, [single])
    return tuple(
        Verdict(str(requirement), v.holds, v.asked, v.reached, v.worst_class, v.offending,
                attribute.name, v.note) for v in found
    )  # fmt: skip


def _open(requirement: Requirement, attribute: Attribute, note: str) -> Verdict:
    asked = {k: v for k, v in requirement.parameters.items() if k in ("l", "alpha", "k", "t", "e")}
    threshold = next(iter(asked.values())) if len(asked) == 1 else asked
    return Verdict(str(requirement), None, threshold, attribute=attribute.name, note=note)


def _untold(requirement: Requirement, attribute: Attribute) -> bool:
    """Whether the distance needs an order or a tree that only the plan knows."""
    distance = requirement.parameters.get("distance")
    tree = attribute.hierarchy is not None and attribute.hierarchy.form in ("file", "tree")
    ordinal = attribute.kind == Kind.ORDINAL
    return (
        distance == "hierarchical"
        or (distance is None and tree)
        or (ordinal and distance != "equal")
    )


def _match(published: pl.Series, original: pl.Series, attribute: Attribute) -> Integers:
    """For every published cell a row of the original with the same value, no row twice."""
    sides = []
    for series, name in ((published, "place"), (original, "row")):
        value = series.cast(pl.String)
        if attribute.kind == Kind.NUMERIC:
            value = value.str.strip_chars().cast(pl.Float64, strict=False)
        side = pl.DataFrame({"value": value}).with_row_index(name)
        sides.append(side.with_columns(pl.int_range(pl.len()).over("value").alias("nth")))
    matched = sides[0].join(sides[1], on=["value", "nth"], how="left", maintain_order="left")
    lost = matched["row"].null_count()
    if lost:
        raise VerificationError(
            f"Column {attribute.name!r} has {lost} cells that are not values of the original."
        )
    return matched["row"].to_numpy().astype(np.int64)
