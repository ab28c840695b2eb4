"""Plans that are wrong: everything is reported, at its line, without what was written."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.plan import Plan
from tests.plan.cases import problems_of

MISTAKES = """\
sourec: patients.csv
individual: nmae
attributes:
  name: identifier
  age: {role: quasi, kind: numeric, domain: [39, 30]}
  zip: {role: quazi}
  sex: {role: quasi,
        kind: ordinal}
  visit: {role: insensitive, hierarchy: flat}
  disease: {role: sensitive, kind: numerik}
  age: quasi
  size: {role: quasi, hierarchy: {width: -5, levels: 3}}
privacy:
  - k-anonymity: {k: 0}
  - l-diversity: {l: 2, attribute: diseases}
  - l-diversty: {l: 2}
  - eir-l: {l: 0}
  - t-closeness: {t: 0.2,
                  disance: equal}
  - alpha-k: {alpha: 2}
method: ka
suppression: {limit: 2}
seed: -1
table: t
"""


def test_all_mistakes_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(MISTAKES)
    with pytest.raises(PlanError) as caught:
        Plan.load(tmp_path / "plan.yaml")
    found = [(problem.line, problem.where) for problem in caught.value.problems]
    assert found == [
        (1, "sourec"),
        (2, "individual"),
        (5, "attributes.age.domain"),
        (6, "attributes.zip.role"),
        (7, "attributes.sex.values"),
        (9, "attributes.visit.hierarchy"),
        (10, "attributes.disease.kind"),
        (11, "attributes.age"),
        (12, "attributes.size.hierarchy"),
        (14, "privacy[0].k-anonymity.k"),
        (15, "privacy[1].l-diversity.attribute"),
        (16, "privacy[2].l-diversty"),
        (17, "privacy[3].eir-l.l"),
        (19, "privacy[4].t-closeness.disance"),
        (20, "privacy[5].alpha-k.alpha"),
        (20, "privacy[5].alpha-k.k"),
        (21, "method"),
        (21, "method"),
        (22, "suppression.limit"),
        (23, "seed"),
        (24, "table"),
    ]
    hints = {problem.where: problem.hint for problem in caught.value.problems}
    assert hints["sourec"] == "Did you mean 'source'?"
    assert hints["individual"] == "Did you mean 'name'?"
    assert hints["attributes.zip.role"] == "Did you mean 'quasi'?"
    assert hints["attributes.disease.kind"] == "Did you mean 'numeric'?"
    assert hints["privacy[1].l-diversity.attribute"] == "Did you mean 'disease'?"
    assert hints["privacy[2].l-diversty"] == "Did you mean 'l-diversity'?"
    assert hints["privacy[4].t-closeness.disance"] == "Did you mean 'distance'?"


@pytest.mark.parametrize(("plan", "words"), [("", "empty"), ("# x", "empty"), ("- a", "a list of")])
def test_what_is_not_a_mapping_is_no_plan(plan: str, words: str) -> None:
    [problem] = problems_of(plan)
    assert words in problem.text


RICH: dict[str, Any] = {
    "source": ["a.csv"],
    "table": None,
    "individual": {"column": "name", "conflict": "error"},
    "attributes": {
        "name": "identifier",
        "age": {
            "role": "quasi",
            "kind": "numeric",
            "domain": [1, 2],
            "hierarchy": {"width": 5, "levels": 3, "origin": 0},
            "missing": ["x"],
        },
        "zip": {"role": "sensitive", "flags": {"high": ["x"], "default": "low"},
                "values": ["x", "y"], "hierarchy": {"intervals": [1, 2]}},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month"]}},
        "area": {"role": "quasi", "hierarchy": {"mask": 2}},
        "secret": "flag",
        "disease": "sensitive",
    },
    "privacy": [
        {"k-anonymity": {"k": 2}},
        {"l-diversity": {"l": 2, "kind": "distinct", "c": None, "attribute": "disease"}},
    ],
    "method": {"mondrian": {"cut": "loss"}},
    "suppression": {"limit": 1},
    "objective": "glm",
    "polish": False,
    "ranges": "tight",
    "shards": {"rows": 2},
    "engine": {"local": {"workers": 1}},
    "missing": "NA",
    "seed": 1,
    "output": {"folder": "out", "format": "csv"},
}  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value but the names of models, methods and hierarchy files."""
    if (
        path
        and not (path[0] in ("privacy", "method") and len(path) < 3)
        and path[-1] != "hierarchy"
    ):
        yield path
    if isinstance(value, (dict, list)):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, step))


def message_of(plan: Any) -> str:
    """What is said of a plan; empty if it is right."""
    try:
        Plan.parse(plan)
    except PlanError as error:
        return str(error) or "an error without a message"
    return ""


@settings(deadline=None, max_examples=300)
@given(
    st.sets(st.sampled_from([p for p in places(RICH) if p != ("privacy",)]), min_size=1),
    st.sampled_from([lambda m: m, lambda m: [m], lambda m: {"role": m}, lambda m: [[m], m]]),
)
def test_what_is_written_in_a_plan_is_never_shown(places: set[Any], wrap: Any) -> None:
    plan = copy.deepcopy(RICH)
    for path in sorted(places, key=len, reverse=True):
        holder: Any = plan
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = wrap("S3CRET")
    message = message_of(plan)
    assert "S3CRET" not in message
    assert "pydantic" not in message
    assert "Input should" not in message


def test_the_plan_without_marks_is_right() -> None:
    assert message_of(RICH) == ""


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["role", "kind", "k", "k-anonymity", "local", "a", "hierarchy"]),
                inner,
                max_size=3,
            )
        ),
    ),
    st.sampled_from(sorted(RICH)),
)
@settings(deadline=None)
def test_any_rubbish_gives_a_plan_or_a_plan_error(rubbish: Any, key: str) -> None:
    assert message_of({**RICH, key: rubbish}) != "an error without a message"


def test_a_plan_declares_so_many_attributes_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "attributes:\n  a: quasi\n  b: quasi\nprivacy: [{k-anonymity: {k: 2}}]\n"
    monkeypatch.setattr("shoal.plan.assembly.MOST_ATTRIBUTES", 2)
    assert len(Plan.parse(text).schema.attributes) == 2
    monkeypatch.setattr("shoal.plan.assembly.MOST_ATTRIBUTES", 1)
    with pytest.raises(PlanError, match=r"line 1, attributes: .*at most 1 attributes, got 2"):
        Plan.parse(text)


def test_a_requirement_that_is_listed_twice_is_one() -> None:
    twice = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}, {"k-anonymity": {"k": 2}}]
    plan = Plan.parse({"attributes": {"age": "quasi", "ill": "sensitive"}, "privacy": twice})
    assert [m.name for m in plan.models] == ["k-anonymity", "l-diversity"]
    assert plan.repeated == ("k-anonymity {k: 2}",)
    assert Plan.parse(plan.to_dict()) == plan
