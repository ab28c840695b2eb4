"""Whatever is written into a file or a question, the answer is an answer or a ShoalError.

No crash, no hang, nothing outside the folder, bounded memory. `SHOAL_FUZZ_CASES=5000` tries more;
manifests and tables of releases are in tests/_command/audit/test_fuzz.py.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import ShoalError
from shoal.hierarchy.file import read_rows
from shoal.table.condition import Condition
from tests._command.audit.forge import Forged, copied, sample

CASES = int(os.environ.get("SHOAL_FUZZ_CASES", "60"))
QUIET = settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
PLAN = """source: people.csv
individual: {column: name, conflict: mode}
attributes:
  name: identifier
  age: {role: quasi, kind: numeric, domain: [18, 90], hierarchy: {width: 5, levels: 3}}
  town: {role: quasi, hierarchy: {tree: {"*": {north: [a, b], south: [c]}}}}
  ill: {role: sensitive, flags: {high: [hiv], default: low}}
  seen: {role: quasi, kind: date, hierarchy: {dates: [day, month, year]}}
privacy:
  - k-anonymity: {k: 5}
  - l-diversity: {l: 2, kind: recursive, c: 1.5, attribute: ill}
method: {mondrian: {}}
suppression: {limit: 0.1}
seed: 7
"""
WORDS = ["SELECT", "COUNT(*)", "SUM(", "AVG(", "MEDIAN(", ")", "WHERE", "AND", "OR", "NOT", "IN",
         "(", "BETWEEN", "GROUP BY", "age", "town", "illness", "'", '"', "1e999", "-5",
         "2020-01-01", "IS NULL", "<", ">=", "!=", "*", ",", ";", "DISTINCT",
         "Id_num", "\x00", "é"]  # fmt: skip
SIDES = ["x", "<", "<=", ">", "==", "!=", "and", "or", "1e999", "-.5", "2020-13-45", "2020-02-29",
         "9" * 400, "(", "__import__", " ", "\n", "٣"]  # fmt: skip


@QUIET
@given(parts=st.lists(st.sampled_from(SIDES), max_size=9), text=st.text(max_size=5))
def test_conditions(parts: list[str], text: str) -> None:
    for written in (" ".join(parts), "".join(parts) + text):
        with suppress(ValueError):
            found = Condition.parse(written).holds(np.array([-1.0, 0.0, np.nan, np.inf]))
            assert found.dtype == np.bool_


@QUIET
@given(content=st.binary(max_size=60) | st.text(alphabet='a;,"*\n\r\x00 1-é', max_size=60))
def test_hierarchy_files(tmp_path_factory: Any, content: bytes | str) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "h.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with suppress(ShoalError):
        assert len({len(row) for row in read_rows(path)}) == 1


@QUIET
@given(
    seed=st.integers(0, 2**32),
    text=st.text(max_size=6) | st.sampled_from(["&a", "*a", "!!python/none", "{", "]", "- ", "\t"]),
    times=st.integers(1, 4),
)
def test_plans(seed: int, text: str, times: int) -> None:
    draw, written = random.Random(seed), PLAN
    for _ in range(times):
        start = draw.randrange(len(written) + 1)
        written = written[:start] + text + written[start + draw.choice([0, 1, 4, 30]) :]
    with suppress(ShoalError):
        assert shoal.Plan.parse(written).schema.attributes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return sample(tmp_path_factory.mktemp("good"))


@QUIET
@given(words=st.lists(st.sampled_from(WORDS), max_size=10), text=st.text(max_size=3))
def test_queries(folder: Forged, words: list[str], text: str) -> None:
    for written in (" ".join(words), "SELECT COUNT(*) WHERE " + " ".join(words) + text):
        with suppress(ShoalError):
            assert shoal.query(folder.folder, written)


@QUIET
@given(seed=st.integers(0, 2**32), content=st.binary(max_size=40))
def test_release_folders(folder: Forged, tmp_path_factory: Any, seed: int, content: bytes) -> None:
    """A file is cut, removed, replaced by a link that leads out of the folder, or a further one."""
    forged, draw = copied(folder, tmp_path_factory.mktemp("fuzz")), random.Random(seed)
    path = draw.choice(sorted(forged.folder.iterdir()))
    whole = path.read_bytes()
    match draw.choice(["cut", "gone", "link", "more", "folder"]):
        case "cut":
            path.write_bytes(whole[: draw.randrange(len(whole))] + content)
        case "gone":
            path.unlink()
        case "link":
            path.unlink()
            path.symlink_to("/etc/hostname")
        case "more":
            (forged.folder / "more.csv").write_bytes(content)
        case _:
            path.unlink()
            path.mkdir()
    with suppress(ShoalError):
        assert shoal.audit(forged.folder, folder.original).verdict is False


def test_a_text_that_is_no_plan_and_no_path() -> None:
    for text in ("a: " + "[" * 5000, "x" * 300, "\x00", ""):
        with pytest.raises(ShoalError):
            shoal.Plan.of(text)


EXTREMES = {
    "deep": "a: " + "[" * 5000 + "\n",
    "deeper": "attributes: " + "{a: " * 3000 + "1" + "}" * 3000 + "\n",
    "aliases": "".join(
        f"{name}: &{name} [{', '.join([f'*{before}' if before else 'x'] * 9)}]\n"
        for before, name in zip(("", *"abcdefg"), "abcdefgh", strict=True)
    ),
    "mask": PLAN.replace("{width: 5, levels: 3}", "{mask: 1000000000}"),
    "levels": PLAN.replace("levels: 3", "levels: 1000000000"),
    "width": PLAN.replace("width: 5", "width: 1e-300"),
    "k": PLAN.replace("k: 5", "k: " + "9" * 4000),
    "seed": PLAN.replace("seed: 7", "seed: " + "9" * 4000),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_no_plan_takes_all_memory(name: str) -> None:
    """In a process of its own, with 4 GB of address space."""
    code = (
        "import sys, shoal\n"
        "try:\n    shoal.Plan.parse(sys.stdin.read())\n"
        "except shoal.ShoalError:\n    pass\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=EXTREMES[name],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_nothing_outside_the_folder_is_read(folder: Forged, tmp_path: Path) -> None:
    forged = copied(folder, tmp_path)
    (tmp_path / "data.csv").write_bytes((forged.folder / "data.csv").read_bytes())
    (forged.folder / "data.csv").unlink()
    (forged.folder / "data.csv").symlink_to(tmp_path / "data.csv")
    assert shoal.audit(forged.folder).verdict is False
