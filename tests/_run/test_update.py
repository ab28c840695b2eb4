"""People who arrive later, and people who leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, InfeasibleError, PlanError
from shoal.method import METHODS

PLAN: dict[str, Any] = {
    "attributes": {"id": "identifier", "age": "quasi", "job": "quasi", "ill": "sensitive"},
    "individual": "id",
    "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}],
    "method": "mondrian",
    "seed": 1,
}


def people(n: int, first: int = 0, seed: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(first, first + n)],
            "age": draw.integers(18, 90, n),
            "job": draw.choice(list("abcd"), n),
            "ill": draw.choice(list("uvwx"), n),
        }
    )


def begin(folder: Path, plan: dict[str, Any] = PLAN, n: int = 60) -> Path:
    """The private side of a run."""
    shoal.run(plan, people(n), output=folder / "release", private=folder / "own")
    return folder / "own"


def together(release: Any) -> set[frozenset[str]]:
    """Who shares a class with whom."""
    rows = release.rows.drop_nulls("class")
    return {frozenset(part["individual"]) for part in rows.partition_by("class")}


def test_everybody_else_stays_where_they_are(tmp_path: Path) -> None:
    first = shoal.run(PLAN, people(60), output=tmp_path / "release", private=tmp_path / "own")
    second = shoal.update(tmp_path / "own", people(2, 100, seed=2), ["p7"])
    assert (second.arrived, second.left, second.holds) == (2, 1, True)
    changed = [c for c in together(second) if not c <= {f"p{i}" for i in range(60)}]
    kept = together(first) & together(second)
    assert 1 <= len(changed) <= 2
    assert len(kept) >= len(together(first)) - 3 - len(changed)
    assert len(second.rows) == 61


@settings(max_examples=25)
@given(seed=st.integers(0, 2**16), n_new=st.integers(0, 12), n_gone=st.integers(1, 30))
def test_any_update_is_a_release_that_holds(
    tmp_path_factory: pytest.TempPathFactory, seed: int, n_new: int, n_gone: int
) -> None:
    """`holds` is the verifier's word, which knows nothing of how the classes came about."""
    folder = tmp_path_factory.mktemp("state")
    own = begin(folder, n=40)
    gone = [f"p{i}" for i in np.random.default_rng(seed).permutation(40)[:n_gone]]
    arriving = people(n_new, 100, seed) if n_new else None
    release = shoal.update(own, arriving, gone, output=folder / "next", private=folder / "own-next")
    assert release.holds
    audit = shoal.audit(folder / "next")
    assert audit.holds is not False
    rows = release.rows
    assert set(rows["individual"]).isdisjoint(gone)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_goes_on(method: str, tmp_path: Path) -> None:
    plan, frame, new = _for_method(method)
    shoal.run(plan, frame, output=tmp_path / "release", private=tmp_path / "own")
    release = shoal.update(tmp_path / "own", new, output=tmp_path / "2", private=tmp_path / "own2")
    assert all(v.holds or v.requirement in release.may_be_unmet for v in release.verdicts)
    again = shoal.update(tmp_path / "own2", None, [0] if "individual" not in plan else ["p0"])
    assert again.counts.rows == frame.height + new.height - 1


def _for_method(method: str) -> tuple[dict[str, Any], pl.DataFrame, pl.DataFrame]:
    plan = {**PLAN, "method": method}
    frame, new = people(60), people(5, 100, seed=2)
    attributes = dict(PLAN["attributes"])
    if METHODS[method].needs_hierarchy:
        attributes["age"] = {"role": "quasi", "hierarchy": {"width": 10, "levels": 3}}
        attributes["job"] = {"role": "quasi", "hierarchy": "flat"}
    if "mks3wd" in method:
        attributes["f"] = "sensitivity"
        levels = {"thresholds": [[0.8, 0.2], [0.6, 0.5]], "levels": [[6, 2], [5, 3]]}
        plan["privacy"] = [{"multi-level-k": levels}]
        frame = frame.with_columns(f=pl.Series(np.linspace(0, 1, 60)))
        new = new.with_columns(f=pl.Series(np.linspace(0, 1, 5)))
    if method.startswith("lgb"):
        del plan["individual"]
    if method == "danonyir":
        plan["privacy"] = [{"eir-l": {"l": 2}}]
    return {**plan, "attributes": attributes}, frame, new


