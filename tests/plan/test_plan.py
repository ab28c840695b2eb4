"""Plans that are right: what they mean, and that they survive being written."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy
from shoal.plan import Plan
from shoal.schema import Individual, Kind, Requirement, Role

SMALL: dict[str, Any] = {
    "attributes": {"age": "quasi", "disease": "sensitive"},
    "privacy": [{"k-anonymity": {"k": 2}}],
}

FULL = """\
# patients of one year
source: [a.csv, b.csv]
individual: {column: name, conflict: mode}
attributes:
  name: identifier
  age: {role: quasi, domain: [30, 39.5]}
  height: {role: quasi, hierarchy: {width: 5, levels: 3}}
  born: {role: quasi, hierarchy: {dates: [month, year]}}
  zip: {role: sensitive, flag: zip_secret, missing: -9, hierarchy: {mask: 2}}
  zip_secret: flag
  grade: {role: sensitive, kind: ordinal, values: [1.50, NO, high]}
  job: {role: quasi, hierarchy: jobs.csv}
  place: {role: quasi, hierarchy: {tree: {any: {north: [1.50, b], south: }}}}
  f: sensitivity
  2005: {role: sensitive, flags: {high: [1, a], default: low}}
privacy:
  - k-anonymity: {k: 5}
  - l-diversity: {l: 3, attribute: grade}
