"""What an update starts from: whole, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import DataError
from shoal.folder.state import read_state

PEOPLE = pl.DataFrame({"age": [31, 33, 34, 58, 61, 64], "ill": list("abcabc")})
HIERARCHY = "\n".join(f"{age};{'young' if age < 50 else 'old'};*" for age in PEOPLE["age"])


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The private side of a run whose hierarchy is a file elsewhere."""
    (tmp_path / "ages.csv").write_text(HIERARCHY)
    plan = {
        "attributes": {"age": {"role": "quasi", "hierarchy": "ages.csv"}, "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 3}}],
        "method": "ka",
    }
    parsed = shoal.Plan.parse(plan, tmp_path)
    shoal.run(parsed, PEOPLE, output=tmp_path / "release", private=tmp_path / "own")
    return tmp_path / "own"


def test_a_state_needs_no_other_file(own: Path) -> None:
    (own.parent / "ages.csv").unlink()
    state = read_state(own)
    assert state.frame.equals(PEOPLE)
    assert sorted(state.classes.tolist()) == [1, 1, 1, 2, 2, 2]
    assert state.heights is not None
    assert state.heights.tolist() == [[1], [1]]
    release = shoal.update(own, PEOPLE.head(1))
    assert set(release.frame["age"]) == {"young", "old"}


def test_heights_that_need_16_bits_are_kept(tmp_path: Path) -> None:
    codes = pl.DataFrame({"code": [head + "b" * 139 for head in "abcd"]})
    plan = {
        "attributes": {
            "code": {"role": "quasi", "kind": "categorical", "hierarchy": {"mask": 140}}
        },
        "privacy": [{"k-anonymity": {"k": 4}}],
        "method": "ka",
    }
    shoal.run(plan, codes, output=tmp_path / "release", private=tmp_path / "own")
    heights = read_state(tmp_path / "own").heights
    assert heights is not None
    assert heights.tolist() == [[140]]


@pytest.mark.parametrize("name", ["input.parquet", "rows.parquet", "hierarchy-0.csv"])
def test_what_was_changed_is_refused(own: Path, name: str) -> None:
    content = (own / name).read_bytes()
    (own / name).write_bytes(content + b" ")
    with pytest.raises(DataError, match=name):
        read_state(own)
    (own / name).unlink()
    with pytest.raises(DataError, match=name):
        read_state(own)


def test_what_is_no_state_is_refused(own: Path, tmp_path: Path) -> None:
    for folder, words in ((tmp_path / "nothing", "is not a folder"), (tmp_path, "no state")):
        with pytest.raises(DataError, match=words):
            read_state(folder)
    facts = json.loads((own / "state.json").read_text())
    (own / "state.json").write_text(json.dumps({**facts, "format": 99}))
    with pytest.raises(DataError, match="format 99"):
        read_state(own)
    (own / "state.json").write_text(json.dumps({**facts, "files": {"../plan": "x"}}))
    with pytest.raises(DataError, match="damaged"):
        read_state(own)
    (own / "state.json").write_text("{")
    with pytest.raises(DataError, match="no state"):
        read_state(own)


def test_only_the_owner_reads_it(own: Path) -> None:
    assert {path.stat().st_mode & 0o077 for path in own.iterdir()} == {0}
