"""Orders that a run gives, and orders that it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal._command.audit.order import check_order
from shoal.reading.manifest import Manifest
from shoal.reading.table import read_table
from tests._command.audit.forge import Forged, patients, sample, texts, write

PLAN: dict[str, Any] = {
    "attributes": {"age": "quasi", "town": "quasi", "ill": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 3}}],
    "method": "mondrian",
}


def people(n: int, seed: int, n_ills: int = 4) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 80, n),
            "town": draw.choice([*"uvw"], n),
            "ill": [f"i{i}" for i in draw.integers(0, n_ills, n)],
        }
    )


def found(folder: Path, data: pl.DataFrame | None = None) -> list[str]:
    tables = {path.stem: read_table(path) for path in folder.glob("*.csv")}
    if data is not None:
        tables["data"] = data
    return [str(problem) for problem in check_order(tables, Manifest.read(folder))]


@pytest.mark.parametrize("seed", range(12))
def test_honest_orders_are_not_told(seed: int, tmp_path: Path) -> None:
    method = ["mondrian", {"qi-mhsa": {"tables": "split"}}, "k-member"][seed % 3]
    n_ills = (2, 400)[seed % 2]
    plan = {**PLAN, "method": method, "seed": seed}
    made = write(tmp_path, plan, people(300, seed, n_ills).sort("age", "ill"))
    assert found(made.folder) == []


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return write(tmp_path_factory.mktemp("order"), {**PLAN, "seed": 1}, people(200, 1))


class TestOthers:
    def test_another_order_by_chance(self, made: Forged) -> None:
        """Rows that publish the same stand together, which a shuffle does not keep."""
        data = read_table(made.folder / "data.csv")
        (text,) = found(made.folder, data.sample(fraction=1.0, shuffle=True, seed=2))
        assert "must be next to each other" in text

    def test_contents_that_change_places_cannot_be_told(self, made: Forged) -> None:
        """Another secret would have given that order."""
        data = read_table(made.folder / "data.csv")
        parts = data.partition_by(data.columns, maintain_order=True)
        order = np.random.default_rng(0).permutation(len(parts))
        assert found(made.folder, pl.concat([parts[i] for i in order])) == []

    def test_an_order_by_a_column(self, made: Forged) -> None:
        data = read_table(made.folder / "data.csv")
        texts = found(made.folder, data.sort("ill", "age", "town"))
        assert texts == ["ill: The rows are ordered by 'ill', but a run orders them at random."]

    def test_numbers_are_sorted_as_numbers(self, tmp_path: Path) -> None:
        attributes = {**PLAN["attributes"], "pay": "insensitive"}
        frame = people(200, 3).with_columns(pay=pl.int_range(200) * 7 + 5)
        made = write(tmp_path, {**PLAN, "attributes": attributes, "seed": 1}, frame)
        data = read_table(made.folder / "data.csv")
        by_pay = data.sort(pl.col("pay").cast(pl.Int64))
        assert any("ordered by 'pay'" in text for text in found(made.folder, by_pay))

    def test_two_tables(self, tmp_path: Path) -> None:
        plan = {**PLAN, "method": {"qi-mhsa": {"tables": "split"}}, "seed": 1}
        made = write(tmp_path, plan, people(90, 4))
        made.table(lambda t: t.reverse())
        made.table(lambda t: t.reverse(), "sensitive")
        told = texts(made.audit())
        assert "not numbered as they appear" in told
        assert "not sorted by class and value" in told


def test_it_is_part_of_an_audit(tmp_path: Path) -> None:
    made = sample(tmp_path)
    made.table(lambda t: t.sort("illness", "age"))
    assert "ordered by 'illness'" in texts(made.audit())


@pytest.mark.parametrize("to", [lambda n: f"Ms. {n}", lambda n: f"0{n}", lambda n: str(int(n) + 7)])
def test_people_are_numbered_as_they_appear(tmp_path: Path, to: Callable[[str], str]) -> None:
    """Anything else in place of their numbers could say who they are."""
    forged = patients(tmp_path)
    assert texts(forged.audit("original")) == ""
    names = pl.col("Id_num").cast(pl.String).map_elements(to, return_dtype=pl.String)
    found = forged.table(lambda t: t.with_columns(names)).audit("original")
    assert "'Id_num' does not number people as they appear" in texts(found)
    assert found.verdict is False
