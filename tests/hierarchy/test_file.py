from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.errors import DataError, PlanError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.file import separator
from shoal.hierarchy.row import namesakes
from shoal.schema import Kind

ADULT_ROWS = {
    "hierarchies-arx/adult_hierarchy_age.csv": (100, 5),
    "hierarchies-arx/adult_hierarchy_education.csv": (16, 4),
    "hierarchies-arx/adult_hierarchy_salary-class.csv": (2, 2),
    "hierarchies-arx-adult-full/adult_full_hierarchy_capital-gain.csv": (123, 4),
    "hierarchies-arx-adult-full/adult_full_hierarchy_fnlwgt.csv": (28523, 5),
    "hierarchies-arx-adult-full/adult_full_hierarchy_workclass.csv": (9, 3),
    "hierarchies-gong/adult_workclass.txt": (8, 3),
    "hierarchies-gong/adult_sex.txt": (2, 2),
}


def write(folder: Path, content: str | bytes, name: str = "h.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(folder: Path, content: str | bytes) -> tuple[tuple[str, ...], ...]:
    return Hierarchy.file(write(folder, content)).spec.rows


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a;A;*\nb;A;*\n", (("a", "A", "*"), ("b", "A", "*"))),
        ("a,A,*\r\nb,A,*", (("a", "A", "*"), ("b", "A", "*"))),
        (b'\xef\xbb\xbf"a";\xc3\xa9;*\n', (("a", "é", "*"),)),
        ("a;*\nb;B;*\n", (("a", "*", "*"), ("b", "B", "*"))),
        ("a\nb\n", (("a",), ("b",))),
        ("a;A;*;\nb;A;*;\n", (("a", "A", "*"), ("b", "A", "*"))),
        (" a ;A b;*\n", ((" a ", "A b", "*"),)),
        ("1;[1, 5[;*\n6;[5, 9[;*\n", (("1", "[1, 5[", "*"), ("6", "[5, 9[", "*"))),
        ('1;"[1, 5[";*\n', (("1", "[1, 5[", "*"),)),
        ('1,"[1; 5[",*\n2,"[1; 5[",*\n', (("1", "[1; 5[", "*"), ("2", "[1; 5[", "*"))),
        ('"Smith, J"\n"Doe, K"\n', (("Smith, J",), ("Doe, K",))),
        ('"say ""a""";"two\nlines";*\n', (('say "a"', "two\nlines", "*"),)),
        ("a;A\n\n   \n;;\nb;A\n", (("a", "A"), ("b", "A"))),
        ("a;A;*\na;A;*\n", (("a", "A", "*"),)),
        ('"";unknown;*\na;A;*\n', (("", "unknown", "*"), ("a", "A", "*"))),
        ("a;a;G;*\n", (("a", "a", "G", "*"),)),
        ("a;A\nb;B\n", (("a", "A"), ("b", "B"))),
    ],
)
def test_a_file_is_taken_as_it_stands(
    tmp_path: Path, content: str | bytes, rows: tuple[tuple[str, ...], ...]
) -> None:
    assert rows_of(tmp_path, content) == rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,x;y,*\nb,x,*", ","),
        ("a;x, y\nb;x, z\nc", ";"),
        ("a;1\nb,2", ";"),
        ("lonely", ";"),
        ("", ";"),
    ],
)
def test_separator(text: str, expected: str) -> None:
    assert separator(text) == expected


@pytest.mark.data
@pytest.mark.parametrize("name", ADULT_ROWS)
def test_adult_files_have_the_rows_they_show(data_folder: Path, name: str) -> None:
    rows = Hierarchy.file(data_folder / "adult" / name).spec.rows
    assert (len(rows), len(rows[0])) == ADULT_ROWS[name]
    assert {row[-1] for row in rows} == {"*"}


@pytest.mark.data
@pytest.mark.parametrize(
    "folder", ["hierarchies-arx", "hierarchies-arx-adult-full", "hierarchies-gong"]
)
def test_every_adult_file_binds_to_its_own_leaves(data_folder: Path, folder: str) -> None:
    files = [path for path in (data_folder / "adult" / folder).iterdir() if path.is_file()]
    assert files
    for path in files:
        hierarchy = Hierarchy.file(path)
        leaves = [row[0] for row in hierarchy.spec.rows]
        tree = hierarchy.bind(leaves, Kind.CATEGORICAL)
        assert tree.n_leaves == len(leaves)
        assert tree.labels[-1] == "*"
        assert tree.n_under(tree.n_nodes - 1) == len(leaves)
        assert hierarchy.labels(leaves) == list(hierarchy.spec.rows)


