"""What is weighed, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal._command.query import query
from shoal._command.query.folder import open_folder
from shoal._command.query.grammar import QueryError, parse
from shoal._command.query.interpreter import Interpreter
from tests._command.query.written import column, write_folder


def interpreter(folder: Path, n_columns: int = 2) -> Interpreter:
    columns = [column(f"c{i}", "insensitive", "numeric") for i in range(n_columns)]
    write_folder(folder, columns, {c["name"]: ["1", None] for c in columns})
    return Interpreter(open_folder(folder))


def test_the_summed_attribute_is_weighed_apart_and_never_missing(tmp_path: Path) -> None:
    found = interpreter(tmp_path).interpret(parse("SELECT SUM(c0) WHERE c0 < 5 AND c1 IS MISSING"))
    assert list(found.conditions) == ["c1"]
    assert found.summed is not None
    assert found.summed.labels.estimate.tolist() == [1.0, 0.0]
    assert found.conditions["c1"].labels.estimate.tolist() == [0.0, 1.0]


def test_labels_are_read_once(tmp_path: Path) -> None:
    reader = interpreter(tmp_path)
    query = parse("SELECT COUNT(*) WHERE c0 = 1")
    reader.interpret(query)
    (reader.release.folder / "data.csv").unlink()
    assert reader.interpret(query).summed is None


def test_names_are_listed_up_to_a_dozen(tmp_path: Path) -> None:
    with pytest.raises(QueryError) as caught:
        interpreter(tmp_path, 14).interpret(parse("SELECT COUNT(*) WHERE nothing = 1"))
    (problem,) = caught.value.problems
    assert problem.hint.endswith("'c11' and 2 more.")


@pytest.mark.parametrize(
    ("condition", "note"),
    [
        ("= 'male'", "No row shows the value that 'sex' is compared with. Did you mean 'Male'?"),
        ("= 'zzz'", "No row shows the value that 'sex' is compared with."),
        (
            "IN ('Male', 'femal')",
            "No row shows 1 of the 2 values that 'sex' is compared with: the value may be "
            "misspelt. Did you mean 'Female'?",
        ),
    ],
)
def test_a_value_that_no_row_shows(tmp_path: Path, condition: str, note: str) -> None:
    sex = column("sex", "quasi", "categorical")
    write_folder(tmp_path, [sex], {"sex": ["Male", "Female", "Female"]})
    assert query(tmp_path, f"SELECT COUNT(*) WHERE sex {condition}").notes == (note,)
