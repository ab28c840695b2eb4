"""The names of columns."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.errors import DataError
from shoal.source.name import check_names


@pytest.mark.parametrize("names", [["a"], ["a", "A", " a", "^a", "a$", "**"]])
def test_unique_texts_are_names(names: list[str]) -> None:
    assert check_names(iter(names), "The table") == tuple(names)


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        ([], ["The table has no columns."]),
        ([1, "a", None], ["The table has names that are not text: columns 1, 3."]),
        (["a", "b", "a"], ["The table has columns of the same name: 'a' (columns 1, 3)."]),
        ([1, 1], ["The table has names that are not text: columns 1, 2."]),
        (["", "a"], ["The table has no name for column 1."]),
        (["", ""], ["The table has no name for columns 1, 2."]),
        (
            ["*", "^a$", "a"],
            ["The table has names that would select several columns, '*' or '^…$': columns 1, 2."],
        ),
        (
            ["", "a", "a", 7],
            [
                "The table has names that are not text: column 4.",
                "The table has columns of the same name: 'a' (columns 2, 3).",
                "The table has no name for column 1.",
            ],
        ),
    ],
)
def test_every_fault_is_listed(names: list[Any], texts: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        check_names(names, "The table")
    assert [problem.text for problem in caught.value.problems] == texts