TREE = {"tree": {"*": {"air": ["u", "v"], "bones": ["w", "x"]}}}
SPECIAL: dict[str, dict[str, Any]] = {
    "qi-mhsa with flags": {
        "method": "qi-mhsa",
        "ill": {"hierarchy": TREE, "flags": {"high": ["u"], "middle": ["w"], "default": "low"}},
        "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}],
    },
    "danonyir": {"method": "danonyir", "ill": {}, "privacy": [{"eir-l": {"l": 2}}]},
    "geneir": {"method": "geneir", "ill": {}, "privacy": [{"ir-kl": {"k": 2, "l": 2}}]},
    **{
        scheme: {
            "method": scheme,
            "ill": {},
            "privacy": [
                {
                    "multi-level-k": {
                        "thresholds": [[0.8, 0.2], [0.6, 0.5]],
                        "levels": [[6, 2], [5, 3]],
                    }
                }
            ],
        }
        for scheme in ("sd-mks3wd", "se-mks3wd", "ece-mks3wd", "ka")
    },
    **{
        name: {"method": name, "ill": {}, "privacy": PLAN["privacy"]}
        for name in ("adjacency", "weighted-graph", "k-member")
    },
}


@pytest.mark.parametrize("which", sorted(SPECIAL))
@pytest.mark.parametrize("seed", range(2))
def test_updates_of_every_kind_hold_and_touch_only_what_they_must(
    tmp_path: Path, which: str, seed: int
) -> None:
    """Some come, some leave, and some who are known have a further record.

    What holds is the verifier's word. A class that nobody joined or left, and that took none in, is
    as it was.
    """
    case, draw = SPECIAL[which], np.random.default_rng(seed)
    attributes = {
        "id": "identifier",
        "age": {"role": "quasi", "hierarchy": {"width": 10, "levels": 3}},
        "job": {"role": "quasi", "hierarchy": "flat"},
        "ill": {"role": "sensitive", **case["ill"]},
        "f": "sensitivity",
    }
    plan = {**PLAN, "attributes": attributes, "method": case["method"], "privacy": case["privacy"]}
    frame, new = _with_f(people(90, seed=seed), seed), _with_f(people(6, 100, seed + 1), seed + 1)
    own = frame.filter(pl.col("id").is_in(["p1", "p2"])).with_columns(ill=pl.Series(["u", "x"]))
    gone = [f"p{i}" for i in draw.permutation(np.arange(3, 90))[:12]]
    first = shoal.run(plan, frame, output=tmp_path / "release", private=tmp_path / "own")
    second = shoal.update(tmp_path / "own", pl.concat([new, own]), gone)
    assert all(v.holds or v.requirement in second.may_be_unmet for v in second.verdicts)
    assert not second.whole
    assert set(second.rows["individual"]).isdisjoint(gone)
    there = second.rows.filter(pl.col("individual").is_in(["p1", "p2"])).drop_nulls("class")
    assert there.group_by("individual").agg(pl.col("class").n_unique())["class"].to_list() in (
        [1, 1],
        [1],
        [],
    )
    quiet = {c for c in together(first) if not c & set(gone)}
    assert len(quiet - together(second)) <= 2 * second.touched


