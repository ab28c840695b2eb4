"""`shoal init`, then `shoal run` as it is, on every table of the data folder that has people."""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any
from zipfile import ZipFile

import polars as pl

import shoal
from benchmarks.data import data_folder
from benchmarks.people import informs
from shoal._command.init import profile, propose
from shoal.plan import Plan

_ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,salary-class"
)


def _texts(path: str) -> pl.DataFrame:
    return pl.read_csv(data_folder() / path, infer_schema=False)


def _adult() -> pl.DataFrame:
    raw = (data_folder() / "adult" / "adult.data").read_text().replace(", ", ",").strip()
    return pl.read_csv(io.StringIO(f"{_ADULT}\n{raw}"), infer_schema=False)


def _diabetes() -> pl.DataFrame:
    with ZipFile(data_folder() / "diabetes-130" / "dataset_diabetes.zip") as archive:
        text = archive.read("dataset_diabetes/diabetic_data.csv")
    return pl.read_csv(io.BytesIO(text), infer_schema=False)


def _with_patients(facts: str) -> pl.DataFrame:
    """Synthea's patients with the rows of another table of theirs."""
    folder = "synthea-ibm-california"
    rows = _texts(f"{folder}/{facts}.csv").rename({"PATIENT": "ID"})
    return _texts(f"{folder}/patients.csv").join(rows, on="ID", how="inner")


_NIST = ("ma2018", "ma2019", "national2018", "national2019", "tx2018", "tx2019")
TABLES: dict[str, Callable[[], pl.DataFrame]] = {
    "adult": _adult,
    "census-acs2018-gov": lambda: _texts("census-acs2018-gov/gov_census.csv.gz"),
    **{
        f"nist {name}": lambda name=name: _texts(f"census-nist-acs-excerpts/{name}.csv")
        for name in _NIST
    },
    "diabetes-130": _diabetes,
    "informs people": lambda: _texts("informs-2008/demographics05test.csv"),
    "informs conditions": lambda: informs(8),
    "synthea patients": lambda: _texts("synthea-ibm-california/patients.csv"),
    "synthea conditions": lambda: _with_patients("conditions"),
    "synthea medications": lambda: _with_patients("medications"),
    "smartnoise medical": lambda: _texts("smartnoise-linkage-demo/data_medical.csv"),
    "smartnoise people": lambda: _texts("smartnoise-linkage-demo/data_demographic.csv"),
    "febrl people": lambda: _texts("febrl-names/dataset4a.csv"),
}


def first_hour(table: str) -> dict[str, Any]:
    """What becomes of one table without a look at it: columns, loss, `*` cells, warnings, seconds.

    The seconds are of the processor, since machines that do other things too tell no other.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        TABLES[table]().write_csv(path)
        begin = process_time()
        found = propose(profile(path), source="table.csv", base=folder)
        proposed = process_time()
        (Path(folder) / "plan.yaml").write_text(found.text, encoding="utf-8")
        release = shoal.run(Plan.load(Path(folder) / "plan.yaml"))
        done = process_time()
    quasi = [one.name for one in found.quasi]
    losses = release.measures.by_attribute
    dearest = max(losses, key=lambda name: losses[name])
    said = Counter(str(advice.severity) for advice in release.warnings)
    return {
        "table": table,
        "rows": found.n_rows,
        "columns": len(found.entries),
        "quasi-identifiers": ", ".join(quasi),
        "secrets": ", ".join(f"{name} (l = {least})" for name, least in found.diversity.items()),
        "left to decide": sum(one.is_open for one in found.entries),
        "method": release.method,
        "expected": None if found.rehearsed is None else round(found.rehearsed.loss, 3),
        "loss": round(release.measures["glm"], 3),
        "most lost": f"{dearest} {losses[dearest]:.2f}",
        "* cells": round(_stars(release.frame, quasi), 3),
        "warnings": ", ".join(f"{count} {kind}" for kind, count in sorted(said.items())),
        "init s": round(proposed - begin, 1),
        "run s": round(done - proposed, 1),
    }


def _stars(frame: pl.DataFrame, quasi: list[str]) -> float:
    """The share of the cells of quasi-identifiers that show nothing."""
    cells = [frame.get_column(name) for name in quasi]
    return sum(int((column == "*").sum()) for column in cells) / max(frame.height * len(quasi), 1)
