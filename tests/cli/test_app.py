"""The program: its commands, their help, and what a help text may import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import shoal.version
from tests.cli.place import Place


@pytest.mark.parametrize(
    "arguments",
    [
        ("runn",),
        ("run",),
        ("run", "plan.yaml", "--nothing"),
        ("run", "plan.yaml", "--workers", "0"),
    ],
)
def test_a_command_that_is_no_command_is_wrong(place: Place, arguments: tuple[str, ...]) -> None:
    outcome = place.run(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "--help" in outcome.words
    data = place.run(*arguments, "--json")
    assert (data.code, data.err) == (2, "")
    assert data.data["error"] == "UsageError"


def test_help_and_version(place: Place) -> None:
    assert place.run("--version").out == f"shoal {shoal.version.__version__}\n"
    assert place.run().out == place.run("--help").out == place.run("-h").out
    for command in ("run", "check", "methods", "models", "measures"):
        assert f"\n  {command} " in place.run("--help").out
        told = place.run(command, "--help")
        assert told.code == 0
        assert "Examples:" in told.out
        assert "--json" in told.out


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from shoal.cli import main; main(['run', '--help']); "
        "heavy = {'polars', 'numba', 'numpy', 'pyarrow', 'scipy', 'rich.console'}; "
        "sys.stderr.write(' '.join(sorted(heavy & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: shoal run [OPTIONS] PLAN\n")
    assert done.stderr == ""
