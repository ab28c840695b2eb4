"""What a cluster cannot do is refused before Spark is even started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run import cluster
from shoal.errors import PlanError

PEOPLE = pl.DataFrame({"age": [31, 33, 34, 58], "who": list("abca"), "ill": list("xyxy")})


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(cluster, "spark_engine", fail)


def refused(folder: Path | None, **changes: Any) -> str:
    plan = {
        "attributes": {"age": "quasi", "who": "identifier", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "mondrian",
        "engine": "spark",
        **changes,
    }
    with pytest.raises(PlanError) as caught:
        shoal.run(plan, PEOPLE, output=folder)
    assert folder is None or not folder.exists()
    return str(caught.value)


def test_an_output_folder_is_required() -> None:
    assert "A run on Spark needs an output folder" in refused(None, shards={"rows": 1000})


def test_without_shards_only_counting_methods_run(tmp_path: Path) -> None:
    said = refused(tmp_path / "out")
    assert (
        "mondrian on Spark needs 'shards': without them, only ka, top-down and sd-mks3wd run"
        in said
    )


def test_all_that_stands_in_the_way_is_listed(tmp_path: Path) -> None:
    said = refused(tmp_path / "out", individual="who", order="input")
    assert "People with several rows ('individual') on Spark need 'shards'" in said
    assert "'order: input'" in said
