"""`make mutants` finds what no test notices, however the changed code came to be in memory."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.mutants.change import find_mutants
from scripts.mutants.trial import NeedsImport, changed_functions, exchange

ROOT = Path(__file__).parents[1]

JUDGE = """
from concurrent.futures import ThreadPoolExecutor

LEAST = 2

def _square(x):
    return x * x

SQUARES = [_square(x) for x in range(3)]

def holds(size, least=LEAST):
    return size >= least

class Limit:
    factor = 3

    def __init__(self, k):
        self.k = k

    @property
    def most(self):
        return self.k * self.factor - 1

def side_by_side(x):
    with ThreadPoolExecutor() as pool:
        return pool.submit(lambda: _in_thread(x)).result()

def _in_thread(x):
    return x > 4

def untested(x):
    return x + 5
"""
TESTS = """
from shoal.judge import SQUARES, Limit, holds, side_by_side

def test_holds():
    assert [holds(n) for n in (1, 2, 3)] == [False, True, True]

def test_limit():
    assert Limit(4).most == 11

def test_squares():
    assert SQUARES == [0, 1, 4]

def test_side_by_side():
    assert [side_by_side(x) for x in (4, 5)] == [False, True]
"""
# One process for each case: it forks, and what it imports is gone with it.
SCRIPT = """
import sys
from pathlib import Path
from scripts.mutants.trial import Module, find_survivors

place, jobs = Path(sys.argv[1]), int(sys.argv[2])
sys.path.insert(0, str(place))
module = Module(place / "shoal" / "judge.py", "judge.py", [str(place / "test_judge.py")])
survivors = find_survivors(module, module.mutants, jobs)
print(len(module.mutants), survivors and [str(module.mutants[i]) for i in survivors])
"""


def survivors(place: Path, tests: str, jobs: int = 1) -> str:
    (place / "shoal").mkdir()
    (place / "shoal" / "__init__.py").touch()
    (place / "shoal" / "judge.py").write_text(JUDGE)
    (place / "test_judge.py").write_text(tests)
    (place / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(place), str(jobs)],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_only_what_no_test_can_notice_survives(tmp_path: Path) -> None:
    found = survivors(tmp_path, TESTS, jobs=2)
    assert found.count("src/shoal/") == found.count("return x + 5") == 3


def test_a_line_that_tests_no_longer_look_at_survives(tmp_path: Path) -> None:
    weaker = TESTS.replace("(1, 2, 3)", "(1, 3)").replace("[False, True, True]", "[False, True]")
    found = survivors(tmp_path, weaker)
    assert "GtE → Gt" in found
    assert "2 → 3" in found
    assert "GtE → Lt" not in found


def test_tests_that_fail_by_themselves_judge_nothing(tmp_path: Path) -> None:
    assert survivors(tmp_path, TESTS + "\ndef test_wrong():\n    assert False\n").endswith("None\n")


def test_code_that_has_run_needs_an_import() -> None:
    old = compile(JUDGE, "judge.py", "exec")
    with pytest.raises(NeedsImport):
        list(changed_functions(old, compile(JUDGE.replace("LEAST = 2", "LEAST = 3"), "", "exec")))
    with pytest.raises(NeedsImport):
        list(changed_functions(old, compile(JUDGE.replace("factor = 3", "factor = 4"), "", "exec")))
    changed = compile(JUDGE.replace("size >=", "size > "), "judge.py", "exec")
    assert [before.co_name for before, _ in changed_functions(old, changed)] == ["holds"]


def test_a_method_in_memory_gets_the_changed_code() -> None:
    path = Path("judge-in-memory.py")
    names: dict[str, type] = {}
    old = compile(JUDGE, str(path), "exec")
    exec(old, names)  # noqa: S102
    exchange(path, old, compile(JUDGE.replace("factor - 1", "factor + 1"), str(path), "exec"))
    assert names["Limit"](4).most == 13


def test_messages_and_annotations_are_no_mutants() -> None:
    text = 'def check(n: "2 + 2") -> None:\n    if n < 0:\n        raise ValueError(f"{n + 1}")\n'
    changes = [mutant.change for mutant in find_mutants("m.py", ast.parse(text), text.splitlines())]
    assert changes == ["Lt → LtE", "0 → 1", "Raise → nothing"]
