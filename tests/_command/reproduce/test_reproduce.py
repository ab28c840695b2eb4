"""The whole way from a paper's name to its page."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal._command.reproduce import reproduce
from shoal._command.reproduce.reproduce import REPRODUCED, chosen, claims_table
from shoal.errors import PlanError


def test_all_27_figures_are_there() -> None:
    numbers = {key: [f.number for f in p.figures] for key, p in REPRODUCED.items()}
    assert numbers == {
        "mks3wd": [5, 6, 7, 8],
        "lgb": [5, 6, 7, 8],
        "identity": [2, 3, 4, 5, 6, 7, 8, 9],
        "graph": [11, 12, 13, 14, 15, 16, 17, 18, 19],
        "mhsa": [3, 4],
        "across": [1, 2],
    }


def test_what_does_not_exist() -> None:
    assert [p.key for p in chosen("all", 19)] == ["graph"]
    with pytest.raises(PlanError, match="no paper 'x'"):
        chosen("x", None)
    with pytest.raises(PlanError, match="no figure 19 in mhsa"):
        chosen("mhsa", 19)


@pytest.mark.slow
def test_a_paper_of_which_a_table_is_missing(tmp_path: Path) -> None:
    """The patients are made here, Adult is not there: half of the panels are drawn."""
    told: list[tuple[int, int]] = []
    out, none = tmp_path / "out", tmp_path / "none"
    none.mkdir()
    (done,) = reproduce(
        "mhsa", None, none, out, True, workers=1, progress=lambda *p: told.append(p)
    )
    assert done.figures == (3, 4)
    assert "adult" in done.lacking[0].text
    assert done.results.errors == []
    assert pl.read_csv(out / "mhsa" / "figure-3.csv")["panel"].n_unique() == 2
    assert "adult" in (out / "mhsa.md").read_text(encoding="utf-8")
    assert pl.read_csv(out / "mhsa" / "claims.csv").height == len(done.answers)
    files = {p: p.read_bytes() for p in done.written}
    (again,) = reproduce("mhsa", None, none, out, True, workers=1)
    assert again.results.finished.computed == 0
    assert {p: p.read_bytes() for p in again.written} == files
    assert claims_table([done, again]).height == 2 * len(done.answers)


@pytest.mark.data
@pytest.mark.slow
def test_everything_runs_quickly(data_folder: Path, tmp_path: Path) -> None:
    done = reproduce("all", None, data_folder, tmp_path, True)
    assert [one.key for one in done] == list(REPRODUCED)
    for one in done:
        assert one.results.errors == []
        assert one.lacking == ()
        assert one.figures == tuple(f.number for f in REPRODUCED[one.key].figures)
        assert (tmp_path / f"{one.key}.html").is_file()
    assert sum(len(one.answers) for one in done) == pl.read_csv(tmp_path / "claims.csv").height
