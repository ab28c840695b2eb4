"""YAML with lines: what is read, and how it fails."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy
from shoal.plan.document import read_mapping, read_text, where


def failure(text: str) -> PlanError:
    with pytest.raises(PlanError) as caught:
        read_text(text)
    return caught.value


def test_yaml_1_2_keeps_no_and_dates_as_texts() -> None:
    assert read_text("[NO, yes, off, 2020-01-01, true, ~, 012, 0x1F, 1e3, .inf]").data == [
        "NO", "yes", "off", "2020-01-01", True, None, 12, 31, 1000.0, float("inf"),
    ]  # fmt: skip


def test_every_entry_has_its_line() -> None:
    lines = read_text("# a comment\na: 1\nb:\n  - x\n  - {c: 1,\n     d: 2}\n").lines
    assert [lines[path] for path in [("a",), ("b",), ("b", 0), ("b", 1, "c"), ("b", 1, "d")]] == [
        2, 3, 4, 5, 6,
    ]  # fmt: skip


def test_numbers_are_kept_as_typed() -> None:
    assert read_text("a: [1.50, 007, +3]").typed == {
        ("a", 0): "1.50",
        ("a", 1): "007",
        ("a", 2): "+3",
    }


def test_keys_are_texts() -> None:
    assert read_text("2005: 1\ntrue: 2\n1.50: 3").data == {"2005": 1, "true": 2, "1.50": 3}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a:\n\t- b", 2, "tab"),
        ("a: 1\n b: 2", 2, "':'"),
        ("- a\nb: 1", 2, "indentation"),
        ("a: [1, 2\nb: 3", 2, "not closed"),
        ("a: 'x\n", 2, "quote is not closed"),
        ("a: *S3CRET", 1, "alias"),
        ("a: @S3CRET", 1, "reserves"),
        ("a: 1\n---\nb: 1", 2, "second document"),
        ("a: \x01", None, "control character"),
        ("[" * 1500, None, "nested too deeply"),
        ("a: &x [*x]", None, "circle"),
    ],
)
def test_what_is_not_yaml_is_said_with_its_line(text: str, line: int | None, words: str) -> None:
    error = failure(text)
    assert error.problems[0].line == line
    assert words in str(error)
    assert "S3CRET" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


def test_aliases_that_grow_are_refused() -> None:
    layers = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    layers += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 8)]
    assert "too large" in str(failure("\n".join(layers)))


def test_an_alias_is_read() -> None:
    assert read_text("a: &x {b: 1}\nc: *x").data == {"a": {"b": 1}, "c": {"b": 1}}


def test_a_repeated_anchor_does_not_warn() -> None:
    assert read_text("a: &x 1\nb: &x 2\nc: *x").data == {"a": 1, "b": 2, "c": 2}


def test_a_key_given_twice_names_both_lines() -> None:
    [problem] = read_text("a: 1\nb: 2\n'a': 3").problems
    assert problem.line == 3
    assert "lines 1 and 3" in problem.text


@pytest.mark.parametrize("value", ["!!python/object:os.system x", "!secret x", "!!set {a, b}"])
def test_tags_build_nothing(value: str) -> None:
    document = read_text(f"a: 1\nb: {value}")
    assert document.data["b"] is None
    assert [problem.line for problem in document.problems] == [2]


@pytest.mark.parametrize("key", ["<<: {a: 1}", "? [a]\n: 1"])
def test_keys_that_are_no_texts_are_refused(key: str) -> None:
    assert len(read_text(key).problems) == 1


keys = st.text(max_size=60)  # YAML reads keys of up to 1024 signs
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(keys, json_values, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_json_is_yaml(data: dict[str, object], indent: int | str | None) -> None:
    text = json.dumps(data, indent=indent).replace("Infinity", "1e999")
    assert read_text(text).data == json.loads(text)


def test_a_mapping_is_copied_to_plain_data() -> None:
    given = {
        2005: np.int64(3),
        "a": (1, np.float64(2.5)),
        "b": np.array([1, 2]),
        "c": datetime.date(2020, 1, 2),
        "d": Path("x") / "y",
        "e": Hierarchy.mask(3),
        "f": True,
    }
    copied = read_mapping(given).data
    assert copied == {
        "2005": 3, "a": [1, 2.5], "b": [1, 2], "c": "2020-01-02", "d": "x/y", "e": {"mask": 3},
        "f": True,
    }  # fmt: skip
    assert type(copied["2005"]) is int


def test_a_mapping_with_other_objects_is_refused() -> None:
    problems = read_mapping({"a": {"b": object()}, None: 1, "1": 1, 1: 2}).problems
    assert [problem.where for problem in problems] == ["a.b", "", "1"]


def test_a_mapping_inside_itself_is_refused() -> None:
    given: dict[str, object] = {}
    given["a"] = [given]
    with pytest.raises(PlanError, match="nested too deeply"):
        read_mapping(given)


def test_where_shows_strange_keys_safely() -> None:
    assert where(("attributes", "a\nb", "values", 0)) == "attributes.'a\\nb'.values[0]"