method: {mondrian: {cut: median}}
suppression: {limit: 0.05}
objective: ncp
polish: false
ranges: snapped
shards: {rows: 1000}
engine: {local: {workers: 2}}
missing: [NA, '?']
seed: 7
output: {folder: release/, format: parquet}
"""


@pytest.fixture
def full(tmp_path: Path) -> Plan:
    (tmp_path / "jobs.csv").write_text("nurse;health;*\nclerk;office;*\n")
    (tmp_path / "plan.yaml").write_text(FULL)
    return Plan.load(tmp_path / "plan.yaml")


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
    assert (plan.method.name, plan.objective, plan.ranges) == ("mondrian", "glm", "tight")
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


def test_a_json_file_with_tabs_and_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(SMALL, indent="\t").encode())
    assert Plan.load(path) == Plan.parse(SMALL, tmp_path)


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


def test_a_full_plan_round_trips(full: Plan) -> None:
    assert Plan.parse(full.to_dict(), full.base) == full
    assert Plan.parse(full.to_yaml(), full.base) == full
    assert json.loads(json.dumps(full.to_dict())) == full.to_dict()


def test_the_canonical_form_is_short() -> None:
    assert Plan.parse(
        {
            **SMALL,
            "privacy": [{"l-diversity": {"l": 3.0, "c": None}}],
            "suppression": {"limit": 1},
            "objective": "glm",
            "output": {"folder": "x"},
        }
    ).to_dict() == {
        "attributes": SMALL["attributes"],
        "privacy": [{"l-diversity": {"l": 3}}],
        "method": "mondrian",
        "output": "x",
    }


def test_a_kind_that_is_named_stays_named() -> None:
    """A method may aim higher where none is."""
    named = {**SMALL, "privacy": [{"l-diversity": {"l": 3, "kind": "distinct"}}]}
    assert Plan.parse(named).to_dict()["privacy"] == named["privacy"]
    plain = {**SMALL, "privacy": [{"l-diversity": {"l": 3}}]}
    assert Plan.parse(named).digest() == Plan.parse(plain).digest()
    own, none = (Plan.parse({**p, "method": "qi-mhsa"}).digest() for p in (named, plain))
    assert own != none


def test_the_digest_ignores_where_and_who(full: Plan) -> None:
    mapping = full.to_dict()
    for key in ("seed", "source", "output", "engine"):
        del mapping[key]
    assert Plan.parse(mapping, full.base).digest() == full.digest()
    assert len(full.digest()) == 64


def test_the_digest_ignores_the_order_of_keys(full: Plan) -> None:
    def reverse(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reverse(value[key]) for key in reversed(value)}
        return value

    assert Plan.parse(reverse(full.to_dict()), full.base).digest() == full.digest()


def test_the_digest_takes_hierarchy_files_by_content(full: Plan, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("nurse;health;*\nclerk;office;*\n")
    mapping = full.to_dict()
    mapping["attributes"]["job"]["hierarchy"] = "other.csv"
    assert Plan.parse(mapping, tmp_path).digest() == full.digest()
    (tmp_path / "other.csv").write_text("nurse;health;*\nclerk;health;*\n")
    assert Plan.parse(mapping, tmp_path).digest() != full.digest()


@pytest.mark.parametrize(
    "change",
    [
        {"ranges": "snapped"},
        {"objective": "ncp"},
        {"suppression": {"limit": 0.5}},
        {"shards": {"rows": 2}},
        {"missing": "NA"},
        {"method": {"mondrian": {"cut": "median"}}},
        {"privacy": [{"k-anonymity": {"k": 3}}]},
        {"attributes": {"age": "quasi", "disease": "insensitive"}},
    ],
)
def test_the_digest_sees_what_is_asked(change: dict[str, Any]) -> None:
    assert Plan.parse({**SMALL, **change}).digest() != Plan.parse(SMALL).digest()


def test_columns_that_fit_have_no_problems() -> None:
    assert Plan.parse(SMALL).check_columns(["disease", "age"]) == []


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
    assert "extra: identifier" in problems[1].hint
    assert "'Age '" in problems[2].hint
    assert problems[3].hint == ""


def test_the_reference_explains_every_key() -> None:
    rows = Plan.reference()
    top = [row["key"] for row in rows if "." not in row["key"]]
    assert top == [
        "source", "table", "query", "individual", "attributes", "privacy", "method", "suppression",
        "objective", "polish", "ranges", "shards", "engine", "missing", "seed", "output",
    ]  # fmt: skip
    assert all(row["type"] and row["meaning"] for row in rows)
    assert {row["key"] for row in rows if row["required"]} >= {"attributes", "privacy"}
    kinds = next(row for row in rows if row["key"] == "attributes.<column>.kind")
    assert kinds["type"] == "one of 'numeric', 'categorical', 'ordinal' or 'date'"


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
numbers = st.floats(-1e6, 1e6) | st.integers(-1000, 1000)


@st.composite
def attributes(draw: st.DrawFn, role: str) -> Any:
    given: dict[str, Any] = {"role": role}
    form = draw(st.sampled_from(["plain", "number", "ordinal", "tree", "date", "rest"]))
    if form == "number":
        low = draw(numbers)
        given["domain"] = [low, low + draw(st.integers(1, 9))]
        given["hierarchy"] = draw(
            st.sampled_from(["flat", {"intervals": [1, 2.5]}, {"width": 0.5, "levels": 2}])
        )
    elif form == "ordinal":
        given |= {"kind": "ordinal", "values": draw(st.lists(texts, min_size=1, unique=True))}
    elif form == "tree":
        leaves = draw(st.lists(texts, min_size=1, max_size=3, unique=True))
        given["hierarchy"] = {"tree": {"top of all": leaves}}
    elif form == "date":
        given["hierarchy"] = {"dates": ["month", "year"]}
    elif form == "rest":
        given["missing"] = draw(st.lists(texts, max_size=2) | texts)
        listed = st.lists(texts | numbers, min_size=1, max_size=2)
        if role == "sensitive":
            given["flags"] = draw(st.sampled_from([{"default": "low"}, {"high": "x > 1"}])) | {
                "middle": draw(listed)
            }
    return draw(st.sampled_from([role, given])) if form == "plain" else given


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(texts, min_size=3, max_size=5, unique=True))
    roles = ["quasi", "sensitive", *draw(st.lists(st.sampled_from(["quasi", "sensitive"])))]
    plan: dict[str, Any] = {
        "attributes": {names[0]: "identifier"}
        | {name: draw(attributes(role)) for name, role in zip(names[1:], roles, strict=False)},
        "privacy": draw(st.lists(models, min_size=1, max_size=3)),
    }
    optional: dict[str, st.SearchStrategy[Any]] = {
        "source": st.lists(st.sampled_from(["a.csv", "b-*.csv"]), min_size=1),
        "individual": st.just({"column": names[0], "conflict": "first"}),
        "method": st.sampled_from(["mondrian", {"mondrian": {"cut": "balanced"}}]),
        "suppression": st.fixed_dictionaries({"limit": st.floats(0, 1)}),
        "objective": st.sampled_from(["glm", "ncp"]),
        "ranges": st.sampled_from(["tight", "snapped", "columns"]),
        "shards": st.fixed_dictionaries({"rows": st.integers(2, 10**9)}),
        "engine": st.sampled_from(["local", {"local": {"workers": 3}}]),
        "missing": texts | st.lists(texts, max_size=3),
        "seed": st.integers(0, 2**63 - 1),
        "output": texts | st.builds(lambda f: {"folder": f, "format": "parquet"}, texts),
    }
    for key in draw(st.sets(st.sampled_from(sorted(optional)))):
        plan[key] = draw(optional[key])
    return plan


models = st.one_of(
    st.builds(lambda k: {"k-anonymity": {"k": k}}, st.integers(1, 99)),
    st.builds(lambda v: {"l-diversity": {"l": v, "kind": "entropy"}}, st.floats(1, 9)),
    st.builds(lambda v: {"l-diversity": {"l": v}}, st.integers(1, 9)),
    st.builds(lambda t: {"t-closeness": {"t": t}}, st.floats(0, 1)),
)


@settings(deadline=None)
@given(plans())
def test_every_plan_round_trips(given: dict[str, Any]) -> None:
    plan = Plan.parse(given)
    for again in (Plan.parse(plan.to_dict()), Plan.parse(plan.to_yaml())):
        assert again == plan
        assert again.digest() == plan.digest()
        assert again.to_dict() == plan.to_dict()
