"""The graph of rows: the paper's Figs. 5 and 10, the twin's distances, and the picture."""

from __future__ import annotations

from itertools import combinations
from math import dist
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import graph
from shoal.errors import DataError, PlanError
from shoal.graph import (
    adjacency_matrix,
    class_error,
    draw,
    query_errors,
    release_error,
    set_distance,
)
from shoal.plan import Plan
from tests.cases import random_case
from tests.papers.graph import twin as twin
from tests.papers.graph.test_twin import EIGHT, FIG_5, FIG_10, PEOPLE
from tests.papers.naive import Field

ATTRIBUTES: dict[str, Any] = {
    "age": "quasi",
    "gender": {"role": "quasi", "hierarchy": {"tree": {"*": ["M", "F"]}}},
}


def table(rows: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["age", "gender"], orient="row")


# The matrix.


@pytest.mark.parametrize(("rows", "figure"), [(PEOPLE, FIG_5), (EIGHT, FIG_10)])
def test_figs_5_and_10(rows: list[Any], figure: list[list[int]]) -> None:
    matrix = adjacency_matrix(table(rows), ATTRIBUTES)
    assert str(matrix) == str(np.array(figure))


def test_inserting_d8_computes_its_distances_only(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []
    count = graph.set_distances

    def counted(table: Any, sets: Any, normalise: bool = False) -> Any:
        computed.append(len(sets))
        return count(table, sets, normalise)

    before = adjacency_matrix(table(PEOPLE), ATTRIBUTES)
    monkeypatch.setattr(graph, "set_distances", counted)
    monkeypatch.setattr(graph, "distance_matrix", None)
    assert str(graph.insert(before, table(EIGHT), ATTRIBUTES)) == str(np.array(FIG_10))
    assert computed == [7]


def test_inserting_where_a_number_is_missing_is_as_from_the_beginning() -> None:
    frame = pl.DataFrame({"age": [1, None, 3, 90], "gender": ["M", "F", "M", "F"]})
    before = adjacency_matrix(frame.head(2), ATTRIBUTES)
    whole = adjacency_matrix(frame, ATTRIBUTES)
    assert (graph.insert(before, frame, ATTRIBUTES) == whole).all()


@pytest.mark.parametrize("shape", [(9, 9), (2, 3)])
def test_inserting_into_another_matrix_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(DataError, match="square"):
        graph.insert(np.zeros(shape, dtype=np.int64), table(EIGHT), ATTRIBUTES)


def test_other_columns_do_not_matter() -> None:
    frame = table(PEOPLE).with_columns(pl.lit("flu").alias("disease"), pl.lit("?").alias("more"))
    schema = Plan.parse(
        {
            "attributes": {**ATTRIBUTES, "disease": "sensitive"},
            "privacy": [{"k-anonymity": {"k": 2}}],
        }
    ).schema
    assert adjacency_matrix(frame, schema).tolist() == FIG_5


def column_of(field: Field) -> twin.Column:
    if field.is_range:
        return ("numeric", 0.0, field.span)
    if field.tree:
        return ("tree", [(v, *field.above(v)[1:]) for v in field.values])
    return ("set", len(field.values))


def cells_of(field: Field) -> list[Any]:
    if not field.is_range:
        return list(field.cells)
    return [None if cell is None else field.number(cell) for cell in field.cells]


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_distances_are_the_twins(seed: int, normalise: bool) -> None:
    case = random_case(seed, most_rows=20)
    rows = list(zip(*map(cells_of, case.quasi), strict=True))
    expected = twin.matrix(rows, [column_of(field) for field in case.quasi], normalise)
    matrix = adjacency_matrix(case.frame, case.attributes, normalise)
    assert matrix.tolist() == [pytest.approx(line, abs=1e-12) for line in expected]
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 0).all()
    whole = all(float(entry).is_integer() for line in matrix.tolist() for entry in line)
    assert np.issubdtype(matrix.dtype, np.integer) == whole


def in_classes(groups: list[list[int]]) -> list[int]:
    """The class of every row, of groups that number rows from 1."""
    found = {row: number for number, group in enumerate(groups) for row in group}
    return [found[row] for row in sorted(found)]


def test_distance_and_error_of_the_papers_classes() -> None:
    frame = table(PEOPLE)
    assert set_distance(frame, ATTRIBUTES, [0, 1]) == 2
    assert set_distance(frame, ATTRIBUTES) == 7
    assert class_error(frame, ATTRIBUTES, [2, 3, 4]) == 6
    assert class_error(frame, ATTRIBUTES, [0, 1, 5, 6]) == 20


