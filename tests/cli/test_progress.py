"""Progress: for a terminal, and only there."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.cli.progress import ShareColumn, Stages


@pytest.mark.parametrize(("quiet", "terminal"), [(True, True), (False, False), (False, True)])
def test_progress_is_for_a_terminal_and_not_with_quiet(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    quiet: bool,
    terminal: bool,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with Stages(quiet) as stages, stages("a long stage"):
        pass
    shown = capsys.readouterr()
    assert ("a long stage" in shown.err) == (terminal and not quiet)
    assert shown.out == ""


@pytest.mark.parametrize("error", [OSError(28, "full"), MemoryError()])
def test_an_error_of_the_machine_is_marked_with_its_stage(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, Stages(quiet=True) as stages, stages("writing"):
        raise error
    assert caught.value.__notes__ == ["while writing"]


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(KeyError) as caught, Stages(quiet=True) as stages, stages("writing"):
        raise KeyError("x")
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize(("quiet", "terminal"), [(True, True), (False, False), (False, True)])
def test_a_share_shows_how_many_are_done_and_the_time_left(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    quiet: bool,
    terminal: bool,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with ShareColumn("running plans", quiet) as share:
        share(1, 7)
        share(3, 7)
    shown = capsys.readouterr()
    assert ("3/7" in shown.err and "left" in shown.err) == (terminal and not quiet)
    assert shown.out == ""


def test_the_loss_falls_beside_the_stage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    log = logging.getLogger("shoal.polish")
    with Stages() as stages, stages("mondrian"):
        log.info("polish: glm %.4f, was %.4f", 0.25, 0.5)
        log.info("polish: glm %.4f, was %.4f", 0.2, 0.5)
    assert "mondrian (polish: glm 0.2000, was 0.5000)" in capsys.readouterr().err
    assert not log.handlers
    assert not log.isEnabledFor(logging.INFO)


@pytest.mark.slow
def test_a_first_run_says_once_that_it_compiles(tmp_path: Path) -> None:
    """A command does, on stderr; a program that calls shoal does not, and a second run neither."""
    line = "Compiling some code for this machine; it is kept for the next time.\n"
    (tmp_path / "data.csv").write_text("age\n" + "1\n2\n" * 20)
    (tmp_path / "plan.yaml").write_text(
        "source: data.csv\nattributes: {age: quasi}\nprivacy: [{k-anonymity: {k: 3}}]\n"
        "method: mondrian\n"
    )
    command = [sys.executable, "-m", "shoal", "run", str(tmp_path / "plan.yaml"), "--force"]
    command += ["--output", str(tmp_path / "release")]
    code = f"import shoal; shoal.run({str(tmp_path / 'plan.yaml')!r})"

    def told(words: list[str], cache: str) -> str:
        environment = {**os.environ, "SHOAL_CACHE": str(tmp_path / cache)}
        return subprocess.run(
            words, capture_output=True, text=True, check=True, env=environment
        ).stderr

    assert told(command, "one").count(line) == 1
    assert line not in told(command, "one")
    assert line not in told([sys.executable, "-c", code], "other")
