"""The canonical form of a plan, and its digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.plan import Plan
from tests.plan.cases import SMALL


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
        "method": "auto",
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
        {"polish": {"steps": 5}},
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
        "objective": st.sampled_from(["glm", "ncp", "nloss", "prec", "dm"]),
        "polish": st.sampled_from([{"steps": 9}, {"seconds": 0.5}]),
        "ranges": st.sampled_from(["tight", "snapped", "columns"]),
        "shards": st.fixed_dictionaries({"rows": st.integers(2, 10**9)}),
        "engine": st.sampled_from(
            [
                "local",
                {"local": {"workers": 3}},
                "spark",
                {"spark": {"master": "local[2]", "conf": {"spark.cores.max": 4, "a": "b"}}},
            ]
        ),
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
