"""The tables of the papers' experiments, from a folder of public data sets.

None of them is part of shoal. A table that is not there is a DataError that says where to get it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import DataError

ADULT = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "salary-class",
]  # fmt: skip
UNKNOWN = ["-1", "-9"]
_UCI = "the UCI Machine Learning Repository (archive.ics.uci.edu), {}"
WHERE = {
    "adult": _UCI.format("data set 2, with ARX's hierarchies in hierarchies-arx"),
    "informs-2008": "the INFORMS data mining contest 2008 (its files of 2005)",
    "census-acs2018-gov": "the US Census, ACS 2018, as gov_census.csv.gz",
    "uci-glass": _UCI.format("data set 42"),
    "uci-australian": _UCI.format("data set 143"),
    "uci-wine-red": _UCI.format("data set 186"),
    "uci-abalone": _UCI.format("data set 1"),
    "uci-mushroom": _UCI.format("data set 73"),
    "uci-magic": _UCI.format("data set 159"),
}
# Columns of mushroom that the paper cannot have used: stalk-root has missing values, veil-type one.
_LEFT_OUT = (10, 15)
_SIX: dict[str, tuple[str, str, int, int]] = {
    # file, separator, first column, how many quasi-identifiers
    "glass": ("uci-glass/glass.data", ",", 1, 9),
    "statlog": ("uci-australian/australian.dat", " ", 0, 14),
    "wine": ("uci-wine-red/winequality-red.csv", ";", 0, 11),
    "abalone": ("uci-abalone/abalone.data", ",", 0, 8),
    "mushroom": ("uci-mushroom/agaricus-lepiota.data", ",", 1, 16),
    "magic": ("uci-magic/magic04.data", ",", 0, 10),
}
_BINS = 10
_CATEGORIES = 12


def find_folder(given: str | Path | None = None) -> Path:
    """The folder of data sets: as given, else SHOAL_DATA, else ../shared/data."""
    named = given or os.environ.get("SHOAL_DATA")
    folder = Path(named) if named else Path("..") / "shared" / "data"
    if named and not folder.is_dir():
        raise DataError(
            f"The folder of data sets, {folder}, does not exist.",
            hint="Name another with --data, or set SHOAL_DATA.",
        )
    return folder


def find_file(folder: Path, name: str) -> Path:
    """A file of a data set; raises DataError that says where to get it."""
    path = folder / name
    if not path.is_file():
        which = name.split("/")[0]
        raise DataError(
            f"The data set {which!r} lacks the file {name.removeprefix(which + '/')!r}, or is not "
            "in the folder of data sets.",
            hint=f"Download it from {WHERE[which]}. Put it there, or name the folder with "
            "--data or SHOAL_DATA.",
        )
    return path


def complete_adult(folder: Path, *files: str) -> pl.DataFrame:
    """The rows of these files of Adult without a missing value, as text."""
    parts = [
        pl.read_csv(
            find_file(folder, f"adult/{name}"),
            has_header=False,
            new_columns=ADULT,
            infer_schema=False,
            comment_prefix="|",
        )
        for name in files
    ]
    clean = pl.concat(parts).with_columns(pl.all().str.strip_chars()).drop_nulls()
    return clean.filter(~pl.any_horizontal(pl.all() == "?"))


def adult_hierarchy(folder: Path, name: str) -> dict[str, Any]:
    """ARX's hierarchy of a column of Adult, as rows, so that a plan holds all of it."""
    file = find_file(folder, f"adult/hierarchies-arx/adult_hierarchy_{name}.csv")
    lines = file.read_text(encoding="utf-8").splitlines()
    return {"rows": [line.split(";") for line in lines if line]}


def informs(folder: Path) -> pl.DataFrame:
    """The 2005 slice of INFORMS 2008: a row for every person and condition.

    People (demographics05test) and their conditions (conditions05) are joined on DUPERSID;
    `condition` is ICD9CODX, a three-digit ICD-9 code, without -1 (inapplicable) and -9 (not
    ascertained), and equal rows of a person are one. Who has no condition left is not in the
    table. People stand in the order of their file: 26,735 people, 96,766 rows, 599 conditions.
    """
    texts = {"DUPERSID": pl.String, "ICD9CODX": pl.String}
    people = pl.read_csv(
        find_file(folder, "informs-2008/demographics05test.csv"), schema_overrides=texts
    )
    conditions = (
        pl.read_csv(find_file(folder, "informs-2008/conditions05.csv"), schema_overrides=texts)
        .select("DUPERSID", condition="ICD9CODX")
        .filter(~pl.col("condition").is_in(UNKNOWN))
        .unique(maintain_order=True)
    )
    return people.join(conditions, on="DUPERSID", how="inner", maintain_order="left_right")


@cache
def census(folder: Path) -> pl.DataFrame:
    """Government employees of the ACS 2018, 204,309 rows."""
    return pl.read_csv(find_file(folder, "census-acs2018-gov/gov_census.csv.gz"))


def with_secrets(
    frame: pl.DataFrame, names: Sequence[str], share: float, draw: np.random.Generator
) -> pl.DataFrame:
    """The table with a flag for every cell of these columns: secret with this chance."""
    return frame.with_columns(
        pl.Series(f"{name}_secret", np.where(draw.random(frame.height) < share, "yes", "no"))
        for name in names
    )


@cache
def six(folder: Path, name: str) -> pl.DataFrame:
    """A table of MKS3WD, its numbers cut into ten bins of equal frequency.

    A column of numbers with more than twelve values is cut; the bins of equal values are one.
    """
    file, separator, first, n = _SIX[name]
    raw = pl.read_csv(
        find_file(folder, file),
        separator=separator,
        has_header=name == "wine",
        infer_schema_length=None,
    )
    names = raw.columns[first:]
    if name == "mushroom":
        names = [one for place, one in enumerate(names) if place not in _LEFT_OUT]
    columns = [_binned(raw[one]) for one in names[:n]]
    return pl.DataFrame([c.alias(f"q{i:02d}") for i, c in enumerate(columns, 1)])


def _binned(column: pl.Series) -> pl.Series:
    if not column.dtype.is_numeric() or column.n_unique() <= _CATEGORIES:
        return column.cast(pl.String)
    # Equal values have equal ranks, so that they are in one bin.
    rank = column.rank("min").to_numpy() - 1
    return pl.Series((rank * _BINS // len(column)).astype(np.int64))


def six_attributes(frame: pl.DataFrame, root: bool) -> dict[str, Any]:
    """Ten bins, then five, two (of six and four) and, with a root, `*`; categories alone, `*`."""
    bins = [[str(b), f"{b // 2}/5", f"{b // 6}/2", "*"][: 4 if root else 3] for b in range(_BINS)]
    made: dict[str, Any] = {}
    for name, dtype in frame.schema.items():
        if dtype == pl.String:
            values = sorted(frame[name].unique().to_list())
            rows = [[value, "*"][: 2 if root else 1] for value in values]
        else:
            rows = bins
        made[name] = {"role": "quasi", "kind": "categorical", "hierarchy": {"rows": rows}}
    return made
