"""`shoal run` where all goes well, and what it prints."""

from __future__ import annotations

import os
import pty
import re
import sys
from pathlib import Path

import polars as pl
import pytest

from shoal._run import run
from tests.cli.place import SECRET, Place, people


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_is_written_and_told(place: Place, form: str) -> None:
    pl.read_csv("people.csv").write_parquet("people.parquet")
    place.plan(source=f"people.{form}", output={"folder": "release", "format": form})
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 0
    assert outcome.err == ""
    assert sorted(path.name for path in Path("release").iterdir()) == [
        f"data.{form}",
        "manifest.json",
        "report.html",
    ]
    assert re.search(r"k-anonymity \{k: 3\} +3 +\d+  ✓ holds", outcome.out)
    assert re.search(r"Rows +30 read, 30 published, 0 suppressed \(0%\)", outcome.out)
    assert re.search(r"Measures +glm [\d.]+, suppression 0, avg-class [\d.]+", outcome.out)
    assert "- ill is taken as categorical" in outcome.out
    assert "The release is in release" in outcome.out
    assert SECRET not in outcome.out


def test_no_line_is_wider_than_the_terminal(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (80, 100, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        outcomes = [
            place.run("run", "plan.yaml", "--force", "--show-values"),
            place.run("check", "people.csv", "--plan", "plan.yaml", "--show-values"),
            place.run("measures"),
            place.run("models", "l-diversity"),
            place.run("run", "--help"),
            place.run("--help"),
            place.run("check"),
        ]
        lines = [line for o in outcomes for line in (o.out + o.err).splitlines()]
        assert max(map(len, lines)) <= width
        assert not [line for line in lines if line != line.rstrip()]


def test_the_release_is_named_as_it_was_typed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    plan = place.folder.relative_to("/") / "plan.yaml"
    shown = place.run("run", str(plan)).out
    assert f"The release is in {plan.parent}/release/\n" in shown
    monkeypatch.chdir(place.folder)
    assert "is in ./other/\n" in place.run("run", "plan.yaml", "--output", "./other/").out


def test_json_is_one_document_without_values(place: Place) -> None:
    outcome = place.run("run", "plan.yaml", "--json", "--private", "own")
    assert outcome.code == 0
    assert outcome.err == ""
    assert SECRET not in outcome.out
    assert outcome.data["holds"] is True
    assert outcome.data["output"] == "release/"
    assert outcome.data["private"] == "own"
    assert outcome.data["counts"]["published"] == 30
    assert outcome.data["requirements"][0] == {
        "requirement": "k-anonymity {k: 3}",
        "attribute": None,
        "holds": True,
        "asked": 3,
        "reached": outcome.data["requirements"][0]["reached"],
        "failing": 0,
    }
    assert set(outcome.data["measures"]) >= {"glm", "suppression", "avg-class"}
    assert "seed" not in outcome.out


def test_values_are_shown_only_when_asked_for(place: Place) -> None:
    assert SECRET in place.run("run", "plan.yaml", "--show-values").out
    sample = place.run("run", "plan.yaml", "--force", "--json", "--show-values").data["sample"]
    assert len(sample) == 5
    assert set(sample[0]) == {"age", "town", "ill"}


def test_quiet_says_nothing(place: Place) -> None:
    outcome = place.run("run", "plan.yaml", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert Path("release/data.csv").is_file()


def test_without_an_output_a_run_is_a_rehearsal(place: Place) -> None:
    place.plan(output=None)
    before = place.look()
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 0
    assert "nothing is written" in outcome.out
    assert place.look() == before


@pytest.mark.slow
def test_workers_share_the_shards_and_change_nothing(place: Place) -> None:
    place.write("people.csv", people(400))
    place.plan(shards={"rows": 100})
    assert place.run("run", "plan.yaml", "--output", "one").code == 0
    # In a process of its own: the workers import its main module.
    assert place.call("run", "plan.yaml", "--output", "two", "--workers", "2").code == 0
    assert Path("one/data.csv").read_bytes() == Path("two/data.csv").read_bytes()


def test_a_run_in_shards_that_loses_much_says_what_any_other_says(place: Place) -> None:
    place.write("people.csv", people(400))
    place.plan(shards={"rows": 200}, privacy=[{"k-anonymity": {"k": 150}}])
    outcome = place.run("run", "plan.yaml", "--output", "r", "--show-values")
    assert outcome.code == 0
    assert "400 read, 400 published" in outcome.out
    assert not [path for path in place.folder.iterdir() if ".shoal-" in path.name]


def test_warnings_name_what_deserves_a_second_look(place: Place) -> None:
    place.plan(privacy=[{"k-anonymity": {"k": 1}}])
    warned = " ".join(place.run("run", "plan.yaml").out.split("Warnings")[1].split())
    assert "k-anonymity with k = 1 requires nothing: every table meets it." in warned
    assert "No requirement covers 'ill'" in warned
    assert "The ends of the ranges of 'age' are values of real people." in warned


def test_what_is_in_order_is_not_warned_of() -> None:
    table = pl.DataFrame({"age": [31, 33, 34, 58, 61, 64], "ill": list("abcabc")})
    plan = {
        "attributes": {"age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}],
        "ranges": "snapped",
    }
    assert run(plan, table).warnings == ()


def in_a_terminal(place: Place, *arguments: str, **variables: str) -> str:
    """What a terminal receives."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        os.environ.update(variables)
        os.chdir(place.folder)
        os.execv(sys.executable, [sys.executable, "-m", "shoal", *arguments])
    received = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        received += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return received.decode()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_terminal_has_progress_and_colour_unless_it_has_no_colour(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    place.plan(
        "again.yaml", attributes=dict.fromkeys(("age", "town"), "quasi") | {"ill": "sensitive"}
    )
    shown = in_a_terminal(place, "run", "plan.yaml")
    assert "reading" in shown
    assert "hilbert" in shown
    assert "\x1b[32m✓ holds" in shown
    plain = in_a_terminal(place, "check", "release/data.csv", "-p", "again.yaml", NO_COLOR="1")
    assert "✓ holds" in plain
    assert "\x1b[32m" not in plain
