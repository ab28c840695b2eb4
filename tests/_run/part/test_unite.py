"""A shard of people: repeated rows are one record, and all that is told of people is true."""

from __future__ import annotations

import pickle
from pathlib import Path

import polars as pl

from shoal._run.engine import LocalEngine
from shoal._run.part.fact import INPUT, SHARD
from shoal._run.part.people import ONCE, PeopleFacts, gather_people, heads_of
from shoal._run.part.person import people_of
from shoal._run.part.profile import Profiler
from shoal._run.part.solve import Note
from shoal._run.part.unite import PeopleSolver
from shoal.plan import Plan
from tests._run.part.table import people_plan, visits


def _gathered(folder: Path) -> tuple[PeopleFacts, pl.DataFrame]:
    plan, frame = Plan.of(people_plan()), visits(60)
    frame.write_parquet(folder / "t.parquet")
    (folder / "own").mkdir()
    source = LocalEngine().open(folder / "t.parquet", folder, None, folder / "own", 50)
    assert source is not None
    profile = Profiler(plan)(frame)
    facts, rows = gather_people(plan, profile, source, lambda b: b, 5, 40, typed=True)
    batches = list(rows.batches())
    assert len(batches) > 1
    assert len({w for b in batches for w in set(b["person-1"])}) == 60
    assert sum(len(set(b["person-1"])) for b in batches) == 60
    return facts, pl.concat(batches)


def test_repeated_rows_count_once(tmp_path: Path) -> None:
    facts, rows = _gathered(tmp_path)
    frame = visits(60).with_columns(pl.col("visit").replace(["?", ""], None))
    records = frame.unique(["name", "ill", "visit"])
    assert rows.height == frame.height > records.height == facts.n_records
    assert int(rows[ONCE].sum()) == records.height
    counts = dict(records["ill"].value_counts().iter_rows())
    texts = facts.codings["ill"].domain.texts
    assert facts.counts["ill"].tolist() == [counts[text] for text in texts]
    assert heads_of(facts, rows).n_rows().sum() == records.height
    assert "n1" not in str(facts.original(rows)["name"].to_list())


def test_a_shard_is_solved_verified_and_told(tmp_path: Path) -> None:
    facts, rows = _gathered(tmp_path)
    rows = rows.with_columns(pl.lit(0, pl.UInt32).alias(SHARD))
    solver = PeopleSolver(facts, facts.requirements(), 5, "digest", 1, 1, True)
    published, noted = solver(rows)
    again, _ = solver(rows.reverse())
    assert published.equals(again)
    note: Note = pickle.loads(noted)  # noqa: S301 (its own note)
    assert note.people is not None
    assert note.n_rows == facts.n_records
    assert note.people.n_rows == rows.height
    assert note.people.n_people == len(people_of(rows)) == 60
    assert note.people.sizes.n_people == published["p0"].n_unique()
    assert note.people.sizes.n_rows == published.height
    assert [v.holds for v in note.verdicts] == [True]
    assert INPUT not in published.columns or published[INPUT].n_unique() == published.height
    assert not any(c.startswith("person") for c in published.columns)
