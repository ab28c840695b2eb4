"""Every form of a published category, in a table of one or two rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal._command.query import query
from tests._command.query.written import ask, column, plan_of, write_folder


@pytest.mark.parametrize(
    ("cells", "where", "share"),
    [
        (["a"], "x = 'a'", 1),
        (["a"], "x != 'a'", 0),
        (["{a, b, c}"], "x IN ('a', 'c', 'z')", 2 / 3),
        (["{a, b, c}"], "x != 'a' AND x != 'b'", 1 / 3),
        (['{"a, b", "*", c}'], "x IN ('a, b', '*')", 2 / 3),
        (['{"", b}'], "x IS MISSING", 0.5),
        (['{"", b}'], "x != 'a'", 0.5),
        (["*", "a", "{b, c}", "d"], "x IN ('a', 'c', 'd')", 0.75),
        (["*", "a", None], "x = 'a'", 0.5),
        ([None, "a"], "x != 'a'", 0),
        (["it's"], "x = 'it''s'", 1),
        (["07"], "x = 07", 1),
        (["07"], "x = 7", 0),
        (["日本"], "x = '日本'", 1),
    ],
)
def test_categories(cells: list[str | None], where: str, share: float, tmp_path: Path) -> None:
    answer = ask(tmp_path, cells, where, kind="categorical")
    assert answer.estimate == pytest.approx(share)


@pytest.mark.parametrize("cell", ["*", "{a, b}", "[1, 2]", "13*"])
@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
def test_what_is_published_unchanged_is_a_value(cell: str, role: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [cell, "a"], f"x = '{cell}'", role, "categorical", "mask")
    assert (answer.lower, answer.estimate, answer.upper, answer.certain) == (1, 1, 1, True)


@pytest.mark.parametrize(
    ("where", "bounds"),
    [
        ("x = '21357'", (0, 0.5, 1)),
        ("x IN ('21357', '21351')", (1, 1, 1)),
        ("x = '21399'", (0, 0, 0)),
        ("x != '21399'", (1, 1, 1)),
        ("x != '21357'", (0, 0.5, 1)),
        ("x = '21355'", (0, 1 / 3, 1)),
    ],
)
def test_a_mask_is_read_against_the_known_values(
    where: str, bounds: tuple[float, ...], tmp_path: Path
) -> None:
    cells = ["2135*", "21357", "21351", "2135", "31357"]
    answer = ask(tmp_path, cells, where, kind="categorical", form="mask")
    assert (answer.lower, answer.estimate, answer.upper) == pytest.approx(bounds)


def test_two_masked_rows_tell_a_share_from_a_gap(tmp_path: Path) -> None:
    columns = [column("x", "quasi", "categorical", "mask")]
    write_folder(tmp_path, columns, {"x": ["2135*", "2135*", "21357", "21351"]})
    known = query(tmp_path, "SELECT COUNT(*) WHERE x = '21357'")
    assert (known.lower, known.upper, known.notes) == (2, 2, ())
    open_one = query(tmp_path, "SELECT COUNT(*) WHERE x = '21355'")
    assert (open_one.lower, open_one.upper) == (0, 2)
    assert any("2 rows show a value of 'x' that the files do not explain" in note
               for note in open_one.notes)  # fmt: skip


JOBS = {"tree": {"*": {"health": ["nurse", "doctor", "vet"], "office": ["clerk"]}}}


@pytest.mark.parametrize(
    ("cell", "where", "without", "with_plan"),
    [
        ("health", "x = 'nurse'", (0, 1 / 3, 1), (0, 1 / 3, 1)),
        ("health", "x IN ('nurse', 'vet', 'doctor')", (0, 1 / 3, 1), (1, 1, 1)),
        ("health", "x = 'clerk'", (0, 1 / 3, 1), (0, 0, 0)),
        ("health", "x = 'health'", (1, 1, 1), (1, 1, 1)),
        ("nurse", "x = 'health'", (0, 0, 0), (1, 1, 1)),
        ("nurse", "x != 'health'", (1, 1, 1), (0, 0, 0)),
        ("health", "x IS MISSING", (0, 0, 0), (0, 0, 0)),
        ("health", "x IS NOT MISSING", (1, 1, 1), (1, 1, 1)),
        ("*", "x = 'clerk'", (0, 0.5, 1), (0, 0.25, 1)),
    ],
)
def test_nodes_of_a_hierarchy(
    cell: str, where: str, without: Any, with_plan: Any, tmp_path: Path
) -> None:
    # The bucket tells that nurse and clerk are values; of health nothing is told.
    data = {"x": [cell, "nurse", None, None], "x_BID": [None, None, "1", "1"],
            "id": ["0", "1", "2", "3"]}  # fmt: skip
    columns = [column("x", "semi-sensitive", "categorical", "tree"),
               column("id", "insensitive", "categorical")]  # fmt: skip
    write_folder(tmp_path, columns, data, {"x": [("1", "clerk"), ("1", "nurse")]})
    text = f"SELECT COUNT(*) WHERE id = '0' AND {where}"
    for plan, bounds in ((None, without), (plan_of(kind="categorical", hierarchy=JOBS), with_plan)):
        answer = query(tmp_path, text, plan)
        assert (answer.lower, answer.estimate, answer.upper) == pytest.approx(bounds)


@pytest.mark.parametrize(
    ("form", "where", "certain"),
    [
        ("file", "x = 'flu'", (0, 1)),
        ("file", "x != 'flu'", (0, 1)),
        ("file", "x IS MISSING", (0, 1)),
        ("file", "x IS NOT MISSING", (0, 1)),
        ("file", "x = 'flu' AND x = 'cold'", (0, 0)),
        ("mask", "x = 'flu'", (0, 0)),
        ("mask", "x IS NOT MISSING", (1, 1)),
    ],
)
def test_a_node_that_ends_with_a_star_may_cover_anything(
    form: str, where: str, certain: tuple[int, int], tmp_path: Path
) -> None:
    answer = ask(tmp_path, ["resp*", "gout"], where, kind="categorical", form=form)
    assert (answer.certain_lower, answer.certain_upper) == certain


@pytest.mark.parametrize("kind", ["categorical", "numeric"])
def test_a_missing_value_may_be_under_a_node(kind: str, tmp_path: Path) -> None:
    """A file may have a row for the empty leaf; only the plan tells."""
    rows = [["", "low"], ["1", "low"], ["8", "high"], ["9", "high"]]
    plan = plan_of(kind=kind, hierarchy={"rows": rows})
    for where in ("x IS MISSING", "x IS NOT MISSING"):
        for label, explained in (("low", (0, 1)), ("high", None)):
            answer = ask(tmp_path, [label, "8"], where, kind=kind, form="file")
            assert (answer.certain_lower, answer.certain_upper) == (0, 1)
            answer = ask(tmp_path, [label, "8"], where, kind=kind, form="file", plan=plan)
            sure = int(where == "x IS NOT MISSING")
            wanted = (sure, sure) if explained is None else explained
            assert (answer.certain_lower, answer.certain_upper) == wanted
            assert answer.estimate == (sure if explained is None else 0.5)


def test_a_manifest_that_knows_of_no_generalised_cell_is_believed(tmp_path: Path) -> None:
    cells: list[str | None] = ["nurse", "clerk"]
    told = {"cells_by_attribute": {"x": {"original": 1.0}}}
    where, kind, form = "x = 'clerk'", "categorical", "tree"
    assert ask(tmp_path, cells, where, kind=kind, form=form).upper == 1
    assert ask(tmp_path, cells, where, kind=kind, form=form, **told).upper == 0


def test_hidden_cells_take_the_domain_that_a_plan_declares(tmp_path: Path) -> None:
    plan = plan_of(kind="numeric", domain=[1, 100])
    assert ask(tmp_path, ["*", "10"], "x <= 5", plan=plan).estimate == pytest.approx(0.05)
    plan = plan_of(kind="categorical", values=["a", "b", "c", "d"])
    answer = ask(tmp_path, ["*", "a"], "x = 'a'", kind="categorical", plan=plan)
    assert answer.estimate == pytest.approx(0.25)


def test_where_nothing_at_all_is_shown_the_bounds_are_open(tmp_path: Path) -> None:
    for kind, where in (("numeric", "x < 3"), ("categorical", "x = 'a'")):
        answer = ask(tmp_path, ["*", "*"], where, kind=kind)
        assert (answer.lower, answer.upper) == (0, 1)


def test_ordinals_are_compared_in_the_order_of_the_plan(tmp_path: Path) -> None:
    plan = plan_of(kind="ordinal", values=["low", "mid", "high"])
    cells: list[str | None] = ["{low, high}", "mid"]
    for where, share in (
        ("x < 'high'", 0.5),
        ("x BETWEEN 'mid' AND 'high'", 0.5),
        ("x >= 'low'", 1),
    ):
        assert ask(tmp_path, cells, where, kind="ordinal", plan=plan).estimate == share


def test_values_that_are_nowhere_are_told(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["a", "b"], "x IN ('a', 'B')", kind="categorical")
    assert any(
        "No row shows 1 of the 2 values that 'x' is compared with" in note for note in answer.notes
    )
    assert "B" not in "".join(answer.notes)


def test_a_kind_that_the_manifest_does_not_tell_is_seen(tmp_path: Path) -> None:
    assert ask(tmp_path, ["1", "2"], "x < 2", role="insensitive", kind=None).estimate == 1
    assert ask(tmp_path, ["1", "b"], "x = '1'", role="insensitive", kind=None).estimate == 1
