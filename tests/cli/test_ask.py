"""`shoal init --ask`: what is left out is decided in the terminal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from shoal._command.demo import write_demo
from shoal.cli import main
from shoal.plan import Plan


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_demo(tmp_path / "demo", 400, 1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def roles(folder: Path) -> dict[str, str]:
    plan = Plan.load(folder / "plan.yaml")
    return {a.name: str(a.role) for a in plan.schema.attributes}


def answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_group_is_decided_at_once_or_column_by_column(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "demo/patients.csv", "--quiet"]) == 0
    before = roles(folder)
    left = [name for name, role in before.items() if role == "drop"]
    assert set(left) == {"age", "insurance", "ward"}
    capsys.readouterr()
    # Age alone; then the visits one by one, with a slip that is asked again.
    answer(monkeypatch, "q", "each", "nonsense", "s", "insensitive")
    assert main(["init", "demo/patients.csv", "--ask", "--force"]) == 0
    shown = capsys.readouterr().err
    assert "must be one of drop, quasi, sensitive, insensitive" in shown
    after = roles(folder)
    assert after["age"] == "quasi"
    assert {after["ward"], after["insurance"]} == {"sensitive", "insensitive"}
    assert main(["run", "plan.yaml", "--quiet"]) == 0


def test_the_default_leaves_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, *[""] * 30)
    assert main(["init", "demo/patients.csv", "--ask", "--quiet"]) == 0
    text = (folder / "plan.yaml").read_text(encoding="utf-8")
    assert "# or {role" not in text
    assert "your decision" in text
    assert main(["run", "plan.yaml", "--quiet"]) == 0


def test_nothing_to_decide_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "small.csv").write_text("age,sex\n" + "".join(f"{20 + i},f\n" for i in range(30)))
    assert main(["init", "small.csv", "--ask", "--quiet"]) == 0
    assert "There is nothing left to decide." in capsys.readouterr().err


def test_an_end_of_the_input_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    assert main(["init", "demo/patients.csv", "--ask"]) != 0
    assert not (folder / "plan.yaml").exists()
