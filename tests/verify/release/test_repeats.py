"""Equal rows of one person are one: published once, counted once, and told apart from the rest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import VerificationError
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Requirement, Role, Schema
from shoal.verify import Published, audit_table, verify_release
from shoal.verify.model import recount as words
from shoal.verify.text import candidate
from tests.verify import naive

SCHEMA = Schema(
    (
        Attribute("who", Role.IDENTIFIER),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL, missing=("?",)),
        Attribute("note", Role.INSENSITIVE, missing=("-",)),
        Attribute("seen", Role.FLAG),
    ),
    Individual("who"),
)


@dataclass(frozen=True)
class Case:
    """Two people and a suppressed third; rows 0, 2 and 4 say the same of Ann."""

    origin: tuple[int, ...] = (0, 1, 3)
    classes: tuple[int, ...] = (1, 1, 1, 1, 1, -1, -1)
    schema: Schema = SCHEMA
    cells: dict[str, list[Any]] = field(
        default_factory=lambda: {
            "who": ["Ann", "Bob", "Ann", "Ann", "Ann", "Cid", "Cid"],
            "age": ["30", "34", "30", "30", "30", "99", "99"],
            "ill": ["flu", "flu", "flu", "cold", "flu", "pox", "pox"],
            "note": ["-", "x", None, "-", "", "-", "-"],
            "seen": list("abcdefg"),
        }
    )
    label: str = "[30, 34]"

    def verify(self, asked: Sequence[Requirement] = (Requirement("ir-k", {"k": 2}),)) -> Any:
        original = pl.DataFrame(self.cells, schema=dict.fromkeys(self.cells, pl.String))
        origin = np.array(self.origin, dtype=np.int64)
        rows = original[origin]
        data = rows.select(
            pl.lit(self.label).alias("age"), pl.col("ill"), pl.col("note").replace(["-", ""], None)
        )
        if self.schema.individual:
            first = list(dict.fromkeys(rows["who"]))
            ids = pl.Series("Id_num", [str(first.index(w) + 1) for w in rows["who"]])
            data = data.select(ids, pl.all())
        data = data.with_columns(pl.col("ill").replace(["?", ""], None))
        return verify_release(
            Published({"data": data}, original, origin, np.array(self.classes), self.schema, asked)
        )

    def with_column(self, **columns: list[Any]) -> Case:
        return replace(self, cells={**self.cells, **columns})


MERGED = Case()


def finding(case: Case) -> str:
    with pytest.raises(VerificationError) as error:
        case.verify()
    return "\n".join(map(str, error.value.problems))


@pytest.mark.parametrize("row", [0, 2, 4])
def test_any_one_of_equal_rows_is_published(row: int) -> None:
    (verdict,) = replace(MERGED, origin=(row, 1, 3)).verify()
    assert (verdict.holds, verdict.reached) == (True, 2)


def test_a_repeated_row_published_twice() -> None:
    text = finding(replace(MERGED, origin=(0, 1, 3, 2)))
    assert text == (
        "1 row is published in addition to an equal row of the same person (original row 3)."
    )
    assert "2 rows are published in addition" in finding(replace(MERGED, origin=(4, 1, 2, 3, 0)))


def test_the_same_row_published_twice() -> None:
    text = finding(replace(MERGED, origin=(0, 1, 3, 3)))
    assert text == "1 row is published more than once (original row 4)."


def test_a_dropped_row_that_is_no_repeat() -> None:
    text = finding(replace(MERGED, origin=(0, 1)))
    assert text == "1 row has a class but is not published (original row 4)."
    text = finding(replace(MERGED, origin=(1, 3)))
    assert text == "3 rows have a class but are not published (original rows 1, 3, 5)."


def test_an_equal_row_of_somebody_else_is_no_repeat() -> None:
    notes = MERGED.with_column(note=["x"] * 7)
    assert notes.verify()[0].holds
    assert "(original row 2)" in finding(replace(notes, origin=(0, 3)))


def test_without_people_every_row_is_published() -> None:
    alone = replace(MERGED, schema=replace(MERGED.schema, individual=None))
    asked = [Requirement("k-anonymity", {"k": 5})]
    assert replace(alone, origin=(0, 1, 2, 3, 4)).verify(asked)[0].reached == 5
    assert "2 rows have a class but are not published (original rows 3, 5)" in finding(alone)


def test_a_repeat_is_in_the_class_of_its_person() -> None:
    text = finding(replace(MERGED, classes=(1, 1, 2, 1, 1, -1, -1)))
    assert "1 row is in a different class from its person's other rows (original row 3)" in text
    text = finding(replace(MERGED, classes=(1, 1, 1, 1, -1, -1, -1)))
    assert "1 row is in a different class from its person's other rows (original row 5)" in text


def test_missing_is_one_value_and_text_is_compared_as_text() -> None:
    missing = ["?", "flu", "", "cold", None, "pox", "pox"]
    assert MERGED.with_column(ill=missing).verify()[0].holds
    spelt = ["1", "1", "1.0", "2", "1", "3", "3"]
    assert "(original row 3)" in finding(MERGED.with_column(ill=spelt))
    assert "(original row 3)" in finding(
        MERGED.with_column(note=["1", "1", "1.0", "2", "1", "", ""])
    )


def test_sensitive_numbers_are_compared_as_numbers() -> None:
    attributes = [
        replace(a, kind=Kind.NUMERIC) if a.name in ("ill", "note") else a
        for a in MERGED.schema.attributes
    ]
    numbers = replace(MERGED, schema=replace(MERGED.schema, attributes=tuple(attributes)))
    numbers = numbers.with_column(ill=["1", "1", "1.0", "2", "1e0", "3", "3"])
    assert numbers.verify()[0].holds
    apart = numbers.with_column(note=["1", "1", "1.0", "2", "1", "3", "3"])
    assert "(original row 3)" in finding(apart)


@pytest.mark.parametrize(
    ("conflict", "ages", "holds"),
    [
        ("error", ["30", "34", "99", "30", "30"], False),  # the odd row is not the published one
        ("first", ["30", "34", "99", "99", "99"], True),
        ("first", ["99", "34", "30", "30", "30"], False),
        ("mode", ["99", "34", "30", "99", "30"], True),
        ("mode", ["30", "34", "99", "99", "99"], False),
    ],
)
@pytest.mark.parametrize("row", [0, 2, 4])
def test_a_label_stands_for_the_repeats_too(
    conflict: Any, ages: list[str], holds: bool, row: int
) -> None:
    schema = replace(MERGED.schema, individual=Individual("who", conflict))
    case = replace(MERGED, schema=schema, origin=(row, 1, 3)).with_column(age=[*ages, "99", "99"])
    if holds:
        assert case.verify()[0].holds
    else:
        assert "'age' has" in finding(case)
        assert "not cover the original value" in finding(case)


@pytest.mark.parametrize(("high", "holds"), [(34.0, True), (33.0, False)])
def test_bounds_stand_for_the_repeats_too(high: float, holds: bool) -> None:
    """The first value, 34, stands for the person, and the other row is the published one."""
    attributes = (
        Attribute("who", Role.IDENTIFIER),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL),
    )
    schema = Schema(attributes, Individual("who", "first"))
    original = pl.DataFrame({"who": ["Ann", "Ann"], "age": [34, 99], "ill": ["flu", "flu"]})
    data = pl.DataFrame({"Id_num": ["1"], "age_low": [30.0], "age_high": [high], "ill": ["flu"]})
    args = ({"data": data}, original, np.array([1]), np.array([1, 1]), schema)
    asked = [Requirement("ir-k", {"k": 1})]
    if holds:
        assert verify_release(Published(*args, asked, ranges="columns"))[0].holds
    else:
        with pytest.raises(VerificationError, match=r"1 label .* \(published row 1\)"):
            verify_release(Published(*args, asked, ranges="columns"))


def test_shares_are_of_the_rows_that_are_published() -> None:
    asked = [
        Requirement("ir-alpha-beta", {"alpha": 0.7, "beta": 0.7}),
        Requirement("alpha-k", {"alpha": 0.7, "k": 2}),
    ]
    by_people, by_rows = MERGED.verify(asked)
    assert by_people.reached == {"alpha": 2 / 3, "beta": 2 / 3}
    assert by_rows.reached == {"alpha": 2 / 3, "k": 2}


def test_the_whole_table_counts_a_repeat_once() -> None:
    """Flu, flu, cold and pox: of the suppressed Cid there is one row too."""
    (verdict,) = MERGED.verify([Requirement("t-closeness", {"t": 1, "distance": "equal"})])
    assert verdict.reached == pytest.approx(naive.emd_equal(["f", "f", "c"], ["f", "f", "c", "p"]))


def test_suppression_is_a_share_of_the_input() -> None:
    schema = replace(
        PUBLISHED,
        attributes=(Attribute("who", Role.IDENTIFIER), *PUBLISHED.attributes[1:]),
        individual=Individual("who"),
    )
    original = pl.DataFrame({"who": ["1", "1", "2"], "q": ["x", "x", "y"], "s": ["a", "a", "b"]})
    data = pl.DataFrame({"Id_num": ["1"], "q": ["y"], "s": ["b"]})
    args = ({"data": data}, original, np.array([2]), np.array([-1, -1, 1]), schema)
    with pytest.raises(VerificationError, match="2 of 3 rows are suppressed"):
        verify_release(Published(*args, [Requirement("ir-k", {"k": 1})], suppression_limit=0.5))


# Audits ----------------------------------------------------------------------------------------

FIVE = {
    "ir-k": {"k": 2},
    "ir-kl": {"k": 2, "l": 2},
    "ir-alpha-beta": {"alpha": 0.5, "beta": 0.5},
    "eir-l": {"l": 2},
    "eir-alpha-beta": {"alpha": 0.5, "beta": 0.5},
}
PUBLISHED = Schema(
    (
        Attribute("Id_num", Role.IDENTIFIER),
        Attribute("q", Role.QUASI, Kind.CATEGORICAL),
        Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL),
    ),
    Individual("Id_num"),
)
HIDDEN = replace(
    PUBLISHED,
    attributes=(
        *PUBLISHED.attributes[:2],
        replace(PUBLISHED.attributes[2], hierarchy=HierarchySpec("tree")),
    ),
)
DATA = pl.DataFrame(
    {"Id_num": ["1", "1", "2", "3"], "q": ["*"] * 4, "s": ["a", "b", "c", "d"]},
)
ORIGINAL = pl.DataFrame({"q": list("uuuuvw"), "s": ["a", "b", "a", "b", "d", "c"]})
NAMED = pl.DataFrame({"q": ORIGINAL["q"], "s": ORIGINAL["s"], "name": list("xxxxyz")})


def test_people_are_counted_from_the_release_alone() -> None:
    held, short = audit_table(
        DATA, PUBLISHED, [Requirement("ir-k", {"k": k}) for k in (3, 4)]
    ).verdicts
    assert (held.holds, held.reached, held.attribute) == (True, 3, None)
    assert (short.holds, short.reached) == (False, 3)


@pytest.mark.parametrize("model", list(FIVE)[1:])
def test_values_of_people_are_counted_where_they_are_shown(model: str) -> None:
    asked = [Requirement(model, FIVE[model])]
    (hidden,) = audit_table(DATA, HIDDEN, asked, symbols=["s"]).verdicts
    assert (hidden.holds, hidden.reached, hidden.note) == (None, None, words.SYMBOLS)
    assert (hidden.attribute, hidden.asked) == ("s", 2 if model == "eir-l" else FIVE[model])
    found = audit_table(DATA, PUBLISHED, asked, ORIGINAL, n_repeated=2)
    assert found.problems == ()
    assert found.verdicts[0].holds is True
    assert audit_table(DATA, PUBLISHED, asked).verdicts == found.verdicts
    strange = ORIGINAL.with_columns(pl.col("s").replace("d", "e"))
    lost = audit_table(DATA, PUBLISHED, asked, strange)
    assert (lost.verdicts[0].holds, lost.verdicts[0].note) == (None, words.UNLIKE)
    assert len(lost.problems) == 1


def test_values_of_people_are_open_if_nobody_can_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """That not all ties were followed is no proof that the cells are false."""
    schema = replace(PUBLISHED, individual=Individual("Id_num", "mode"))
    asked = [Requirement("eir-l", FIVE["eir-l"])]
    there = audit_table(DATA, schema, asked, NAMED, n_repeated=2, person="name")
    assert there.verdicts[0].holds is True
    monkeypatch.setattr(candidate, "_TIES", 0)
    found = audit_table(DATA, schema, asked, NAMED, n_repeated=2, person="name")
    assert (found.verdicts[0].holds, found.verdicts[0].note) == (None, words.UNASSIGNED)
    assert found.problems == ()


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("ir-kl", {"k": 4, "l": 1}),
        ("ir-kl", {"k": 1, "l": 5}),
        ("eir-l", {"l": 4}),
        ("ir-alpha-beta", {"alpha": 0.4, "beta": 1.0}),
        ("ir-alpha-beta", {"alpha": 1.0, "beta": 0.2}),
        ("eir-alpha-beta", {"alpha": 1.0, "beta": 0.3}),
    ],
)
def test_rows_and_people_alone_can_speak_against_it(model: str, parameters: dict[str, Any]) -> None:
    asked = [Requirement(model, parameters)]
    (verdict,) = audit_table(DATA, HIDDEN, asked, symbols=["s"]).verdicts
    assert (verdict.holds, verdict.offending) == (False, (1,))
    assert "rows or people" in verdict.note
    least = {"k": 3, "l": 3 if model == "eir-l" else 4, "alpha": 0.5, "beta": 0.34}
    at_most = Requirement(model, {name: least[name] for name in parameters})
    assert audit_table(DATA, HIDDEN, [at_most], symbols=["s"]).verdicts[0].holds is None


def test_an_audit_without_people_says_so() -> None:
    asked = [Requirement(m, p) for m, p in FIVE.items()]
    for known in (PUBLISHED, HIDDEN):
        schema = replace(known, attributes=known.attributes[1:], individual=None)
        found = audit_table(DATA.drop("Id_num"), schema, asked, symbols=["s"])
        assert [(v.holds, v.note) for v in found.verdicts] == [(None, words.INVALID)] * 5
        assert len(found.problems) == 5


def test_a_repeated_row_is_found_in_the_release_itself() -> None:
    again = pl.concat([DATA, DATA[1:2]])
    (problem,) = audit_table(again, PUBLISHED, []).problems
    assert problem.text == "1 row repeats another row of the same Id_num (published row 5)."
    other = again.with_columns(pl.Series("Id_num", ["1", "1", "2", "3", "2"]))
    assert audit_table(other, PUBLISHED, []).problems == ()


def test_an_invented_row_is_found_beside_the_original() -> None:
    more = pl.concat([DATA, pl.DataFrame({"Id_num": ["3"], "q": ["*"], "s": ["c"]})])
    (problem,) = audit_table(more, PUBLISHED, [], ORIGINAL).problems
    assert "than the original has: 1 too many." in problem.text


def test_people_are_told_apart_by_their_column() -> None:
    assert audit_table(DATA, PUBLISHED, [], NAMED, person="name").problems == ()
    apart = DATA.with_columns(pl.Series("Id_num", ["1", "4", "2", "3"]))
    (problem,) = audit_table(apart, PUBLISHED, [], NAMED, person="name").problems
    assert "2 people of 'Id_num'" in problem.text
    found = audit_table(apart, PUBLISHED, [], ORIGINAL, person="name")
    assert (found.problems, found.assigned and found.assigned.holds) == ((), None)


def test_distances_count_a_repeated_row_once() -> None:
    asked = [Requirement("t-closeness", {"t": 1.0})]
    (one,) = audit_table(DATA, PUBLISHED, asked, NAMED, n_repeated=2, person="name").verdicts
    assert (one.holds, one.reached) == (True, 0.0)
    some = audit_table(DATA[:2], PUBLISHED, asked, NAMED, n_repeated=2, person="name").verdicts
    assert some[0].reached == pytest.approx(naive.emd_equal(list("ab"), list("abcd")))


def test_closeness_is_open_where_repeats_and_suppressed_rows_cannot_be_told_apart() -> None:
    asked = [Requirement("t-closeness", {"t": 1.0})]
    (sure,) = audit_table(DATA, PUBLISHED, asked, ORIGINAL, n_repeated=2).verdicts
    assert (sure.holds, sure.reached) == (True, 0.0)
    (unsure,) = audit_table(DATA, PUBLISHED, asked, ORIGINAL, n_repeated=1).verdicts
    assert (unsure.holds, unsure.note) == (None, words.REPEATED)
    (plain,) = audit_table(DATA, PUBLISHED, asked, ORIGINAL).verdicts
    assert plain.reached == pytest.approx(naive.emd_equal(list("abcd"), list("ababdc")))


# Folders ---------------------------------------------------------------------------------------


def write(folder: Path, data: pl.DataFrame, **counts: int) -> Path:
    """A release folder with what an audit needs, vouched for by its own manifest."""
    folder.mkdir()
    data.write_csv(folder / "data.csv")
    digest = hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()
    requirement = Requirement("ir-k", {"k": 2})
    manifest = {
        "format": 1,
        "individual": "name",
        "columns": [
            {"name": "Id_num", "role": "person"},
            {"name": "q", "role": "quasi", "kind": "categorical"},
            {"name": "s", "role": "sensitive", "kind": "categorical"},
        ],
        "requirements": [{"model": "ir-k", "parameters": {"k": 2}}],
        "verdicts": [{"requirement": str(requirement), "holds": True, "asked": 2, "reached": 3}],
        "files": {"data.csv": {"sha256": digest, "rows": data.height}},
        "ranges": "tight",
        "counts": {"rows": 6, "published": data.height, "classes": 1, "people": 3, **counts},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_a_folder_with_repeats_is_sound(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", DATA, suppressed=0, repeated=2)
    for original in (None, ORIGINAL):
        found = shoal.audit(folder, original)
        # It was written by hand, without a report.
        assert {problem.where for problem in found.findings} == {"report.html"}
        assert found.unlike == ()
        assert all(verdict.holds for verdict in found.verdicts)


@pytest.mark.parametrize(
    ("shown", "counts", "original", "text"),
    [
        (
            (0, 1, 2, 3),
            {"suppressed": 0},
            None,
            "repeated rows do not add up",
        ),
        ((0, 1, 3), {"suppressed": 0, "repeated": 2}, None, "do not add up"),
        ((0, 1, 3, 3), {"suppressed": 0, "repeated": 2}, None, "repeats another row of the same"),
        # A dropped row that is called a repeat.
        (
            (0, 2, 3),
            {"suppressed": 0, "repeated": 3},
            NAMED,
            "1 person of 'Id_num' can be no person of the original",
        ),
    ],
)
def test_a_folder_that_does_not_add_up(
    tmp_path: Path,
    shown: tuple[int, ...],
    counts: dict[str, int],
    original: pl.DataFrame | None,
    text: str,
) -> None:
    found = shoal.audit(write(tmp_path / "x", DATA[list(shown)], **counts), original)
    problems = [*found.findings, *found.unlike]
    assert not found.holds
    assert any(text in problem.text for problem in problems)
