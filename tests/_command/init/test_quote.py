"""Names and paths that YAML reads back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.init.quote import quoted
from shoal.plan import Plan


@given(st.text(min_size=1, max_size=12).filter(lambda t: "\0" not in t))
def test_any_name_can_be_quoted(name: str) -> None:
    text = f"attributes: {{{quoted(name)}: quasi}}\nprivacy: [{{k-anonymity: {{k: 2}}}}]"
    assert [a.name for a in Plan.parse(text).schema.attributes] == [name]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("../data/a.csv", "../data/a.csv"),
        ("/data/a.csv", '"/data/a.csv"'),
        ("my data.csv", '"my data.csv"'),
        ("No", '"No"'),
        ("", '""'),
        ("a\x7f", '"a\\u007f"'),
    ],
)
def test_paths_are_quoted_where_yaml_may_read_something_else(text: str, written: str) -> None:
    assert quoted(text, path=True) == written
