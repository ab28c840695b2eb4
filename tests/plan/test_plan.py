"""Plans that are right: what they mean, and that they survive being written."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

import shoal
from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy
from shoal.plan import Plan
from shoal.schema import Individual, Kind, Requirement, Role
from tests.plan.cases import FULL, SMALL


def test_every_key_is_read(full: Plan, tmp_path: Path) -> None:
    assert full.source == ("a.csv", "b.csv")
    assert full.base == tmp_path
    assert full.schema.individual == Individual("name", "mode")
    assert full.requirements[0] == Requirement("k-anonymity", {"k": 5})
    assert full.models[1].parameters()["attribute"] == "grade"
    assert (full.method.name, full.method.parameters()["cut"]) == ("mondrian", "median")
    assert (full.suppression_limit, full.objective, full.ranges) == (0.05, "ncp", "snapped")
    assert (full.shard_rows, full.workers) == (1000, 2)
    assert full.seed == 7
    assert full.output_folder == tmp_path / "release"
    assert full.output_format == "parquet"
    assert full.text == FULL


def test_attributes_are_read_in_order(full: Plan) -> None:
    schema = full.schema
    assert [a.name for a in schema.attributes][-2:] == ["f", "2005"]
    assert schema["age"].domain == (30, 39.5)
    assert schema["grade"].values == ("1.50", "NO", "high")
    assert schema["zip"].flag == "zip_secret"
    assert schema["zip"].missing == ("-9", "NA", "?")
    assert schema["name"].missing == ("NA", "?")
    assert schema["2005"].flags == {"high": [1, "a"], "default": "low"}
    assert schema["zip_secret"].role is Role.FLAG
    job, place = schema["job"].hierarchy, schema["place"].hierarchy
    assert job is not None
    assert job.rows == (("nurse", "health", "*"), ("clerk", "office", "*"))
    assert place is not None
    assert ("1.50", "north", "any") in place.rows


def test_kinds_are_implied_where_they_can_be(full: Plan) -> None:
    kinds = {a.name: a.kind for a in full.schema.attributes}
    assert kinds["age"] is kinds["height"] is Kind.NUMERIC
    assert kinds["born"] is Kind.DATE
    assert kinds["job"] is kinds["zip"] is None


def test_defaults() -> None:
    plan = Plan.parse(SMALL)
    assert (plan.method.name, plan.objective, plan.ranges) == ("auto", "glm", "tight")
    assert (plan.suppression_limit, plan.output_format) == (1.0, "csv")
    assert (plan.seed, plan.shard_rows, plan.workers, plan.output_folder) == (None,) * 4
    assert plan.source == ()
    assert plan.text is None
    assert plan.base == Path.cwd()


def test_keys_without_a_value_count_as_left_out() -> None:
    text = "attributes: {a: {role: quasi, kind: }}\nprivacy: [{k-anonymity: {k: 2}}]\n"
    assert Plan.parse(text + "seed:\nmethod:\nmissing:\npolish:\n") == Plan.parse(text)


def test_short_and_long_forms_are_equal() -> None:
    short = Plan.parse(
        {
            "source": "a.csv",
            "individual": "n",
            "attributes": {"n": "identifier", "a": "quasi"},
            "privacy": [{"k-anonymity": {"k": 2}}],
            "method": "mondrian",
            "engine": "local",
            "missing": "NA",
            "output": "out",
        }
    )
    assert short == Plan.parse(
        {
            "source": ["a.csv"],
            "individual": {"column": "n", "conflict": "error"},
            "attributes": {"n": {"role": "identifier"}, "a": {"role": Role.QUASI}},
            "privacy": [{"k-anonymity": {"k": 2}}],
            "method": {"mondrian": None},
            "engine": {"local": {}},
            "missing": ["NA"],
            "output": {"folder": "out", "format": "csv"},
        }
    )


def test_a_hierarchy_object_stands_for_its_declaration() -> None:
    plan = copy.deepcopy(SMALL)
    plan["attributes"]["age"] = {"role": "quasi", "hierarchy": Hierarchy.width(5, levels=2)}
    other = copy.deepcopy(SMALL)
    other["attributes"]["age"] = {"role": "quasi", "hierarchy": {"width": 5, "levels": 2}}
    assert Plan.parse(plan) == Plan.parse(other)


def test_of_takes_whatever_stands_for_a_plan(full: Plan, tmp_path: Path) -> None:
    assert Plan.of(full) is full
    assert Plan.of(tmp_path / "plan.yaml") == Plan.of(str(tmp_path / "plan.yaml")) == full
    assert Plan.of(SMALL) == Plan.of(json.dumps(SMALL, indent=1)) == Plan.parse(SMALL)
    with pytest.raises(PlanError, match="got int instead"):
        Plan.of(3)  # type: ignore[arg-type]


def test_a_plan_is_frozen_and_the_input_untouched() -> None:
    given = copy.deepcopy(SMALL)
    plan = Plan.parse(given)
    assert given == SMALL
    with pytest.raises(FrozenInstanceError):
        plan.seed = 3  # type: ignore[misc]


def test_plans_compare_by_content() -> None:
    plan = Plan.parse(SMALL)
    assert plan == Plan.parse(json.dumps(SMALL))
    assert plan != replace(plan, seed=1)
    assert plan != Plan.parse({**SMALL, "ranges": "snapped"})


def test_the_representation_shows_no_values(full: Plan) -> None:
    assert "k-anonymity" in repr(full)
    assert "nurse" not in repr(full)


def test_columns_that_fit_have_no_problems() -> None:
    assert Plan.parse(SMALL).check_columns(["disease", "age"]) == []


def test_columns_that_are_left_over_are_one_problem() -> None:
    plan = Plan.parse(SMALL)
    (problem,) = plan.check_columns(["disease", "age", *(f"x{i}" for i in range(10))])
    assert "The data has 10 columns, but the plan does not declare them: 'x0'" in problem.text
    assert problem.text.endswith("'x7' and 2 more.")
    dropping = Plan.parse({**SMALL, "others": "drop"})
    assert dropping.check_columns(["disease", "age", "x"]) == []
    assert "no such column" in dropping.check_columns(["disease", "x"])[0].text
    assert Plan.parse(dropping.to_yaml()).others == "drop"


def test_a_misspelt_column_is_pointed_out_even_if_others_are_dropped() -> None:
    problems = Plan.parse({**SMALL, "others": "drop"}).check_columns(["disease", "Age"])
    assert "are they the same?" in problems[0].hint
    assert "Did you mean 'Age'?" in problems[1].hint


def test_every_column_that_does_not_fit_is_named() -> None:
    plan = Plan.parse(
        "attributes:\n  age: quasi\n  disease: sensitive\n  zip: quasi\n"
        "privacy:\n  - k-anonymity: {k: 2}\n"
    )
    problems = plan.check_columns(["Age ", "zip", "extra", "extra"])
    assert [(p.line, p.where) for p in problems] == [
        (2, "attributes"),
        (None, "attributes"),
        (2, "attributes.age"),
        (3, "attributes.disease"),
    ]
    assert "has the column 'Age ', but the plan does not declare it" in problems[0].text
    assert "'age'" in problems[0].hint
    assert "others: drop" in problems[1].hint
    assert "'Age '" in problems[2].hint
    assert problems[3].hint == ""


def test_a_plan_says_how_its_source_is_written(tmp_path: Path) -> None:
    """`1,234` is in doubt, and `ö` is not UTF-8, unless the plan says so."""
    (tmp_path / "t.csv").write_bytes("größe;stadt\n1,234;Köln\n5,678;Köln\n".encode("latin-1"))
    plan = {
        "source": "t.csv",
        "encoding": "latin-1",
        "decimal": ",",
        "attributes": {"größe": "quasi", "stadt": "insensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
    }
    read = Plan.parse(plan, tmp_path)
    assert (read.encoding, read.decimal) == ("latin-1", ",")
    assert Plan.parse(read.to_dict(), tmp_path) == read
    without = Plan.parse({k: v for k, v in plan.items() if k != "encoding"}, tmp_path)
    assert read.digest() == without.digest()
    point = Plan.parse({**plan, "decimal": "."}, tmp_path)
    assert read.digest() != point.digest()
    assert shoal.run(read).frame.rows() == [("[1.234, 5.678]", "Köln")] * 2


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("encoding", "latin-99", "must name an encoding that Python knows"),
        ("encoding", "rot13", "must name an encoding that Python knows"),
        ("decimal", ";", "must be one of '.' or ','"),
    ],
)
def test_how_a_source_is_written_must_be_known(key: str, value: str, text: str) -> None:
    with pytest.raises(PlanError, match=text):
        Plan.parse({**SMALL, key: value})


def test_a_table_in_place_of_a_plan_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("age,town\n31,Ulm\n")
    with pytest.raises(PlanError, match=r"This looks like a table: 'shoal init .*p\.csv'"):
        Plan.load(tmp_path / "p.csv")
