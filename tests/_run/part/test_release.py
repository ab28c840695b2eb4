"""A release that is not in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal._run.part.release import WrittenRelease
from tests._run.part.table import people, plan_of


def test_the_table_is_read_when_it_is_wanted(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    release = shoal.run(plan_of(), tmp_path / "t.parquet", output=tmp_path / "r")
    assert isinstance(release, WrittenRelease)
    whole = shoal.run(plan_of(), people())
    assert release.frame.equals(whole.frame)
    assert release.frame.schema == whole.frame.schema
    assert "glm" in release.measures
    assert "entropy" not in release.measures
    with pytest.raises(KeyError, match="not summed"):
        release.measures["entropy"]
    assert len(release.measures.quick) == len(release.measures)
    for name in ("rows", "classes"):
        with pytest.raises(shoal.ShoalError, match=f"release.{name} needs the whole table"):
            getattr(release, name)
    with pytest.raises(shoal.ShoalError, match="written already"):
        release.save(tmp_path / "again")
