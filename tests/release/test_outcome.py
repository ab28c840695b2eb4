"""What is published is what was verified, and what cannot be published is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import VerificationError

TABLE = pl.DataFrame({"who": list("abcdefgh"), "age": [20, 20, 30, 30] * 2})


def test_nothing_but_the_verified_tables_is_written(tmp_path: Path) -> None:
    plan = {
        "attributes": {"who": "identifier", "age": "quasi"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "ranges": "columns",
    }
    release = shoal.run(plan, TABLE)
    with pytest.raises(TypeError):
        release.coded["data"] = TABLE  # type: ignore[index]
    assert release.frame is not release.coded["data"]
    release.coded["data"].insert_column(0, TABLE["who"].gather(release.origin))
    with pytest.raises(VerificationError, match="must be those that were verified"):
        release.save(tmp_path / "r")
    assert list(tmp_path.iterdir()) == []
