"""The private side of a run, read back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from shoal._command.audit.own import names_release, read_own
from shoal.errors import DataError
from tests._command.audit.forge import Forged


def test_what_a_run_kept_to_itself(good: Forged) -> None:
    own = read_own(good.private)
    assert sorted(own.origin.tolist()) == list(range(good.original.height))
    assert str(own.requirements[0]) == "k-anonymity {k: 4}"
    assert own.schema["town"].hierarchy is not None
    assert own.schema["town"].hierarchy.rows
    assert names_release(good.private, good.folder)
    assert not names_release(good.folder, good.folder)


@pytest.mark.parametrize("break_it", ["absent", "not JSON", "no facts"])
def test_a_private_side_that_cannot_be_read(good: Forged, tmp_path: Path, break_it: str) -> None:
    own = tmp_path / "own"
    shutil.copytree(good.private, own)
    facts = own / "private.json"
    if break_it == "absent":
        facts.unlink()
    else:
        facts.write_text("{" if break_it == "not JSON" else json.dumps({"release": "x"}))
    with pytest.raises(DataError):
        read_own(own)
