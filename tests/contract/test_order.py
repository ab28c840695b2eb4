"""Shuffling the input changes no byte of a release, by any method, layout or option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.method import METHODS
from tests.contract.standard import excuse, plan_for, standard_case
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES
from tests.papers.mhsa.cases import PATIENTS as HETEROGENEOUS
from tests.papers.mhsa.cases import patients_plan

SHUFFLES = range(3)
every_method = pytest.mark.parametrize("method", sorted(METHODS))
whole_and_in_shards = pytest.mark.parametrize("shards", [None, 30], ids=["whole", "shards"])


def _told(plan: dict[str, Any], frame: pl.DataFrame, folder: Path) -> tuple[Any, ...]:
    """The bytes of the tables; the private rows and the row map, each row by its content."""
    release = shoal.run(plan, frame, output=folder)
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.csv"))}
    rows = [frame.row(row) for row in range(frame.height)]
    own = release.rows.sort("row").drop("row").rows()
    private = sorted((repr(row), repr(facts)) for row, facts in zip(rows, own, strict=True))
    hidden = [name for name in frame.columns if plan["attributes"][name] == "identifier"]
    shown = frame.select(hidden or frame.columns)[release.origin.tolist()].rows()
    classes = release.classes.write_csv()
    return files, private, shown, classes, release.counts, release.notes, release.replaced


def _stays(plan: dict[str, Any], frame: pl.DataFrame, folder: Path) -> None:
    wanted = _told(plan, frame, folder / "as it is")
    for seed in SHUFFLES:
        shuffled = frame.sample(fraction=1.0, shuffle=True, seed=seed)
        assert _told(plan, shuffled, folder / str(seed)) == wanted


def _with_equal_rows(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([frame, frame.head(15)])


@every_method
@whole_and_in_shards
@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
def test_the_order_of_the_input_does_not_show(
    method: str, shards: int | None, people: bool, tmp_path: Path
) -> None:
    excuse(method, people=people)
    case = standard_case(people=people)
    more = {} if shards is None else {"shards": {"rows": shards}}
    _stays(plan_for(case, method, **more), _with_equal_rows(case.frame), tmp_path)


OPTIONS: dict[str, Any] = {
    "k-division": {"qi-mhsa": {"division": "k-division"}},
    "sorted k-division": {"qi-mhsa": {"division": "k-division", "order": "quasi"}},
    "concealed": {"qi-mhsa": {"conceal": True}},
    "concealed runs": {"qi-mhsa": {"conceal": True, "division": "k-division"}},
    "two tables": {"qi-mhsa": {"tables": "split"}},
    "flags by another method": "k-member",
}


@pytest.mark.parametrize("method", OPTIONS.values(), ids=OPTIONS.keys())
@whole_and_in_shards
def test_nor_where_flags_hide_values(method: Any, shards: int | None, tmp_path: Path) -> None:
    """Twelve times the paper's patients, with one year more each time."""
    frame = pl.concat(
        HETEROGENEOUS.with_columns(pl.col("age") + i, pl.col("name") + f" {i}") for i in range(12)
    )
    more = {} if shards is None else {"shards": {"rows": shards}}
    _stays(patients_plan(method, **more), frame, tmp_path)


@pytest.mark.parametrize("tables", ["split", "joined"])
@pytest.mark.parametrize("method", ["lgb-mdp", "lgb-ncp"])
@pytest.mark.parametrize("own", [None, "own"], ids=["one l", "personal l"])
def test_nor_where_secrets_are_in_buckets(
    method: str, tables: str, own: str | None, tmp_path: Path
) -> None:
    n = 80
    frame = pl.DataFrame(
        {
            "id": [str(i // 2) for i in range(n)],
            "age": [20 + i % 7 for i in range(n)],
            "age_secret": ["no" if i % 3 else "yes" for i in range(n)],
            "gender": ["Male" if i % 4 else "Female" for i in range(n)],
            "zip": [f"213{40 + i % 5}" for i in range(n)],
            "zip_secret": ["no" if i % 4 else "yes" for i in range(n)],
            "disease": ["flu", "cancer", "gastritis", "pneumonia", "cold"] * (n // 5),
            "own": [str(2 + i % 2) for i in range(n)],
        }
    )
    personal = {} if own is None else {"personal": own}
    plan = {
        "attributes": {**PATIENT_ATTRIBUTES, "own": "flag"},
        "privacy": [
            {"k-anonymity": {"k": 3}},
            {"l-diversity": {"l": 2, "attribute": "disease", **personal}},
            {"l-diversity": {"l": 2, "attribute": "age"}},
            {"l-diversity": {"l": 2, "attribute": "zip"}},
        ],
        "method": {method: {"tables": tables}},
        "seed": 5,
    }
    _stays(plan, frame, tmp_path)


@pytest.mark.parametrize("conflict", ["first", "mode"])
@pytest.mark.parametrize("method", ["k-member", "mondrian", "danonyir"])
def test_nor_in_what_is_taken_for_people_whose_rows_differ(
    conflict: str, method: str, tmp_path: Path
) -> None:
    n = 60
    frame = pl.DataFrame(
        {
            "who": [f"p{i % 25}" for i in range(n)],
            "age": [str(20 + i * 7 % 31) + (".0" if i % 2 else "") for i in range(n)],
            "town": [None if i % 11 == 0 else "abc"[i * i % 3] for i in range(n)],
            "ill": ["flu", "cold", "HIV"] * (n // 3),
            "note": [str(i % 3) for i in range(n)],
        }
    )
    roles = {"who": "identifier", "age": "quasi", "town": "quasi", "ill": "sensitive"}
    plan = {
        "attributes": {**roles, "note": "insensitive"},
        "individual": {"column": "who", "conflict": conflict},
        "privacy": [{"k-anonymity": {"k": 3}}],
        "method": method,
        "seed": 5,
    }
    _stays(plan, frame, tmp_path)


def test_nor_in_a_file_whose_last_rows_decide_a_kind(tmp_path: Path) -> None:
    """A column of numbers with one word is no column of numbers, wherever the word stands."""
    n = 3000
    frame = pl.DataFrame(
        {"age": [str(20 + i % 50) for i in range(n)], "ill": [str(i % 7) for i in range(n)]}
    ).with_columns(age=pl.when(pl.int_range(n) == n - 1).then(pl.lit("old")).otherwise("age"))
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "suppression": {"limit": 1.0},
        "seed": 5,
    }
    made = []
    for name, table in (("last", frame), ("first", frame.reverse())):
        table.write_csv(tmp_path / f"{name}.csv")
        release = shoal.run(plan, tmp_path / f"{name}.csv")
        made.append((release.frame.rows(), release.notes))
    assert made[0] == made[1]


def test_the_order_of_the_input_shows_where_the_plan_says_so(tmp_path: Path) -> None:
    """So that the papers' worked examples can be followed: their ties go by the table's order."""
    frame = pl.DataFrame({"age": [30, 30, 30, 30, 30, 30], "ill": list("abcdef")})
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}],
        "method": {"qi-mhsa": {"division": "k-division"}},
        "seed": 1,
    }
    classes = shoal.run({**plan, "order": "input"}, frame).rows["class"].to_list()
    assert classes[:3] == classes[:1] * 3
    assert classes[3:] == classes[3:4] * 3
    assert len(set(classes)) == 2
