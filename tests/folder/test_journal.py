"""The state of a stream: old or new, and nothing but what it names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.errors import DataError
from shoal.folder.journal import (
    FILE,
    Journal,
    StreamProgress,
    Totals,
    Waiting,
    complete,
    read_people,
)


def waiting(*numbers: int) -> Waiting:
    frame = pl.DataFrame({"age": [str(n) for n in numbers]}, schema={"age": pl.String})
    return Waiting(frame, np.array(numbers, dtype=np.int64))


def journal(folder: Path) -> Journal:
    begun = Journal(folder, StreamProgress("digest", 7))
    begun.commit(begun.progress)
    return begun


def test_what_is_committed_is_found_again(tmp_path: Path) -> None:
    own = journal(tmp_path)
    known = replace(own.progress, rows=3, taken=("a.csv",), totals=Totals(published=2, lost=0.5))
    own.commit(own.with_segment(known, waiting(1, 2), alone=False))
    own.commit(own.with_segment(own.progress, waiting(5), alone=False))
    found = Journal.found(tmp_path)
    assert found is not None
    assert found.progress == own.progress
    assert found.waiting().arrived.tolist() == [1, 2, 5]
    assert found.waiting().frame["age"].to_list() == ["1", "2", "5"]
    found.commit(found.with_segment(found.progress, waiting(), alone=True))
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE]


def test_a_segment_that_nobody_committed_does_not_count(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.with_segment(own.progress, waiting(1), alone=False)
    found = Journal.found(tmp_path)
    assert found is not None
    assert len(found.waiting()) == 0
    found.sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE]


def test_many_segments_are_joined(tmp_path: Path) -> None:
    own = journal(tmp_path)
    for number in range(70):
        own.commit(own.with_segment(own.progress, waiting(number), alone=False))
    assert len(list(tmp_path.glob("waiting-*"))) < 65
    assert own.waiting().arrived.tolist() == list(range(70))


def test_damage_and_other_formats_are_refused(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.commit(own.with_segment(own.progress, waiting(1), alone=False))
    (segment,) = tmp_path.glob("waiting-*")
    segment.write_bytes(segment.read_bytes()[:-1])
    with pytest.raises(DataError, match="damaged: waiting-"):
        own.waiting()
    text = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text(text.replace('"format": 1', '"format": 2'))
    with pytest.raises(DataError, match="format 2"):
        Journal.found(tmp_path)
    (tmp_path / FILE).write_text(text[:-5])
    with pytest.raises(DataError, match="damaged"):
        Journal.found(tmp_path)


def test_a_batch_that_is_decided_gets_its_name(tmp_path: Path) -> None:
    for name in (".batch-000001.shoal-x", ".batch-000001.shoal-y", "batch-000009"):
        (tmp_path / name).mkdir()
    known = replace(StreamProgress("", 1), placing=".batch-000001.shoal-x", place="batch-000001")
    for _ in range(2):
        complete(tmp_path, known)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["batch-000001", "batch-000009"]


def test_people_of_batches_that_are_published(tmp_path: Path) -> None:
    own = journal(tmp_path)
    for batch in (1, 2):
        own.note_people(batch, np.array([batch, 2**63], dtype=np.uint64))
    own.commit(replace(own.progress, batch=1))
    assert [read_people(path).tolist() for path in own.people()] == [[1, 2**63]]
