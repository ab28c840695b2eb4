"""Plans that are wrong: everything is reported, at its line, without what was written."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import PlanError, Problem
from shoal.plan import Plan

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


def problems_of(plan: Any, base: Path | None = None) -> tuple[Problem, ...]:
    with pytest.raises(PlanError) as caught:
        Plan.parse(plan, base)
    return caught.value.problems


def only_problem(**changes: Any) -> Problem:
    """The one problem of a small plan that is otherwise right."""
    plan: dict[str, Any] = {
        "attributes": {"age": "quasi", "disease": "sensitive", "name": "identifier"},
        "privacy": [{"k-anonymity": {"k": 2}}],
    }
    for name in ("age", "disease"):
        if name in changes:
            plan["attributes"][name] = changes.pop(name)
    [problem] = problems_of({**plan, **changes})
    return problem


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


def test_a_mapping_has_no_lines() -> None:
    problem = only_problem(seed=-1)
    assert problem.line is None
    assert problem.where == "seed"


@pytest.mark.parametrize(
    ("changes", "where", "text"),
    [
        ({"privacy": [{"k-anonymity": {"k": 0}}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity must be an integer of at least 1, got 0 instead."),
        ({"privacy": [{"k-anonymity": {"k": "5"}}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity must be an integer of at least 1, got a text instead."),
        ({"privacy": [{"k-anonymity": {"k": True}}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity must be an integer of at least 1, got true instead."),
        ({"privacy": ["k-anonymity"]}, "privacy[0].k",
         "The 'k' parameter of k-anonymity is required."),
        ({"privacy": [{"k-anonymity": None}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity is required."),
        ({"privacy": [{"t-closeness": {"t": "0.5"}}]}, "privacy[0].t-closeness.t",
         "The 't' parameter of t-closeness must be a number of at least 0 and at most 1, "
         "got a text instead."),
        ({"privacy": [{"t-closeness": {"t": float("nan")}}]}, "privacy[0].t-closeness.t",
         "The 't' parameter of t-closeness must be a number of at least 0 and at most 1, "
         "got nan instead."),
        ({"privacy": [{"l-diversity": {"l": 2.5}}]}, "privacy[0].l-diversity.l",
         "The 'l' parameter of distinct l-diversity must be an integer of at least 1, "
         "got 2.5 instead."),
        ({"privacy": [{"l-diversity": {"l": 2, "kind": "recursive"}}]}, "privacy[0].l-diversity",
         "The 'c' parameter of l-diversity is required with kind: recursive."),
        ({"privacy": [{"k-anonymity": 5}]}, "privacy[0].k-anonymity",
         "The parameters of k-anonymity must be a mapping, got 5 instead."),
        ({"privacy": [{"k-anonymity": {"k": 2}, "k-e": {}}]}, "privacy[0]",
         "There must be one model here, got 2 keys instead."),
        ({"privacy": [5]}, "privacy[0]",
         "This must be a model, or a mapping from it to its parameters, got 5 instead."),
        ({"privacy": []}, "privacy",
         "The plan must list at least one model under 'privacy'."),
        ({"privacy": None}, "privacy",
         "The plan must list at least one model under 'privacy'."),
        ({"privacy": {"k-anonymity": {"k": 2}}}, "privacy",
         "The 'privacy' parameter of the plan must be a list, got a mapping instead."),
        ({"privacy": [{"ir-k": {"k": 2}}]}, "privacy[0].ir-k",
         "ir-k counts people with all their rows, and the plan names no individual."),
        ({"method": "hilbert"}, "method",
         "The method 'hilbert' is not available in this version."),
        ({"method": {"modrian": {}}}, "method.modrian", "'modrian' is not a method."),
        ({"method": {"mondrian": {"cut": "best"}}}, "method.mondrian.cut",
         "The 'cut' parameter of mondrian must be one of 'loss', 'balanced' or 'median', "
         "got another word instead."),
        ({"method": 5}, "method",
         "This must be a method, or a mapping from it to its parameters, got 5 instead."),
        ({"attributes": {}}, "attributes", "The plan must declare at least one attribute."),
        ({"attributes": ["age"]}, "attributes",
         "The 'attributes' parameter of the plan must be a mapping from columns to a role or a "
         "mapping, got a list of 1 instead."),
        ({"age": {"kind": "numeric"}}, "attributes.age.role",
         "The 'role' parameter of attribute 'age' is required."),
        ({"age": 5}, "attributes.age",
         "Attribute 'age' must be a role, or a mapping with a role, got 5 instead."),
        ({"age": {"role": "quasi", "colour": 1}}, "attributes.age.colour",
         "'colour' is not a key of attribute 'age'."),
        ({"age": {"role": "quasi", "domain": [1, 1]}}, "attributes.age.domain",
         "The 'domain' parameter of attribute 'age' must be a list of two numbers, the lower one "
         "first, got [1, 1] instead."),
        ({"age": {"role": "quasi", "domain": [1, 2, 3]}}, "attributes.age.domain",
         "The 'domain' parameter of attribute 'age' must be a list of two numbers, the lower one "
         "first, got a list of 3 instead."),
        ({"age": {"role": "quasi", "domain": [1, float("inf")]}}, "attributes.age.domain[1]",
         "The 'domain[1]' parameter of attribute 'age' must be a number, got inf instead."),
        ({"age": {"role": "quasi", "domain": [1, 2], "kind": "date"}}, "attributes.age.domain",
         "The 'domain' parameter of attribute 'age' is for numeric attributes, but the kind is "
         "date."),
        ({"age": {"role": "quasi", "values": ["a", "b", "a"]}}, "attributes.age.values",
         "The 'values' parameter of attribute 'age' must list each value once, but items 0 and 2 "
         "are equal."),
        ({"age": {"role": "quasi", "values": [True]}}, "attributes.age.values[0]",
         "The 'values[0]' parameter of attribute 'age' must be a text, got true instead."),
        ({"age": {"role": "quasi", "kind": "ordinal"}}, "attributes.age.values",
         "The 'values' parameter of attribute 'age' is required for the kind ordinal."),
        ({"age": {"role": "quasi", "kind": "date", "hierarchy": {"width": 5, "levels": 1}}},
         "attributes.age.kind",
         "The 'kind' parameter of attribute 'age' must be numeric for this hierarchy, got date "
         "instead."),
        ({"disease": {"role": "sensitive", "flag": "name"}}, "attributes.disease.flag",
         "The 'flag' parameter of attribute 'disease' must name a column with role flag, but "
         "its role is identifier."),
        ({"age": {"role": "quasi", "flags": {"default": "low"}}}, "attributes.age.flags",
         "The 'flags' parameter of attribute 'age' is for sensitive attributes, but the role is "
         "quasi."),
        ({"disease": {"role": "semi-sensitive"}, "method": "lgb-mdp"}, "attributes.disease",
         "Attribute 'disease' is semi-sensitive and needs a flag column, but has none."),
        ({"disease": {"role": "sensitive", "flags": {"high": "x <"}}},
         "attributes.disease.flags.high",
         "The 'flags.high' parameter of attribute 'disease' must compare x with numbers, as in "
         "'x >= 50000'."),
        ({"disease": {"role": "sensitive", "flags": {"high": ["a"], "low": ["b", "a"]}}},
         "attributes.disease.flags.high",
         "The 'flags.high' parameter of attribute 'disease' must not list item 1, which low lists "
         "too."),
        ({"disease": {"role": "sensitive", "flags": {"highest": ["a"]}}},
         "attributes.disease.flags.highest",
         "The 'flags.highest' parameter of attribute 'disease' must be one of low, middle, high "
         "and default."),
        ({"disease": {"role": "sensitive", "flags": {"default": "none"}}},
         "attributes.disease.flags.default",
         "The 'flags.default' parameter of attribute 'disease' must be low, middle or high."),
        ({"disease": {"role": "sensitive", "flags": {"high": 3}}}, "attributes.disease.flags.high",
         "The 'flags.high' parameter of attribute 'disease' must be a list of values, or a "
         "condition on x."),
        ({"age": {"role": "quasi", "flags": "x"}}, "attributes.age.flags",
         "The 'flags' parameter of attribute 'age' must be a mapping, got a text instead."),
        ({"individual": "age"}, "individual",
         "The column of 'individual' must have the role identifier, got quasi instead."),
        ({"individual": {"column": "name", "conflict": "last"}}, "individual.conflict",
         "The 'conflict' parameter of individual must be one of 'error', 'first' or 'mode', got "
         "another word instead."),
        ({"source": "postgresql://host/db"}, "source",
         "This version reads files only, not databases or other addresses."),
        ({"query": "SELECT 1"}, "query",
         "This version does not read databases, so 'query' cannot be used."),
        ({"source": []}, "source",
         "The 'source' parameter of the plan must be a path or a list of paths, got an empty list "
         "instead."),
        ({"suppression": {"limit": -0.1}}, "suppression.limit",
         "The 'limit' parameter of suppression must be a number of at least 0 and at most 1, got "
         "-0.1 instead."),
        ({"suppression": 0.1}, "suppression",
         "The 'suppression' parameter of the plan must be a mapping, got 0.1 instead."),
        ({"objective": "loss"}, "objective",
         "The 'objective' parameter of the plan must be one of 'glm' or 'ncp', got another word "
         "instead."),
        ({"polish": True}, "polish",
         "The 'polish' parameter of the plan is not available in this version."),
        ({"ranges": "loose"}, "ranges",
         "The 'ranges' parameter of the plan must be one of 'tight', 'snapped' or 'columns', got "
         "another word instead."),
        ({"shards": {"rows": 1}}, "shards.rows",
         "The 'rows' parameter of shards must be an integer of at least 2, got 1 instead."),
        ({"shards": {}}, "shards.rows", "The 'rows' parameter of shards is required."),
        ({"engine": "spark"}, "engine", "The engine 'spark' is not available in this version."),
        ({"engine": {"spark": {"cores": 3}}}, "engine.spark",
         "The engine 'spark' is not available in this version."),
        ({"engine": "cloud"}, "engine",
         "The 'engine' parameter of the plan must be 'local', got another word instead."),
        ({"engine": {"local": {"workers": 0}}}, "engine.local.workers",
         "The 'workers' parameter of engine local must be an integer of at least 1, got 0 "
         "instead."),
        ({"missing": [None]}, "missing[0]",
         "The 'missing[0]' parameter of the plan must be a text, got nothing instead."),
        ({"seed": 2**63}, "seed",
         "The 'seed' parameter of the plan must be an integer of at least 0 and below "
         "9223372036854775808, got 9223372036854775808 instead."),
        ({"output": {"format": "csv"}}, "output.folder",
         "The 'folder' parameter of output is required."),
        ({"output": ""}, "output.folder",
         "The 'folder' parameter of output must be a text that is not empty, got an empty text "
         "instead."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(changes: dict[str, Any], where: str, text: str) -> None:
    problem = only_problem(**changes)
    assert (problem.where, problem.text) == (where, text)


@pytest.mark.parametrize("role", ["identifier", "insensitive", "flag", "sensitivity"])
def test_only_some_roles_have_a_hierarchy(role: str) -> None:
    [problem] = problems_of(
        {
            "attributes": {"age": "quasi", "other": {"role": role, "hierarchy": "flat"}},
            "privacy": [{"k-anonymity": {"k": 2}}],
        }
    )
    assert problem.where == "attributes.other.hierarchy"


def test_problems_of_a_hierarchy_file_name_its_line_and_the_plan_s(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a;A;*\nb;B;*\na;B;*\n")
    plan = (
        "attributes:\n  age:\n    role: quasi\n    hierarchy: h.csv\n"
        "privacy:\n  - k-anonymity: {k: 2}\n"
    )
    problems = problems_of(plan, tmp_path)
    assert {(problem.line, problem.where) for problem in problems} == {
        (4, "attributes.age.hierarchy")
    }
    assert any("h.csv" in problem.text and "lines 1 and 3" in problem.text for problem in problems)


def test_an_attribute_of_unknown_role_raises_no_false_alarm() -> None:
    plan = {
        "attributes": {"age": "quasi", "disease": "sensitiv"},
        "privacy": [{"l-diversity": {"l": 2}}, {"t-closeness": {"t": 0.1, "attribute": "disease"}}],
    }
    [problem] = problems_of(plan)
    assert problem.where == "attributes.disease.role"


def test_cross_checks_run_beside_an_attribute_of_unknown_role() -> None:
    plan = {
        "attributes": {"age": "quasi", "disease": "sensitiv"},
        "privacy": [{"l-diversity": {"l": 2, "attribute": "age"}}],
    }
    assert [problem.where for problem in problems_of(plan)] == [
        "attributes.disease.role",
        "privacy[0].l-diversity",
    ]


def test_wrong_values_do_not_count_as_none() -> None:
    problem = only_problem(age={"role": "quasi", "kind": "ordinal", "values": ["a", None]})
    assert problem.where == "attributes.age.values[1]"


def test_a_wrong_hierarchy_does_not_count_as_none() -> None:
    plan = {
        "attributes": {
            "age": {"role": "quasi", "hierarchy": {"width": 0, "levels": 1}},
            "disease": "sensitive",
        },
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "ka",
    }
    [problem] = problems_of(plan)
    assert problem.where == "attributes.age.hierarchy"


@pytest.mark.parametrize(("plan", "words"), [("", "empty"), ("# x", "empty"), ("- a", "a list of")])
def test_what_is_not_a_mapping_is_no_plan(plan: str, words: str) -> None:
    [problem] = problems_of(plan)
    assert words in problem.text


def test_a_plan_that_is_not_there_has_a_near_name(tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text("")
    for name, hint in [
        ("relase.yaml", "Did you mean 'release.yaml'?"),
        ("x", "The folder contains release.yaml."),
        ("nowhere/x.yaml", "The folder 'nowhere' does not exist."),
    ]:
        with pytest.raises(PlanError) as caught:
            Plan.load(tmp_path / name)
        assert caught.value.problems[0].hint == hint
    with pytest.raises(PlanError, match="is a folder"):
        Plan.load(tmp_path)


def test_a_plan_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_bytes(b"seed: 1\nsource: M\xfcller.csv\n")
    with pytest.raises(PlanError, match=r"line 2: The plan must be UTF-8"):
        Plan.load(tmp_path / "plan.yaml")


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
