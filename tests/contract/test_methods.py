"""What every registered method owes, whatever it does inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run.engine import LocalEngine
from shoal.method import METHODS
from shoal.plan import Plan
from tests.contract.standard import BY_ORDER, check, excuse, plan_for, standard_case

NAMES = sorted(METHODS)
every_method = pytest.mark.parametrize("method", NAMES)
with_and_without_people = pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])


def _bytes(release: Any, folder: Path) -> bytes:
    return (release.save(folder) / "data.csv").read_bytes()


@every_method
@with_and_without_people
def test_the_release_holds_and_is_true(method: str, people: bool) -> None:
    excuse(method, people=people)
    case = standard_case(people=people)
    release = shoal.run(plan_for(case, method), case.frame)
    check(case, method, release)
    assert release.holds
    assert release.method == method


@every_method
def test_several_requirements_at_once(method: str) -> None:
    case = standard_case(n=120)
    case.privacy = [
        {"k-anonymity": {"k": 4}},
        {"l-diversity": {"l": 3, "attribute": "ill"}},
        {"t-closeness": {"t": 0.5, "attribute": "pay"}},
    ]
    check(case, method, shoal.run(plan_for(case, method), case.frame))


@every_method
def test_the_input_is_left_alone(method: str) -> None:
    case = standard_case()
    frame, plan = case.frame, plan_for(case, method)
    pandas = frame.to_pandas()
    before, words = pandas.copy(deep=True), repr(plan)
    one, two = shoal.run(plan, frame), shoal.run(plan, pandas)
    assert frame.equals(case.frame)
    assert pandas.equals(before)
    assert repr(plan) == words
    assert one.frame.equals(two.frame)


@every_method
@with_and_without_people
def test_the_same_seed_gives_the_same_bytes(method: str, people: bool, tmp_path: Path) -> None:
    excuse(method, people=people)
    case = standard_case(people=people)
    plan = plan_for(case, method)
    first = _bytes(shoal.run(plan, case.frame), tmp_path / "one")
    assert first == _bytes(shoal.run(plan, case.frame), tmp_path / "two")


@every_method
def test_another_seed_gives_another_order(method: str) -> None:
    case = standard_case()
    if method in BY_ORDER:
        pytest.skip("its classes depend on the seed, or on the table order, which does")
    one, two = (shoal.run(plan_for(case, method, seed=s), case.frame).frame for s in (3, 4))
    assert one.rows() != two.rows()
    assert sorted(map(repr, one.rows())) == sorted(map(repr, two.rows()))


@every_method
@pytest.mark.parametrize("index", ["duplicates", "backwards", "texts", "two levels"])
def test_any_pandas_index(method: str, index: str) -> None:
    import pandas as pd

    case = standard_case()
    table = case.frame.to_pandas()
    n = len(table)
    table.index = {
        "duplicates": pd.Index([7] * n),
        "backwards": pd.RangeIndex(n, 0, -1),
        "texts": pd.Index([f"row {i % 9}" for i in range(n)], name="index"),
        "two levels": pd.MultiIndex.from_arrays([[1] * n, list(range(n))]),
    }[index]
    release = shoal.run(plan_for(case, method), table)
    check(case, method, release)
    assert "index" not in release.frame.columns
    assert release.frame.equals(shoal.run(plan_for(case, method), case.frame).frame)


@every_method
def test_the_plan_reads_back(method: str) -> None:
    plan = Plan.parse(plan_for(standard_case(), method))
    again = Plan.parse(plan.to_dict())
    assert again == plan
    assert again.digest() == plan.digest()
    assert Plan.parse(plan.to_yaml()).digest() == plan.digest()


@every_method
@with_and_without_people
def test_shards_hold_together(method: str, people: bool) -> None:
    excuse(method, people=people)
    case = standard_case(people=people, n=160)
    release = shoal.run(plan_for(case, method, shards={"rows": 40}), case.frame)
    check(case, method, release)


@pytest.mark.slow
@every_method
def test_a_pool_gives_what_a_loop_gives(method: str, tmp_path: Path) -> None:
    case = standard_case(people=not METHODS[method]().layout.keeps_secrets, n=160)
    plan = plan_for(case, method, shards={"rows": 40})
    loop = shoal.run(plan, case.frame, LocalEngine(1))
    pool = shoal.run(plan, case.frame, LocalEngine(2))
    assert _bytes(loop, tmp_path / "loop") == _bytes(pool, tmp_path / "pool")
    assert loop.rows.equals(pool.rows)
    assert dict(loop.measures) == dict(pool.measures)


@every_method
def test_only_what_is_declared_public_is_published(method: str) -> None:
    case = standard_case()
    hidden = {"name": "identifier", "secret": "flag"}
    n = case.n_rows
    frame = case.frame.with_columns(
        pl.Series("name", [f"person number {i}" for i in range(n)]),
        pl.Series("secret", ["1", "0"] * (n // 2)),
    )
    plan = plan_for(case, method)
    plan["attributes"] = {**hidden, **plan["attributes"]}
    release = shoal.run(plan, frame)
    shown = [name for name in case.attributes if name != "f"]
    if METHODS[method]().layout.keeps_secrets:
        shown = ["record", "GID", *(f"{n}_BID" if n in ("ill", "pay") else n for n in shown)]
    assert release.frame.columns == shown
    text = "".join(table.write_csv() for table in release.tables.values())
    assert "person number" not in text
    assert not any(f in text for f in case.fields["f"].cells if f is not None)


@every_method
def test_what_cannot_be_had_is_an_error_and_no_folder(method: str, tmp_path: Path) -> None:
    case = standard_case(n=20)
    case.privacy = [{"k-anonymity": {"k": 21}}]
    with pytest.raises(shoal.InfeasibleError, match="20 rows"):
        shoal.run(plan_for(case, method, output=str(tmp_path / "release")), case.frame)
    assert list(tmp_path.iterdir()) == []


@every_method
def test_the_limit_of_suppression_is_kept(method: str) -> None:
    """Either the limit is kept or the run says that it cannot be."""
    case = standard_case(n=30)
    case.privacy = [{"k-anonymity": {"k": 5}}]
    for limit in (0.0, 0.1, 0.5):
        try:
            release = shoal.run(plan_for(case, method, suppression={"limit": limit}), case.frame)
        except shoal.InfeasibleError:
            continue
        check(case, method, release, limit)


@every_method
def test_missing_is_a_value_of_its_own(method: str) -> None:
    case = standard_case()
    release = shoal.run(plan_for(case, method), case.frame)
    assert release.counts.rows == case.n_rows
    assert release.counts.published + release.counts.suppressed == case.n_rows
    published = {row for row, c in release.rows.select("row", "class").rows() if c is not None}
    lacking = {i for i, cell in enumerate(case.fields["age"].cells) if cell is None}
    assert published & lacking, "rows with a missing value are not dropped for that"


@every_method
def test_the_registry_describes_it(method: str) -> None:
    [entry] = [m for m in shoal.methods() if m["name"] == method]
    assert entry["summary"].endswith(".")
    assert METHODS[method].name == method
    for parameter in entry["parameters"].values():
        assert parameter["meaning"]


@every_method
@with_and_without_people
def test_flags_act_on_what_every_method_publishes(method: str, people: bool) -> None:
    """After the classes are made: flag 2 shows the root, 1 one level up, 0 the value."""
    if METHODS[method]().layout.keeps_secrets:
        pytest.skip("keeps sensitive values in buckets")
    case = standard_case(people=people, complete=True)
    plan = plan_for(case, method)
    rules = {"high": ["a", "d"], "middle": ["b"], "default": "low"}
    attributes = {**plan["attributes"]}
    attributes["ill"] = {**attributes["ill"], "flags": rules}
    release = shoal.run({**plan, "attributes": attributes}, case.frame)
    assert release.holds
    field = case.fields["ill"]
    level = {"a": -1, "d": -1, "b": 1}
    for shown, row in zip(release.frame["ill"].to_list(), release.origin.tolist(), strict=True):
        value = field.cells[row]
        assert value is not None
        assert shown == field.above(value)[level.get(value, 0)]
    assert release.leaks[1]["ill"].cell_worst > 0
