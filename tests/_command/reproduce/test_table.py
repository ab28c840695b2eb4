"""The tables of the experiments, where they are to be had."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal._command.reproduce import table
from shoal._command.reproduce.lgb import extract, largest_l
from shoal._command.reproduce.mks3wd import TABLES
from shoal.errors import DataError


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        *zip(
            TABLES,
            ((214, 9), (690, 14), (1599, 11), (4177, 8), (8124, 16), (19020, 10)),
            strict=True,
        )
    ],
)
def test_the_six_tables_have_the_papers_sizes(
    data_folder: Path, name: str, shape: tuple[int, int]
) -> None:
    frame = table.six(data_folder, name)
    assert frame.shape == shape
    assert frame.null_count().sum_horizontal().item() == 0
    rooted, bare = (table.six_attributes(frame, root) for root in (True, False))
    for column in frame.columns:
        values = {str(value) for value in frame[column].unique()}
        rows = rooted[column]["hierarchy"]["rows"]
        assert values <= {row[0] for row in rows}
        assert {row[-1] for row in rows} == {"*"}
        assert [row[:-1] for row in rows] == bare[column]["hierarchy"]["rows"]


@pytest.mark.data
def test_the_other_tables(data_folder: Path) -> None:
    assert table.complete_adult(data_folder, "adult.data", "adult.test").height == 45_222
    people = table.informs(data_folder)
    assert (people.height, people["DUPERSID"].n_unique()) == (96_766, 26_735)
    most = largest_l(data_folder, 2_000, 0.2, 1)
    assert most["occupation"] < 12
    frame = extract(data_folder, 2_000, 0.2, 1)
    assert 0.1 < (frame["age_secret"] == "yes").mean() < 0.3  # type: ignore[operator]


def test_a_missing_table_says_where_it_can_be_had(tmp_path: Path) -> None:
    for name in ("adult/adult.data", "informs-2008/conditions05.csv", "uci-glass/glass.data"):
        with pytest.raises(DataError) as caught:
            table.find_file(tmp_path, name)
        assert name.split("/")[0] in caught.value.problems[0].text
        assert "--data or SHOAL_DATA" in caught.value.problems[0].hint


def test_the_folder_of_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    assert table.find_folder() == tmp_path
    assert table.find_folder(tmp_path / "..") == tmp_path / ".."
    with pytest.raises(DataError, match="does not exist"):
        table.find_folder(tmp_path / "none")


def test_secrets_by_chance() -> None:
    frame = pl.DataFrame({"a": range(1000)})
    drawn = table.with_secrets(frame, ["a"], 0.3, np.random.default_rng(1))["a_secret"]
    assert set(drawn) == {"yes", "no"}
    assert 200 < (drawn == "yes").sum() < 400
