"""What a run reads: the plan's source or the data in its place, with conflicts settled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run import read
from shoal._run.engine import LocalEngine
from shoal._run.read import read_input, read_source
from shoal.errors import DataError, PlanError, VerificationError
from shoal.plan import Plan

PLAN: dict[str, Any] = {"attributes": {"a": "quasi"}, "privacy": [{"k-anonymity": {"k": 1}}]}
TABLE = pl.DataFrame({"a": [1, 2]})


def test_data_stands_in_for_the_source() -> None:
    plan = Plan.of({**PLAN, "source": "absent.csv"})
    found = read_input(plan, TABLE, LocalEngine())
    assert found.given.equals(TABLE)
    assert found.frame.equals(TABLE)
    assert found.replaced == {}


def test_a_source_starts_at_the_folder_of_its_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "work").mkdir()
    path = tmp_path / "plans" / "plan.yaml"
    path.write_text(Plan.of({**PLAN, "source": "t.csv"}).to_yaml())
    TABLE.write_csv(tmp_path / "plans" / "t.csv")
    TABLE[:1].write_csv(tmp_path / "work" / "t.csv")
    monkeypatch.chdir(tmp_path / "work")
    plan = Plan.of(path)
    assert read_input(plan, None, LocalEngine()).given.height == 2
    assert read_input(plan, "t.csv", LocalEngine()).given.height == 1
    assert read_source(plan, "t.csv", tmp_path / "plans", LocalEngine()).given.height == 2


def test_neither_source_nor_data_is_an_error() -> None:
    with pytest.raises(PlanError, match="names no source, and no data was given"):
        read_input(Plan.of(PLAN), None, LocalEngine())


@pytest.mark.parametrize("columns", [{"b": [1]}, {"a": [1], "b": [1]}])
def test_columns_must_be_those_of_the_plan(columns: dict[str, list[int]]) -> None:
    with pytest.raises(PlanError, match=r"'[ab]'"):
        read_input(Plan.of(PLAN), pl.DataFrame(columns), LocalEngine())


def test_settled_cells_are_counted_and_the_given_table_is_kept() -> None:
    table = pl.DataFrame({"who": list("xxy"), "a": [1, 5, 9]})
    individual = {"column": "who", "conflict": "first"}
    attributes = {"who": "identifier", "a": "quasi"}
    more = {"attributes": attributes, "individual": individual, "order": "input"}
    plan = Plan.of({**PLAN, **more})
    found = read_input(plan, table, LocalEngine())
    assert found.given["a"].to_list() == [1, 5, 9]
    assert found.frame["a"].to_list() == [1, 1, 9]
    assert found.replaced == {"a": 1}


def test_the_first_row_by_content_is_one_of_the_persons_rows_in_any_order() -> None:
    table = pl.DataFrame({"who": list("xxxyyz"), "a": [1, 5, 9, 2, 3, 4], "b": list("pqrstu")})
    attributes = {"who": "identifier", "a": "quasi", "b": "quasi"}
    individual = {"column": "who", "conflict": "first"}
    plan = Plan.of({**PLAN, "attributes": attributes, "individual": individual})
    for seed in range(5):
        found = read_input(plan, table, LocalEngine(), seed)
        assert found.first is not None
        assert sorted(table["who"].gather(found.first)) == ["x", "y", "z"]
        settled = set(found.frame.rows())
        assert settled == set(table[found.first.tolist()].rows())
        shuffled = read_input(plan, table.sample(fraction=1.0, shuffle=True, seed=seed),
                              LocalEngine(), seed)  # fmt: skip
        assert set(shuffled.frame.rows()) == settled
    seen = {
        tuple(read_input(plan, table, LocalEngine(), s).frame["a"].to_list()) for s in range(20)
    }
    assert len(seen) > 1, "which row it is depends on the seed"


@pytest.mark.parametrize("data", [[], [{"a": 1}], 5])
def test_what_is_no_table_is_refused(data: Any) -> None:
    plan = {"attributes": {"a": "quasi"}, "privacy": [{"k-anonymity": {"k": 1}}]}
    with pytest.raises(DataError):
        shoal.run(plan, data)


@pytest.mark.parametrize("conflict", ["first", "mode"])
def test_a_wrong_settlement_is_caught(conflict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.DataFrame({"who": list("aaabbb"), "age": [1, 1, 9, 2, 2, 9]})
    plan = {
        "individual": {"column": "who", "conflict": conflict},
        "attributes": {"who": "identifier", "age": "quasi"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "order": "input",
        "seed": 1,
    }
    assert shoal.run(plan, table).frame["age"].to_list() == ["[1, 2]"] * 2
    spoilt = table.with_columns(pl.lit(9).alias("age"))
    monkeypatch.setattr(read, "settle_conflicts", lambda *_: (spoilt, {}))
    with pytest.raises(VerificationError, match="age"):
        shoal.run(plan, table)


def test_ways_to_write_one_value_are_one_value() -> None:
    table = pl.DataFrame(
        {"who": list("aaaaabbb"), "age": ["1", "1.0", "?", "", "1", "2", "2", "3"]}
    )
    plan = {
        "individual": {"column": "who", "conflict": "mode"},
        "attributes": {
            "who": "identifier",
            "age": {"role": "quasi", "kind": "numeric", "missing": "?"},
        },
        "privacy": [{"k-anonymity": {"k": 2}}],
        "order": "input",
        "seed": 1,
    }
    assert shoal.run(plan, table).frame["age"].to_list() == ["[1, 2]"] * 2


def test_parts_of_another_shape_are_an_error(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1, 2], "b": [1, 2]}).write_csv(tmp_path / "1.csv")
    pl.DataFrame({"a": [1, 2]}).write_csv(tmp_path / "2.csv")
    plan = {"attributes": {"a": "quasi", "b": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}]}
    both = [str(tmp_path / "1.csv"), str(tmp_path / "2.csv")]
    with pytest.raises(shoal.DataError, match="lacks 'b'"):
        shoal.run({**plan, "source": both})
    release = shoal.run({**plan, "source": [both[0], both[0]]})
    assert release.counts.rows == 4


@pytest.mark.parametrize("more", [{"others": "drop"}, {"attributes": {"x": "drop"}}])
def test_columns_are_dropped_before_anything_sees_them(more: dict[str, Any]) -> None:
    """Their values change nothing, not even the order of the rows."""
    attributes = {"age": "quasi", "ill": "sensitive", **more.pop("attributes", {})}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}], "seed": 1, **more}
    frame = pl.DataFrame({"age": range(8), "ill": list("abababab")})
    first, second = (
        shoal.run(plan, frame.with_columns(x=pl.Series(cells))).frame
        for cells in (range(8), list("zyxwvuts"))
    )
    assert first.equals(second)
    assert first.columns == ["age", "ill"]
