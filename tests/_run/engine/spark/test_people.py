"""People with several rows and flags on Spark: the release of one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.reading.table import read_table
from tests._run.part.table import people_plan, visits

pytestmark = pytest.mark.system("java")

PLANS = {
    "names": people_plan({"danonyir": {"first": ["n7", "n150"]}}),
    "first": people_plan(
        "mondrian",
        privacy=[{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}],
        individual={"column": "name", "conflict": "first"},
    ),
    "flags": people_plan(
        "qi-mhsa",
        privacy=[{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}],
        attributes={
            **people_plan()["attributes"],
            "ill": {"role": "sensitive", "flags": {"high": ["a", "b"], "default": "low"}},
        },
    ),
}


@pytest.mark.parametrize("case", PLANS)
def test_the_release_is_that_of_one_machine(spark: Any, tmp_path: Path, case: str) -> None:
    frame = visits(differ=case == "first")
    for number, part in enumerate(frame.iter_slices(150)):
        part.write_parquet(tmp_path / f"{number}.parquet")
    source = str(tmp_path / "*.parquet")
    release = shoal.run(PLANS[case], source, "spark", output=tmp_path / "spark")
    held = shoal.run(PLANS[case], frame)
    found = read_table(tmp_path / "spark" / "data.parquet")
    assert found.columns[0] == "Id_num"
    assert found.cast({"visit": str, "ill": str}).equals(
        held.frame.cast(dict.fromkeys(held.frame.columns, str))
    )
    assert release.counts == held.counts
    assert shoal.audit(tmp_path / "spark", original=frame).holds
