"""The ledger survives the disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from shoal.folder.ledger import read_ledger, write_ledger
from shoal.release.ledger import Ledger


def test_it_reads_back(tmp_path: Path) -> None:
    values = {"ill": pl.Series(["u", None, "v"]), "drug": pl.Series(["1", "2", "1"])}
    ledger = Ledger.empty().with_release(
        pl.Series(["a", "b", "c"]), np.ones(3, np.bool_), np.array([1, 1, 2]), values
    )
    write_ledger(ledger, tmp_path)
    again = read_ledger(tmp_path)
    assert again.people.equals(ledger.people)
    assert again.signatures == ledger.signatures
