"""All that a manifest states beside the tables follows from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._command.audit.statement import check_statement, state_again
from shoal.reading.manifest import Manifest
from shoal.reading.table import read_table
from tests._command.audit.forge import Forged, copied, patients, sample, texts


def leaves(part: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from leaves(value, (*place, key))
    elif isinstance(part, list):
        for i, value in enumerate(part):
            yield from leaves(value, (*place, i))
    else:
        yield place


def opened(made: Forged) -> tuple[Manifest, dict[str, pl.DataFrame]]:
    tables = {path.stem: read_table(path) for path in made.folder.glob("*.csv")}
    return Manifest.read(made.folder), tables


def changed(manifest: Manifest, place: tuple[Any, ...], *, gone: bool) -> Manifest:
    """The manifest with another number there, or nothing."""
    document = json.loads(manifest.text())
    part = document
    for key in place[:-1]:
        part = part[key]
    if gone:
        del part[place[-1]]
    else:
        part[place[-1]] += 7
    return Manifest.model_validate(document)


STATED = ("counts", "measures", "loss_by_attribute", "cells_by_attribute", "singled_out")


def numbers(manifest: Manifest) -> list[tuple[Any, ...]]:
    return [p for p in leaves(json.loads(manifest.text())) if p[0] in STATED]


@pytest.fixture(scope="module", params=["plain", "people"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Forged:
    place = tmp_path_factory.mktemp(request.param)
    return patients(place) if request.param == "people" else sample(place)


def test_an_honest_manifest_follows_from_its_tables(made: Forged) -> None:
    manifest, tables = opened(made)
    assert check_statement(manifest, tables, None) == []
    assert check_statement(manifest, tables, shoal.Plan.of(made.plan)) == []


@pytest.mark.parametrize("gone", [False, True])
def test_with_the_plan_every_number_is_checked(made: Forged, gone: bool) -> None:
    manifest, tables = opened(made)
    plan = shoal.Plan.of(made.plan)
    for place in numbers(manifest):
        if gone and place == ("singled_out",) and manifest.singled_out == 0:
            continue
        found = check_statement(changed(manifest, place, gone=gone), tables, plan)
        assert found, place


def test_without_the_plan_only_losses_of_hierarchies_are_not(made: Forged) -> None:
    """What a tree of towns covers is in the plan only."""
    manifest, tables = opened(made)
    missed = {
        place[:2]
        for place in numbers(manifest)
        if not check_statement(changed(manifest, place, gone=False), tables, None)
    }
    of_trees = {("loss_by_attribute", "town"), ("cells_by_attribute", "town"),
                ("loss_by_attribute", "seen"), ("cells_by_attribute", "seen"),
                *(("measures", name) for name in ("glm", "ncp", "prec", "infoloss"))}  # fmt: skip
    assert missed <= (of_trees if any(c.hierarchy for c in manifest.columns) else set())


def test_a_class_dropped_with_counts_that_are_not_there(made: Forged, tmp_path: Path) -> None:
    """No count of what was left out must not mean that nothing was."""
    forged = copied(made, tmp_path)
    forged.table(lambda t: t.filter(pl.col("age") != t["age"][0]))
    forged.manifest(lambda m: [m["counts"].pop(k) for k in ("published", "suppressed")])
    for given in ((), ("original",), ("original", "plan")):
        assert "does not say: counts.suppressed" in texts(forged.audit(*given))
        assert forged.audit(*given).verdict is False


def test_columns_are_those_that_the_plan_gives(made: Forged, tmp_path: Path) -> None:
    forged = copied(made, tmp_path)
    forged.manifest(lambda m: m["columns"][-1].update(missing=["?"]))
    assert "columns" in texts(forged.audit("original", "plan"))


def test_a_manifest_that_fits_in_no_way_is_told(made: Forged) -> None:
    manifest, tables = opened(made)
    bare = {**tables, "data": tables["data"].drop("age")}
    (found,) = check_statement(manifest, bare, None)
    assert "No statement follows" in found.text


def test_what_another_version_states_is_not_compared(made: Forged) -> None:
    manifest, tables = opened(made)
    other = manifest.model_copy(update={"version": "0", "singled_out": 0.5})
    assert check_statement(other, tables, None) == []


def test_the_same_is_stated_again(made: Forged) -> None:
    manifest, tables = opened(made)
    again = state_again(manifest, tables, shoal.Plan.of(made.plan))
    assert again.columns == manifest.columns
    assert again.verdicts == manifest.verdicts