def _with_f(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    return frame.with_columns(f=pl.Series(np.random.default_rng(seed).random(frame.height)))


def test_new_records_of_known_people(tmp_path: Path) -> None:
    own = begin(tmp_path)
    known = people(60).head(1).with_columns(ill=pl.lit("y"))
    release = shoal.update(own, known)
    rows = release.rows.filter(pl.col("individual") == "p0")
    assert rows.height == 2
    assert rows["class"].n_unique() == 1


def test_known_people_with_other_values_are_refused(tmp_path: Path) -> None:
    own = begin(tmp_path)
    changed = people(60).head(1).with_columns(age=pl.lit(17, pl.Int64))
    with pytest.raises(DataError, match="differ"):
        shoal.update(own, changed)


def test_the_same_update_gives_the_same_release(tmp_path: Path) -> None:
    own = begin(tmp_path)
    new = people(7, 100, seed=3)
    one, other = shoal.update(own, new), shoal.update(own, new.reverse())
    assert one.frame.equals(other.frame)


@pytest.mark.parametrize(
    ("data", "remove", "words"),
    [
        (None, None, "empty"),
        (None, [], "empty"),
        (people(1).clear(), None, "no rows"),
        (None, ["nobody"], "not in the state"),
        (pl.DataFrame({"id": ["a"], "years": [3]}), None, "age"),
        (people(1).with_columns(age=pl.lit("young")), None, "age"),
    ],
)
def test_what_cannot_be_is_said_and_the_state_is_untouched(
    tmp_path: Path, data: Any, remove: Any, words: str
) -> None:
    own = begin(tmp_path)
    before = {path.name: path.read_bytes() for path in own.iterdir() if path.is_file()}
    with pytest.raises((DataError, PlanError), match=words):
        shoal.update(own, data, remove)
    assert before == {path.name: path.read_bytes() for path in own.iterdir() if path.is_file()}


def test_a_value_outside_a_hierarchy_is_refused_as_in_a_run(tmp_path: Path) -> None:
    tree = {"tree": {"*": ["a", "b", "c", "d"]}}
    attributes = {**PLAN["attributes"], "job": {"role": "quasi", "hierarchy": tree}}
    own = begin(tmp_path, {**PLAN, "attributes": attributes})
    with pytest.raises(DataError, match="job") as in_update:
        shoal.update(own, people(1, 100).with_columns(job=pl.lit("smith")))
    assert "smith" not in str(in_update.value)


def test_the_release_itself_is_no_state(tmp_path: Path) -> None:
    begin(tmp_path)
    with pytest.raises(DataError, match="no state"):
        shoal.update(tmp_path / "release", people(1, 100))


def test_rows_are_named_by_number_where_nobody_is_named(tmp_path: Path) -> None:
    plan = {key: value for key, value in PLAN.items() if key != "individual"}
    own = begin(tmp_path, plan)
    assert shoal.update(own, None, [0, 5]).counts.rows == 58
    for wrong in ([60], [-1], ["x"]):
        with pytest.raises(DataError, match="numbers from 0 to 59"):
            shoal.update(own, None, wrong)
    with pytest.raises(DataError, match="2 of 3 are not: lines 2 and 3 of the list"):
        shoal.update(own, None, [3, "S3CRET", 10**30])


def test_the_last_people_of_a_class_are_not_left_alone(tmp_path: Path) -> None:
    own = begin(tmp_path, n=12)
    release = shoal.update(own, None, [f"p{i}" for i in range(8)])
    assert release.holds
    assert release.rows.drop_nulls("class")["class"].value_counts()["count"].min() >= 3


def test_an_update_may_be_refused_for_what_both_versions_show(tmp_path: Path) -> None:
    """Six people in two classes; whoever leaves takes the only other value of a class along."""
    frame = pl.DataFrame(
        {
            "id": list("abcdef"),
            "age": [20, 21, 22, 60, 61, 62],
            "job": ["x"] * 6,
            "ill": ["u", "u", "v", "u", "v", "w"],
        }
    )
    shoal.run(PLAN, frame, output=tmp_path / "release", private=tmp_path / "own")
    new = pl.DataFrame({"id": ["g"], "age": [22], "job": ["x"], "ill": ["w"]})
    release = shoal.update(tmp_path / "own", new, ["c"])
    assert release.overlap is not None
    assert (release.overlap.least, release.overlap.exposed) == (1, 2)
    assert "versions-together" in {advice.code for advice in release.warnings}
    with pytest.raises(InfeasibleError, match="2 people"):
        shoal.update(tmp_path / "own", new, ["c"], output=tmp_path / "next", refuse=True)
    assert not (tmp_path / "next").exists()