@pytest.mark.parametrize(
    ("rows", "groups", "error"),
    [
        (PEOPLE, [[6, 7], [3, 4, 5], [1, 2]], 10),
        (PEOPLE, [[3, 4, 5], [1, 2, 6, 7]], 26),
        (PEOPLE, [[1, 6, 7], [2, 3, 4, 5]], 24),
        (EIGHT, [[6, 7], [1, 2, 8], [3, 4, 5]], 12),
        (EIGHT, [[1, 3], [2, 8], [4, 5], [6, 7]], 8),
    ],
)
def test_error_of_the_papers_releases(
    rows: list[Any], groups: list[list[int]], error: float
) -> None:
    assert release_error(table(rows), ATTRIBUTES, in_classes(groups)) == error


def test_suppressed_rows_add_no_error_and_rows_must_be_there() -> None:
    frame = table(PEOPLE)
    assert release_error(frame, ATTRIBUTES, [1, 1, *[None] * 5]) == 4
    assert release_error(frame, ATTRIBUTES, [None] * 7) == 0
    for rows in ([], [7], [-1, 0]):
        with pytest.raises(DataError, match="from 0 to 6"):
            set_distance(frame, ATTRIBUTES, rows)
    with pytest.raises(DataError, match="one entry per row, 7, got 2"):
        release_error(frame, ATTRIBUTES, [1, 1])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.randoms(use_true_random=False))
def test_distances_and_errors_of_sets_are_the_twins(
    seed: int, normalise: bool, chance: Random
) -> None:
    case = random_case(seed, most_rows=20)
    rows = list(zip(*map(cells_of, case.quasi), strict=True))
    columns = [column_of(field) for field in case.quasi]
    classes = [chance.randrange(3) for _ in rows]
    groups = [[i for i, own in enumerate(classes) if own == c] for c in set(classes)]
    for group in groups:
        found = set_distance(case.frame, case.attributes, group, normalise=normalise)
        assert found == pytest.approx(twin.f_DIS(rows, columns, group, normalise), abs=1e-12)
    found = release_error(case.frame, case.attributes, classes, normalise=normalise)
    assert found == pytest.approx(twin.error(rows, columns, groups, normalise), abs=1e-9)


