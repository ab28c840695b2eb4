"""Streams: nobody waits too long, every batch holds, nothing is lost or published twice."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal._run.stream import StreamBatch, Streamed
from shoal.errors import DataError, PlanError
from tests._run.stream.case import as_rows, plan, published, rows, twin


def stream(folder: Path, content: dict[str, Any], data: Any, **options: Any) -> Streamed:
    return shoal.stream(content, data, private=folder / "own", output=folder / "out", **options)


@pytest.mark.parametrize(
    ("delay", "batch", "common"), [(60, None, 0.3), (60, 20, 0.6), (50, 25, 0.7), (40, 7, 0.9)]
)
@pytest.mark.parametrize("flush", [False, True])
def test_batches_are_those_of_the_twin(
    tmp_path: Path, delay: int, batch: int | None, common: float, flush: bool
) -> None:
    table, content = rows(230, common=common), plan(delay, batch)
    expected = twin(content, table, flush=flush)
    found = stream(tmp_path, content, [table], flush=flush)
    assert (found.totals.suppressed, found.waiting) == (expected.suppressed, expected.waiting)
    assert found.longest_wait == expected.longest
    tables = published(tmp_path / "out")
    assert [as_rows(t) for t in tables] == [as_rows(t) for t in expected.batches]


def test_the_twin_holds_people_back_and_leaves_some_out() -> None:
    found = [twin(plan(60, 20), rows(230, common=0.6)), twin(plan(40, 7), rows(230, common=0.9))]
    assert any(one.suppressed for one in found)
    assert any(one.longest > 20 for one in found)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    n=st.integers(1, 100),
    delay=st.integers(2, 60),
    share=st.floats(0.1, 1.0),
    common=st.floats(0.0, 1.0),
    seed=st.integers(0, 1000),
    cuts=st.lists(st.integers(0, 150), max_size=5),
)
def test_promises(
    tmp_path_factory: pytest.TempPathFactory,
    n: int,
    delay: int,
    share: float,
    common: float,
    seed: int,
    cuts: list[int],
) -> None:
    """Whatever arrives in whatever pieces: the bound, the classes, and every row once."""
    folder = tmp_path_factory.mktemp("stream")
    table, content = rows(n, seed, common), plan(delay, max(1, int(delay * share)))
    places = sorted({min(cut, n) for cut in cuts} | {0, n})
    pieces = [table[a:b] for a, b in pairwise(places)]
    found = stream(folder, content, pieces)
    totals = found.totals
    assert found.longest_wait <= delay
    assert found.waiting < delay
    assert totals.published + totals.suppressed + found.waiting == n
    tables = published(folder / "out")
    assert sum(t.height for t in tables) == totals.published
    for one in tables:
        _check_classes(one)
    shown = pl.concat(tables)["ill"].to_list() if tables else []
    assert all(shown.count(v) <= table["ill"].to_list().count(v) for v in set(shown))


def _check_classes(table: pl.DataFrame) -> None:
    for _, part in table.group_by("age", "sex"):
        assert part.height >= 3
        assert part["ill"].value_counts()["count"].max() * 2 <= part.height  # type: ignore[operator]


def test_pieces_and_stops_change_no_byte_of_the_tables(tmp_path: Path) -> None:
    table, content = rows(200, common=0.6), plan(50, 20)
    stream(tmp_path / "whole", content, [table], flush=True)
    for end in range(10, 201, 10):
        stream(
            tmp_path / "parts", content, [table[end - 10 : end]], restart="resume",
            flush=end == 200,
        )  # fmt: skip
    assert _bytes(tmp_path / "whole") == _bytes(tmp_path / "parts")


def _bytes(folder: Path) -> dict[str, bytes]:
    found = sorted((folder / "out").glob("batch-*/data.csv"))
    return {path.parent.name: path.read_bytes() for path in found}


def test_every_batch_is_a_release(tmp_path: Path) -> None:
    told: list[StreamBatch] = []
    stream(tmp_path, plan(50), [rows(120)], report=told.append)
    assert [one.name for one in told] == ["batch-000001", "batch-000002"]
    assert [one.acknowledged for one in told] == [50, 100]
    for one in told:
        folder = tmp_path / "out" / one.name
        assert shoal.audit(folder).holds
        assert all(v.holds for v in one.verdicts)
        answer = shoal.query(folder, "SELECT COUNT(*) FROM data WHERE age >= 0")
        assert answer is not None
    assert not list((tmp_path / "out").glob(".*"))
    assert (tmp_path / "own").stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "own").iterdir())


def test_who_waits_is_in_the_state(tmp_path: Path) -> None:
    found = stream(tmp_path, plan(50), [rows(20)])
    assert (found.batches, found.waiting, found.acknowledged) == (0, 20, 20)
    found = stream(tmp_path, plan(50), [], flush=True, restart="resume")
    assert (found.batches, found.waiting, found.totals.published) == (1, 0, 20)


def test_too_few_to_publish_are_counted(tmp_path: Path) -> None:
    found = stream(tmp_path, plan(50), [rows(2)], flush=True)
    assert (found.batches, found.waiting, found.totals.suppressed) == (0, 0, 2)
    assert found.glm == 1.0


def test_a_folder_goes_on_where_it_was(tmp_path: Path) -> None:
    table, inbox, content = rows(200), tmp_path / "in", plan(50)
    inbox.mkdir()
    table[:70].write_csv(inbox / "a.csv")
    (inbox / "b.csv.tmp").write_text("half a")
    assert stream(tmp_path, content, inbox).acknowledged == 70
    table[70:120].write_ndjson(inbox / "b.jsonl")
    (inbox / "a.csv").unlink()
    table[120:].write_ipc(inbox / "c.arrow")
    found = stream(tmp_path, content, inbox)
    assert (found.acknowledged, found.batches, found.waiting) == (200, 4, 0)
    stream(tmp_path / "whole", content, [table])
    assert _bytes(tmp_path / "whole") == _bytes(tmp_path)
    assert stream(tmp_path, content, inbox).acknowledged == 200
    table[:5].write_csv(inbox / "b.csv")
    with pytest.raises(DataError, match="comes before a file that was already read"):
        stream(tmp_path, content, inbox)


def test_a_file_is_left_in_the_middle(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    rows(120).write_csv(inbox / "a.csv")
    seen: list[StreamBatch] = []
    found = stream(tmp_path, plan(50), inbox, report=seen.append, stop=lambda: len(seen) == 1)
    assert (found.acknowledged, found.batches, found.ended) == (50, 1, False)
    found = stream(tmp_path, plan(50), inbox)
    assert (found.acknowledged, found.batches, found.waiting) == (120, 2, 20)


def test_a_pipe_is_acknowledged_while_nothing_comes(tmp_path: Path) -> None:
    told, tell = os.pipe()
    table, own = rows(60), tmp_path / "own" / "stream.json"

    def write() -> None:
        os.write(tell, table[:20].write_csv().encode())
        while not own.is_file() or json.loads(own.read_text())["rows"] < 20:
            pass
        os.write(tell, table[20:].write_csv(include_header=False).encode())
        os.close(tell)

    writer = threading.Thread(target=write)
    writer.start()
    with open(told, "rb") as pipe:  # noqa: PTH123 (a descriptor)
        found = stream(tmp_path, plan(50), pipe)
    writer.join()
    assert (found.acknowledged, found.batches, found.waiting) == (60, 1, 10)


def test_rows_of_a_pipe_that_were_read_are_taken_when_a_stream_is_stopped(tmp_path: Path) -> None:
    told, tell = os.pipe()
    os.write(tell, rows(120).write_csv().encode() + b"half a rec")
    seen: list[StreamBatch] = []
    with open(told, "rb") as pipe:  # noqa: PTH123 (a descriptor)
        found = stream(tmp_path, plan(50), pipe, report=seen.append, stop=lambda: bool(seen))
    os.close(tell)
    assert (found.acknowledged, found.batches, found.waiting) == (120, 2, 20)
    assert not found.ended


def test_a_batch_that_could_not_be_made_is_made_later(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    stream(tmp_path, plan(50), [rows(20)])
    (tmp_path / "out" / "batch-000001").mkdir()
    with pytest.raises(PlanError, match="has not made"):
        stream(tmp_path, plan(50), [rows(40, 2)], restart="resume")
    (tmp_path / "out" / "batch-000001").rmdir()
    found = stream(tmp_path, plan(50), [rows(10, 3)], restart="resume")
    assert (found.acknowledged, found.batches, found.waiting) == (60, 1, 10)


def test_input_that_begins_again_is_skipped_and_compared(tmp_path: Path) -> None:
    table, content = rows(130), plan(50)
    stream(tmp_path, content, [table[:70]])
    with pytest.raises(PlanError, match="already has 70 rows"):
        stream(tmp_path, content, [table])
    with pytest.raises(DataError, match="first 70 rows of the input are not those"):
        stream(tmp_path, content, [table[::-1]], restart="replay")
    found = stream(tmp_path, content, [table[:30], table[30:]], restart="replay", flush=True)
    assert (found.acknowledged, found.totals.published) == (130, 130)
    stream(tmp_path / "whole", content, [table], flush=True)
    assert _bytes(tmp_path / "whole") == _bytes(tmp_path)


def test_input_that_begins_again_may_come_in_other_pieces(tmp_path: Path) -> None:
    """Sums of hashes pass 2**64 as soon as there are a few pieces."""
    table, content = rows(120), plan(50)
    stream(tmp_path, content, [table[i : i + 10] for i in range(0, 70, 10)])
    found = stream(tmp_path, content, [table[:70], table[70:]], restart="replay")
    assert found.acknowledged == 120


def test_rows_that_do_not_fit_stop_the_stream_before_they_are_acknowledged(tmp_path: Path) -> None:
    table = rows(80).with_columns(
        pl.when(pl.int_range(80).is_in([63, 70])).then(pl.lit("SECRET")).otherwise("sex")
        .alias("sex")
    )  # fmt: skip
    with pytest.raises(DataError, match=r"'sex'.*2 rows \(64, 71\)") as caught:
        stream(tmp_path, plan(50), [table])
    assert "SECRET" not in str(caught.value)
    assert len(published(tmp_path / "out")) == 1
    assert json.loads((tmp_path / "own" / "stream.json").read_text())["rows"] == 50
    found = stream(tmp_path / "b", plan(50, delay={"unfit": "suppress"}), [table], flush=True)
    assert (found.totals.unfit, found.totals.published) == (2, 78)


def test_people_who_come_again_are_counted_or_left_out(tmp_path: Path) -> None:
    individual = {"column": "name", "conflict": "first"}
    table = rows(100).with_columns(name=pl.Series([f"p{i % 60}" for i in range(100)]))
    found = stream(tmp_path / "a", plan(50, individual=individual), [table])
    assert (found.totals.people_again, found.totals.again) == (40, 0)
    assert "composition" in [advice.code for advice in found.warnings]
    content = plan(50, individual=individual, delay={"again": "suppress"})
    stream(tmp_path / "b", content, [table[:50]])
    found = stream(tmp_path / "b", content, [table[50:]], restart="resume")
    assert (found.totals.people_again, found.totals.again) == (40, 40)
    assert "composition" not in [advice.code for advice in found.warnings]
    assert found.totals.published + found.totals.suppressed == 60


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    stream(tmp_path, plan(50), [rows(60)])
    with pytest.raises(PlanError, match="belongs to another plan"):
        stream(tmp_path, plan(40), [rows(60)], restart="resume")
    with pytest.raises(PlanError, match="batches of another stream"):
        shoal.stream(plan(50), [], private=tmp_path / "new", output=tmp_path / "out")
    with pytest.raises(PlanError, match="another output folder"):
        shoal.stream(plan(50), [], private=tmp_path / "own", output=tmp_path / "other")
    with pytest.raises(PlanError, match="another seed"):
        stream(tmp_path, plan(50, seed=6), [])
    with pytest.raises(PlanError, match="inside the other"):
        shoal.stream(plan(50), [], private=tmp_path / "x" / "y", output=tmp_path / "x")
    with pytest.raises(PlanError, match="needs an output"):
        shoal.stream(plan(50), [], private=tmp_path / "own")
    with pytest.raises(DataError, match="iterable of tables"):
        stream(tmp_path / "c", plan(50), rows(3))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with pytest.raises(PlanError, match="other than a stream"):
        shoal.stream(plan(50), [], private=tmp_path / "full", output=tmp_path / "d")
    (tmp_path / "out" / "batch-000002").mkdir()
    with pytest.raises(PlanError, match="batch-000002 that this stream has not made"):
        stream(tmp_path, plan(50), [rows(60, 2)], restart="resume")


def test_two_streams_do_not_share_a_state(tmp_path: Path) -> None:
    def tables() -> Any:
        yield rows(10)
        with pytest.raises(PlanError, match="Another stream is using"):
            stream(tmp_path, plan(50), [])

    assert stream(tmp_path, plan(50), tables()).acknowledged == 10


def test_columns_that_the_plan_does_not_know_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="'town'"):
        stream(tmp_path, plan(50), [rows(5).with_columns(town=pl.lit("X"))])
    other = plan(50, others="drop")
    assert stream(tmp_path / "b", other, [rows(5).with_columns(town=pl.lit("X"))]).waiting == 5


def test_auto_is_mondrian_in_a_stream(tmp_path: Path) -> None:
    table = rows(60)
    for method in ("auto", "mondrian"):
        stream(tmp_path / method, {**plan(50), "method": method}, [table], flush=True)
    assert _bytes(tmp_path / "auto") != {}
    frames = [[as_rows(t) for t in published(tmp_path / m / "out")] for m in ("auto", "mondrian")]
    assert frames[0] == frames[1]


def test_memory_of_the_window_is_all_that_is_kept(tmp_path: Path) -> None:
    """The private folder of a stream without people does not grow with it."""
    sizes = []
    for part in range(4):
        stream(tmp_path, plan(50), [rows(110, part)], restart="resume")
        sizes.append(sum(path.stat().st_size for path in (tmp_path / "own").iterdir()))
    assert max(sizes) < 2 * min(sizes) + 4000
    assert np.isfinite(sizes).all()


def test_bytes_that_are_no_rows(tmp_path: Path) -> None:
    class File(io.BytesIO):
        def fileno(self) -> int:
            return number

    path = tmp_path / "rows.csv"
    path.write_text("name,age,sex,ill\np,1\n")
    with path.open("rb") as real:
        number = real.fileno()
        with pytest.raises(DataError):
            stream(tmp_path, plan(50), File())


@pytest.mark.slow
def test_a_kill_at_any_file_event_loses_nothing_and_publishes_nothing_twice(tmp_path: Path) -> None:
    """Two batches with people who are held, then the rest; the stream goes on after the kill."""
    prepared, table, content = tmp_path / "prepared", rows(45, common=0.6), plan(30, 20)
    (prepared / "in").mkdir(parents=True)
    table[:33].write_csv(prepared / "in" / "a.csv")
    table[33:].write_csv(prepared / "in" / "b.csv")
    text = shoal.Plan.parse({**content, "source": "in"}).to_yaml()
    (prepared / "plan.yaml").write_text(text)
    stream(tmp_path / "whole", content, prepared / "in", flush=True)
    expected = _bytes(tmp_path / "whole")
    assert len(expected) == 3
    command = [sys.executable, "-m", "tests._run.stream.killed"]
    done = subprocess.run(
        [*command, str(prepared), str(tmp_path / "killed")],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    n_events = int(done.stdout)
    assert n_events > 30
    for number in range(1, n_events + 1):
        folder = tmp_path / "killed" / str(number)
        before = _bytes(folder)
        # What appeared is whole, and whoever takes it away has it: it does not appear again.
        assert before.items() <= expected.items()
        for name in before:
            assert _is_whole(folder / "out" / name)
            shutil.rmtree(folder / "out" / name)
        stream(folder, content, folder / "in", flush=True)
        after = _bytes(folder)
        assert not before.keys() & after.keys()
        assert before | after == expected
        assert not list((folder / "out").glob(".*"))


def _is_whole(folder: Path) -> bool:
    """Whether a release has all files that its manifest names, as it names them."""
    files = json.loads((folder / "manifest.json").read_text())["files"]
    return all(
        hashlib.sha256((folder / name).read_bytes()).hexdigest() == facts["sha256"]
        for name, facts in files.items()
    )
