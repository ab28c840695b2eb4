"""Whatever is handed in: the right exit code, nothing written, nothing changed, nothing told."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl
import pytest

from tests.cli.place import SECRET, Place, people

HEADER = "name,age,town,ill\n"
ROW = f"{SECRET},41,{SECRET},{SECRET}\n"
TREE = {"tree": {"*": ["ulm", "bonn"]}}


class Case(NamedTuple):
    """A table that cannot be released as the plan asks, and what is said of it."""

    code: int
    table: str | bytes
    words: str
    plan: Mapping[str, Any] = MappingProxyType({})


def asked(**model: Any) -> dict[str, Any]:
    return {"privacy": [{name.replace("_", "-"): part} for name, part in model.items()]}


def attributes(**changes: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "name": "identifier",
            "age": {"role": "quasi", "kind": "numeric"},
            "town": {"role": "quasi", "kind": "categorical", "hierarchy": "flat"},
            "ill": "sensitive",
            **changes,
        }
    }


CASES = {
    "empty file": Case(2, "", "empty"),
    "header only": Case(2, HEADER, "no rows"),
    "one row": Case(1, HEADER + ROW, "the table has 1 row"),
    "all rows equal": Case(1, HEADER + ROW * 9, "l = 2", asked(l_diversity={"l": 2})),
    "duplicate names": Case(2, "name,age,age,ill\n" + ROW * 9, "'age'"),
    "k too large": Case(1, people(30), "k = 31", asked(k_anonymity={"k": 31})),
    "l too large": Case(1, people(30), "l = 4", asked(l_diversity={"l": 4})),
    "NaN and inf": Case(2, HEADER + ROW * 5 + ROW.replace("41", "inf") * 5, "'age'"),
    "mixed types": Case(2, HEADER + ROW * 5 + ROW.replace("41", SECRET), "'age'"),
    "latin-1": Case(2, (HEADER + ROW * 9).encode() + b"J\xfcrgen,41,K\xf6ln,x\n", "UTF-8"),
    "null bytes": Case(2, b"\0\1\2" * 99, ""),
    "ragged": Case(2, HEADER + ROW * 4 + f"{SECRET},{SECRET}\n" + ROW, "line 6"),
    "open quote": Case(2, HEADER + ROW * 4 + f'"{SECRET},41,a,b\n' + ROW, ""),
    "outside its hierarchy": Case(
        2,
        HEADER + ROW * 9,
        "no leaf in the hierarchy",
        attributes(town={"role": "quasi", "kind": "categorical", "hierarchy": TREE}),
    ),
    "other columns": Case(2, HEADER.replace("town", "city") + ROW * 9, "'city'"),
}


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_table_that_cannot_be_released_leaves_nothing(
    place: Place, case: Case, as_json: bool
) -> None:
    place.write("people.csv", case.table)
    place.plan(**case.plan)
    before = place.look()
    outcome = place.run("run", "plan.yaml", *(["--json"] if as_json else []))
    assert outcome.code == case.code
    assert place.look() == before
    assert SECRET not in outcome.out + outcome.err
    assert str(place.folder) not in outcome.out + outcome.err
    if as_json:
        assert outcome.err == ""
        assert {"text", "where", "hint", "line"} == set(outcome.data["problems"][0])
        assert case.words in " ".join(problem["text"] for problem in outcome.data["problems"])
    else:
        assert outcome.out == ""
        assert case.words in outcome.words


def held(table: str | bytes) -> Case:
    return Case(0, table, "")


FINE = {
    "all rows equal": held(HEADER + ROW * 9),
    "byte order mark": held(b"\xef\xbb\xbf" + people().encode()),
    "CRLF": held(people().replace("\n", "\r\n")),
    "long cells": held(HEADER + ROW * 5 + f"a,41,{'x' * 100_000},b\n" * 5),
}


@pytest.mark.parametrize("case", FINE.values(), ids=FINE.keys())
def test_a_table_that_looks_odd_is_released(place: Place, case: Case) -> None:
    table = place.write("people.csv", case.table)
    before = table.read_bytes()
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 0, outcome.err
    assert table.read_bytes() == before
    assert SECRET not in outcome.out + outcome.err
    assert sorted(path.name for path in place.folder.iterdir()) == [
        "people.csv",
        "plan.yaml",
        "release",
    ]


def test_missing_numbers_of_a_parquet_file_are_missing_values(place: Place) -> None:
    ages = [31.0, float("nan"), None, 33.0, 34.0, float("nan")] * 3
    pl.DataFrame({"age": ages, "ill": list("abc") * 6}).write_parquet("people.parquet")
    place.plan(source="people.parquet", attributes={"age": "quasi", "ill": "sensitive"})
    assert place.run("run", "plan.yaml").code == 0


def test_every_problem_of_a_plan_is_listed_with_its_line(place: Place) -> None:
    place.write(
        "plan.yaml",
        "attributes:\n  age: quassi\n  ill: {role: sensitive, kind: word}\n"
        "privacy:\n  - k-anonymity: {k: 0}\nmethod: mondriaan\n",
    )
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 2
    found = [line.strip() for line in outcome.err.splitlines() if "line " in line]
    assert [line.split(",")[0] for line in found] == [
        "1. line 2",
        "2. line 3",
        "3. line 5",
        "4. line 6",
    ]
    assert "Did you mean 'quasi'?" in outcome.words
    assert [p["line"] for p in place.run("run", "plan.yaml", "--json").data["problems"]] == [
        2,
        3,
        5,
        6,
    ]


def test_an_output_that_exists_is_kept_without_force(place: Place) -> None:
    assert place.run("run", "plan.yaml").code == 0
    before = place.look()
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 2
    assert "release already exists" in outcome.words
    assert place.look() == before
    assert place.run("run", "plan.yaml", "--force").code == 0


def test_a_folder_that_is_no_release_is_kept_even_with_force(place: Place) -> None:
    place.write("release/thesis.txt", "years of work")
    before = place.look()
    assert place.run("run", "plan.yaml", "--force").code == 2
    assert place.look() == before


def test_a_file_is_no_place_for_a_release(place: Place) -> None:
    before = place.look()
    for folder in ("people.csv", "people.csv/release", "people.csv/a/b"):
        assert place.run("run", "plan.yaml", "--output", folder).code == 2
    assert place.look() == before


def test_a_private_folder_needs_a_release_and_is_never_inside_it(place: Place) -> None:
    before = place.look()
    assert place.run("run", "plan.yaml", "--private", "release/own").code == 2
    place.plan(output=None)
    outcome = place.run("run", "plan.yaml", "--private", "own")
    assert outcome.code == 2
    assert "--output" in outcome.words
    place.plan()
    assert place.look() == before


@pytest.mark.parametrize("parts", ["data.csv", "rows.parquet"])
def test_a_full_disk_leaves_nothing(
    place: Place, parts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, SECRET, SECRET)

    writer = "write_csv" if parts == "data.csv" else "sink_parquet"
    monkeypatch.setattr(pl.DataFrame if parts == "data.csv" else pl.LazyFrame, writer, full)
    before = place.look()
    outcome = place.run("run", "plan.yaml", "--private", "own")
    assert outcome.code == 3
    assert "while writing No space left on device" in outcome.words
    assert SECRET not in outcome.err
    assert place.look() == before


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_that_cannot_grow_leaves_nothing(place: Place, form: str) -> None:
    place.write("people.csv", people(20_000))
    place.plan(output={"folder": "release", "format": form})
    assert place.run("run", "plan.yaml", "--output", "first").code == 0  # compiles
    before = place.look()
    small = 1_000
    outcome = place.call(
        "run",
        "plan.yaml",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (small, small)),
    )
    assert outcome.code == 3, outcome.err
    assert "while writing File too large" in outcome.words
    assert SECRET not in outcome.out + outcome.err
    assert place.look() == before


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A small file system of its own; only root can have one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        done = False
    if not done:
        pytest.skip("needs the right to mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_really_full_leaves_nothing(place: Place) -> None:
    place.write("people.csv", people(20_000))
    with mounted(place.folder / "disk", "size=64k"):
        before = place.look()
        outcome = place.run("run", "plan.yaml", "--output", "disk/release")
        assert outcome.code == 3
        assert "No space left on device" in outcome.words
        assert place.look() == before


def test_a_file_system_that_is_read_only_is_noticed_before_any_work(place: Place) -> None:
    place.write("people.csv", "")
    with mounted(place.folder / "disk", "ro"):
        outcome = place.run("run", "plan.yaml", "--output", "disk/deep/release")
        assert outcome.code == 3
        assert "output folder Permission denied" in outcome.words


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_noticed_before_any_work(place: Place) -> None:
    place.write("people.csv", "")
    closed = place.folder / "closed"
    closed.mkdir(mode=0o555)
    assert place.run("run", "plan.yaml", "--output", "closed/release").code == 3


def test_sources_and_plans_that_are_not_there(place: Place) -> None:
    before = place.look()
    assert place.run("run", "plam.yaml").code == 2
    assert "Did you mean 'plan.yaml'?" in place.run("run", "plam.yaml").words
    place.plan(source="poeple.csv")
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 2
    assert "Did you mean 'people.csv'?" in outcome.words
    place.plan(source="nowhere/people.csv")
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 2
    assert str(place.folder) not in outcome.err
    place.plan()
    assert place.look() == before