def test_dates_are_days_apart_and_halves_stay_halves() -> None:
    frame = pl.DataFrame({"day": ["2024-02-28", "2024-03-01", None], "pay": [1.5, 1.0, 3.0]})
    matrix = adjacency_matrix(frame, {"day": {"role": "quasi", "kind": "date"}, "pay": "quasi"})
    assert matrix.tolist() == [[0, 2.5, 3.5], [2.5, 0, 4], [3.5, 4, 0]]
    days = adjacency_matrix(frame, {"day": {"role": "quasi", "kind": "date"}, "pay": "insensitive"})
    assert days.tolist() == [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    assert np.issubdtype(days.dtype, np.integer)


def test_missing_differs_from_the_only_number_there_is() -> None:
    frame = pl.DataFrame({"n": [7, 7, None]})
    for normalise in (False, True):
        matrix = adjacency_matrix(frame, {"n": "quasi"}, normalise)
        assert matrix.tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


def test_distances_too_long_for_integers_are_floats() -> None:
    matrix = adjacency_matrix(pl.DataFrame({"n": [0.0, 1e200]}), {"n": "quasi"})
    assert matrix[0, 1] == 1e200


def test_a_larger_matrix_is_put_together_from_blocks() -> None:
    ages = np.random.default_rng(3).integers(0, 90, 600)
    matrix = adjacency_matrix(pl.DataFrame({"age": ages}), {"age": "quasi"})
    assert (matrix == np.abs(ages[:, None] - ages)).all()


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(DataError, match=r"at most 10,000 rows, got 10,001"):
        adjacency_matrix(pl.DataFrame({"age": np.zeros(10_001)}), {"age": "quasi"})
    with pytest.raises(PlanError) as error:
        adjacency_matrix(pl.DataFrame({"x": [1]}), ATTRIBUTES)
    assert [problem.text for problem in error.value.problems] == [
        "The data has no column 'age'.",
        "The data has no column 'gender'.",
    ]
    with pytest.raises(PlanError, match="quasi-identifier"):
        adjacency_matrix(table(PEOPLE), {"age": "insensitive", "gender": "sensitive"})


# The picture.

SVG = "{http://www.w3.org/2000/svg}"


def texts(element: ElementTree.Element) -> list[str]:
    return [found.text or "" for found in element.iter(f"{SVG}text")]


def vertices(picture: ElementTree.Element) -> dict[str, ElementTree.Element]:
    found = [g for g in picture.iter(f"{SVG}g") if g.get("class") == "vertex"]
    return {texts(g)[0]: g for g in found}


def place(vertex: ElementTree.Element) -> tuple[float, float]:
    number = vertex.find(f"{SVG}text")
    assert number is not None
    return float(number.attrib["x"]), float(number.attrib["y"])


def edges(picture: ElementTree.Element, stroke: str | None = None) -> list[str]:
    """What the edges say, all or those that are not faint."""
    return [
        path.findtext(f"{SVG}title", "")
        for path in picture.iter(f"{SVG}path")
        if stroke is None or path.get("stroke") != stroke
    ]


FAINT = "#d5dde3"


def test_the_whole_graph_has_all_edges_with_their_distances() -> None:
    picture = ElementTree.fromstring(draw(table(PEOPLE), ATTRIBUTES))
    pairs = list(combinations(range(7), 2))
    said = [f"rows {i + 1} and {j + 1}: {FIG_5[i][j]}" for i, j in pairs]
    assert edges(picture) == said
    distances = [t for t in texts(picture) if t.isdigit()]
    assert sorted(distances) == sorted([*(str(FIG_5[i][j]) for i, j in pairs), *"1234567"])


def test_classes_have_their_own_colours_and_edges() -> None:
    picture = ElementTree.fromstring(draw(table(EIGHT), ATTRIBUTES, [3, 3, 2, 2, 2, 1, 1, None]))
    assert edges(picture, FAINT) == [
        "rows 1 and 2: 2",
        "rows 3 and 4: 1",
        "rows 3 and 5: 2",
        "rows 4 and 5: 1",
        "rows 6 and 7: 0",
    ]
    assert len(edges(picture)) == 28
    circles = {row: g.find(f"{SVG}circle") for row, g in vertices(picture).items()}
    colours = {row: c.attrib["stroke"] for row, c in circles.items() if c is not None}
    assert colours["1"] == colours["2"]
    assert len({colours[row] for row in "1368"}) == 4
    dashed = [row for row, c in circles.items() if c is not None and c.get("stroke-dasharray")]
    assert dashed == ["8"]
    assert {"class 1", "class 2", "class 3", "suppressed"} <= set(texts(picture))


def test_classes_beyond_the_colours_differ_by_shape() -> None:
    frame = pl.DataFrame({"n": range(60)})
    picture = ElementTree.fromstring(draw(frame, {"n": "quasi"}, [row // 2 for row in range(60)]))
    drawn = vertices(picture)
    looks = set()
    for row in range(0, 60, 2):
        [shape] = [e for e in drawn[str(row + 1)] if e.tag in (f"{SVG}circle", f"{SVG}polygon")]
        looks.add((shape.attrib["stroke"], len(shape.get("points", "").split())))
    assert len(looks) == 30


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_any_small_table_can_be_drawn(seed: int) -> None:
    case = random_case(seed, most_rows=60)
    classes = [None if row % 7 == 3 else row % 4 for row in range(case.n_rows)]
    for given_classes in (None, classes):
        picture = ElementTree.fromstring(draw(case.frame, case.attributes, given_classes))
        drawn = vertices(picture)
        assert list(drawn) == [str(row + 1) for row in range(case.n_rows)]
        width, height = map(float, picture.attrib["viewBox"].split()[2:])
        places = [place(vertex) for vertex in drawn.values()]
        assert all(15 < x < width - 15 and 15 < y < height - 15 for x, y in places)
        assert all(dist(a, b) > 50 for a, b in combinations(places, 2))


def test_an_edge_passes_beside_other_vertices() -> None:
    # In Fig. 4, d3 stands between d1 and d4.
    picture = ElementTree.fromstring(draw(table(PEOPLE), ATTRIBUTES))
    at = [np.array(place(vertex)) - [0, 4.5] for vertex in vertices(picture).values()]
    shares = np.linspace(0, 1, 101)[:, None]
    n_bent = 0
    for path in picture.iter(f"{SVG}path"):
        numbers = path.attrib["d"].replace("M", "").replace("Q", " ").split()
        start, bend, end = np.array(numbers, dtype=float).reshape(3, 2)
        n_bent += dist(bend, (start + end) / 2) > 1
        curve = (1 - shares) ** 2 * start + 2 * shares * (1 - shares) * bend + shares**2 * end
        others = [v for v in at if dist(v, start) > 1 and dist(v, end) > 1]
        assert len(others) == 5
        assert all(np.hypot(*(curve - v).T).min() > 17 for v in others)
    assert n_bent >= 1


def test_of_many_rows_only_the_edges_that_matter_are_drawn() -> None:
    frame = pl.DataFrame({"n": range(0, 65, 5)})
    whole = ElementTree.fromstring(draw(frame, {"n": "quasi"}))
    drawn = edges(whole)
    assert 13 * 3 / 2 <= len(drawn) <= 13 * 3
    assert "rows 6 and 7: 5" in drawn
    assert "rows 1 and 13: 60" not in drawn
    parted = ElementTree.fromstring(draw(frame, {"n": "quasi"}, [1, *[2] * 10, 3, 3]))
    assert len(edges(parted)) == 45 + 1


def test_equal_rows_stand_close_together() -> None:
    svg = draw(pl.DataFrame({"n": [1] * 60}), {"n": "quasi"}, [1] * 60)
    width, height = map(float, ElementTree.fromstring(svg).attrib["viewBox"].split()[2:])
    assert width < 1200
    assert height < 1200


def test_near_rows_are_near() -> None:
    picture = ElementTree.fromstring(draw(table(PEOPLE), ATTRIBUTES))
    at = {row: place(vertex) for row, vertex in vertices(picture).items()}
    gaps = {pair: dist(at[pair[0]], at[pair[1]]) for pair in combinations(at, 2)}
    assert min(gaps, key=gaps.__getitem__) == ("6", "7")
    assert min(gaps["4", "6"], gaps["4", "7"]) > max(gaps["3", "4"], gaps["4", "5"])


def test_no_cell_is_shown() -> None:
    frame = pl.DataFrame({"age": [8101, 8203, 8307], "town": ["Ulm", "Bern", "Graz"]})
    svg = draw(frame, {"age": "quasi", "town": "quasi"}, [1, 1, None])
    words = "".join(ElementTree.fromstring(svg).itertext())
    assert not [cell for cell in ("81", "82", "83", "Ulm", "Bern", "Graz", "town") if cell in words]


def test_the_picture_is_named_written_and_the_same_each_time(tmp_path: Path) -> None:
    svg = draw(table(PEOPLE), ATTRIBUTES, path=tmp_path / "graph.svg", title="Fig. 4 <&>")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == svg
    assert svg == draw(table(PEOPLE), ATTRIBUTES, title="Fig. 4 <&>")
    picture = ElementTree.fromstring(svg)
    assert picture[0].tag == f"{SVG}title"
    assert picture[0].text == "Fig. 4 <&>"
    assert picture.get("role") == "img"


def test_normalised_distances_are_drawn_short() -> None:
    picture = ElementTree.fromstring(draw(table(PEOPLE), ATTRIBUTES, normalise=True))
    assert "rows 1 and 2: 1.17" in edges(picture)


@pytest.mark.parametrize(
    ("classes", "says"),
    [
        ([1, 2], "one entry per row, 7, got 2"),
        ([1, 1, "flu", 1.5, True, 2, None], r"3 are neither \(first: row 3\)"),
    ],
)
def test_wrong_classes(classes: list[Any], says: str) -> None:
    with pytest.raises(DataError, match=says) as error:
        draw(table(PEOPLE), ATTRIBUTES, classes)
    assert "flu" not in str(error.value)


def test_too_many_rows_to_draw(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="at most 60 rows, got 61"):
        draw(pl.DataFrame({"n": range(61)}), {"n": "quasi"}, path=tmp_path / "graph.svg")
    assert not (tmp_path / "graph.svg").exists()


def test_query_errors_by_hand() -> None:
    """Two classes of two rows: every share can be counted on one hand."""
    frame = pl.DataFrame({"age": [10, 12, 30, 31], "sex": ["F", "M", "M", "M"]})
    plan = {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "sex": "quasi"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "adjacency",
        "seed": 1,
    }
    release = shoal.run(plan, frame)
    assert set(release.frame["age"]) == {"[10, 12]", "[30, 31]"}
    found = query_errors(release, n_queries=400, seed=3)
    assert found.columns == ["kind", "attributes", "error", "queries"]
    assert found["kind"].to_list() == ["and"] * 2 + ["or"] * 2 + ["range"] * 2
    # age = 10 or 12: 2 * 1/3 instead of 1; 30 or 31: 2 * 1/2, right. sex = F: 2 * 1/2, right;
    # sex = M: 2 * 1/2 + 2, right. So one attribute: a quarter of the queries is off by a third.
    one = found.filter(kind="and", attributes=1)["error"].item()
    assert one == pytest.approx(1 / 3 * 1 / 4, abs=0.03)
    # Both: (10, F) and (12, M) are 2 * 1/3 * 1/2 instead of 1, the others are right.
    both = found.filter(kind="and", attributes=2)["error"].item()
    assert both == pytest.approx(2 / 3 * 1 / 2, abs=0.06)
    assert found["queries"].max() <= 400


def test_a_release_as_it_was_answers_rightly() -> None:
    frame = pl.DataFrame({"age": [10, 10, 30, 30], "sex": ["F", "F", "M", "M"]})
    plan = {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "sex": "quasi"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "seed": 1,
    }
    found = query_errors(shoal.run(plan, frame), n_queries=100)
    assert found["error"].max() == pytest.approx(0, abs=1e-12)
