"""A whole table in numbers."""

from __future__ import annotations

import polars as pl

from shoal._command.init import profile


def test_singled_out_counts_rows_that_are_alone_in_all_columns() -> None:
    found = profile(pl.DataFrame({"a": [1, 1, 2, 2], "b": ["x", "y", "x", "x"]}))
    assert found.n_singled_out(["a"]) == 0
    assert found.n_singled_out(["a", "b"]) == 2
    assert found.n_singled_out([]) == 0


def test_people_are_singled_out_by_all_their_rows_together() -> None:
    """Both rows of p say the same, which nobody else says; q and r say the same."""
    found = profile(pl.DataFrame({"who": list("ppqqr"), "a": list("xxyyy"), "b": list("uuvvv")}))
    assert found.n_singled_out(["a", "b"]) == 0
    assert found.n_singled_out(["a", "b"], "who") == 1
    assert found.n_singled_out([], "who") == 0


def test_nothing_of_the_cells_shows() -> None:
    found = profile(pl.DataFrame({"x": ["secret-1", "secret-2"], "y": [31337, 4711]}))
    for shown in (repr(found), repr(found.columns), str([c.as_data() for c in found.columns])):
        assert "secret" not in shown
        assert "31337" not in shown