@pytest.mark.data
def test_ages_match_by_number_and_stand_in_their_order(data_folder: Path) -> None:
    path = data_folder / "adult" / "hierarchies-arx" / "adult_hierarchy_age.csv"
    ages = ["39.0", "17", "90", "5e1"]
    tree = Hierarchy.file(path).bind(ages, Kind.NUMERIC)
    assert [ages[place] for place in tree.order] == ["17", "39.0", "5e1", "90"]
    assert tree.labels[tree.node[1, 1]] == "35-39"
    assert tree.labels[tree.cover(1, 2)] == "*"


def test_a_leaf_with_two_parents_names_file_and_lines_but_no_leaf(tmp_path: Path) -> None:
    path = write(tmp_path, "secret;A;*\nother;B;*\n\nsecret;B;*\n", "disease.csv")
    with pytest.raises(DataError) as caught:
        Hierarchy.file(path)
    (problem,) = caught.value.problems
    assert "but 1 leaves have two in column 2 (lines 1 and 4)" in problem.text
    assert (problem.where, problem.line) == ("disease.csv", 1)
    assert "secret" not in str(caught.value)


def test_every_problem_of_a_file_is_listed(tmp_path: Path) -> None:
    path = write(tmp_path, "a;A;X;*\na;B;Y;*\nb;C;X;*\nc;C;Y;+\n")
    with pytest.raises(DataError) as caught:
        Hierarchy.file(path)
    texts = [problem.text for problem in caught.value.problems]
    assert ["column 2" in texts[0], "column 3" in texts[1], "column 4" in texts[2]] == [True] * 3
    assert "(lines 3 and 4)" in texts[1]
    assert "(lines 2 and 4)" in texts[2]


def test_many_conflicts_are_counted_not_poured_out(tmp_path: Path) -> None:
    path = write(tmp_path, "".join(f"v{i};A\nv{i};B\n" for i in range(50)))
    with pytest.raises(DataError, match=r"50 leaves .* and 40 more"):
        Hierarchy.file(path)


def test_a_label_that_is_once_a_top_and_once_not_has_two_parents(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="labels of column 2 have two in column 3"):
        rows_of(tmp_path, "a;A\nb;A;*\n")


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_is_an_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match=r"h\.csv: The hierarchy file must have at least one row"):
        rows_of(tmp_path, content)


def test_a_quote_left_open_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 3, h\.csv: Cannot read the row") as caught:
        rows_of(tmp_path, 'a;A\nb;"B\nc;A\n')
    assert caught.value.__cause__ is None


def test_a_file_that_is_not_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 2, h\.csv: The hierarchy file must be UTF-8"):
        rows_of(tmp_path, b"a;A\nb\xff;A\n")


def test_a_file_that_is_not_there_is_an_error_of_the_plan(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"file 'none\.csv' does not exist"):
        Hierarchy.file(tmp_path / "none.csv")
    with pytest.raises(PlanError, match="Cannot read the hierarchy file"):
        Hierarchy.file(tmp_path)
    with pytest.raises(PlanError, match="path of the hierarchy file is not valid"):
        Hierarchy.file("a\0.csv", tmp_path)


LABELS = st.text(st.sampled_from('ab;,"\n[ *é'), min_size=1, max_size=4).filter(
    lambda text: text.strip() != ""
)


@given(leaves=st.lists(LABELS, min_size=1, unique=True), parents=st.lists(LABELS, min_size=1))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, leaves: list[str], parents: list[str]
) -> None:
    rows = [(leaf, parents[i % len(parents)], "*") for i, leaf in enumerate(leaves)]
    assume(not namesakes(rows, range(len(rows)), ""))
    hierarchy = Hierarchy.rows(rows)
    path = tmp_path_factory.mktemp("written") / "h.csv"
    hierarchy.write(path, leaves)
    again = Hierarchy.file(path)
    assert again.labels(leaves) == hierarchy.labels(leaves) == rows
    assert again.bind(leaves, Kind.CATEGORICAL).labels == (
        hierarchy.bind(leaves, Kind.CATEGORICAL).labels
    )
