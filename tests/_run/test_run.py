"""A run that goes wrong inside is caught by the verifier, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run import publish, solve
from shoal.errors import VerificationError
from shoal.method import METHODS, Method, Task
from shoal.method.repair import Repair
from shoal.table.partition import Partition

PEOPLE = pl.DataFrame(
    {
        "name": [f"n{i}" for i in range(12)],
        "age": [20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 52],
        "town": list("aabbccddeeff"),
        "ill": list("xyzxyzxyzxyz"),
        "secret": ["1", "0"] * 6,
    }
)
PLAN = {
    "attributes": {
        "name": "identifier",
        "age": "quasi",
        "town": {
            "role": "quasi",
            "hierarchy": {"tree": {"*": {"west": list("abc"), "east": list("def")}}},
        },
        "ill": "sensitive",
        "secret": "flag",
    },
    "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 3}}],
    "seed": 1,
}
Published = Callable[[pl.DataFrame], pl.DataFrame]


def _run(tmp_path: Path, **more: Any) -> Any:
    return shoal.run({**PLAN, **more}, PEOPLE, output=tmp_path / "release")


def _refused(tmp_path: Path, **more: Any) -> str:
    with pytest.raises(VerificationError) as caught:
        _run(tmp_path, **more)
    assert list(tmp_path.iterdir()) == []
    return str(caught.value)


def test_the_plan_as_it_is_goes_through(tmp_path: Path) -> None:
    assert _run(tmp_path).holds
    assert (tmp_path / "release" / "data.csv").is_file()


class Broken(Method):
    """Pairs, whatever is asked; the repair is switched off with it."""

    name: ClassVar[str] = "broken"
    size: int = 2

    def partition(self, task: Task) -> Partition:
        unit_class = np.arange(task.table.n_units, dtype=np.int32) // self.size
        return Partition(unit_class, int(unit_class.max()) + 1)


@pytest.fixture
def no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "broken", Broken)
    monkeypatch.setattr(solve, "repair", lambda table, asked, found, *_: Repair(found))


@pytest.mark.usefixtures("no_repair")
def test_a_class_below_k(tmp_path: Path) -> None:
    message = _refused(tmp_path, method={"broken": {"size": 2}})
    assert "k-anonymity" in message
    assert "required 3, achieved 2" in message


@pytest.mark.usefixtures("no_repair")
def test_a_class_below_l(tmp_path: Path) -> None:
    alike = PEOPLE.with_columns(ill=pl.Series(list("xxxyyyzzzyxz")))
    with pytest.raises(VerificationError, match="l-diversity"):
        shoal.run({**PLAN, "method": {"broken": {"size": 3}}}, alike, output=tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


def test_repair_mends_what_a_method_left_failing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "broken", Broken)
    release = _run(tmp_path, method={"broken": {"size": 2}})
    assert release.holds
    assert release.counts.merged_by_repair + release.counts.suppressed_by_repair > 0


def _spoiled(monkeypatch: pytest.MonkeyPatch, spoil: Published) -> None:
    class Spoiled(publish.Publication):
        def tables(self) -> dict[str, pl.DataFrame]:
            return {name: spoil(table) for name, table in super().tables().items()}

    monkeypatch.setattr(publish, "Publication", Spoiled)


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)


def _first(column: str, cell: pl.Expr) -> Published:
    """Another cell in the first row."""
    first = pl.int_range(pl.len()) == 0
    return lambda t: t.with_columns(
        pl.when(first).then(cell).otherwise(_text(column)).alias(column)
    )


def _rotated(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(ill=pl.col("ill").gather((pl.int_range(pl.len()) + 1) % pl.len()))


def _swapped(table: pl.DataFrame) -> pl.DataFrame:
    """The sensitive values of two rows of one class that differ."""
    cells = table["ill"].cast(pl.String).to_list()
    vectors = table.select("age", "town").rows()
    i, j = next(
        (i, j)
        for i in range(len(cells))
        for j in range(i)
        if cells[i] != cells[j] and vectors[i] == vectors[j]
    )
    cells[i], cells[j] = cells[j], cells[i]
    return table.with_columns(ill=pl.Series(cells))


SPOILED: dict[str, Published] = {
    "a wrong range": _first("age", pl.lit("[60, 70]")),
    "a range that is too narrow": _first("age", pl.lit("19")),
    "a wrong node": lambda t: t.with_columns(
        town=_text("town").replace({"west": "east", "east": "west"})
    ),
    "a label that is none": _first("age", pl.lit("about thirty")),
    "a value that is not generalised": lambda t: t.with_columns(
        age=pl.when(pl.int_range(pl.len()) == 0)
        .then(_text("age").str.extract(r"\[(\d+)", 1))
        .otherwise(_text("age"))
    ),
    "a dropped row": lambda t: t.slice(1),
    "a row twice": lambda t: pl.concat([t, t.slice(0, 1)]),
    "no rows": lambda t: t.clear(),
    "a foreign column": lambda t: t.with_columns(index=pl.int_range(pl.len()).cast(pl.String)),
    "an identifier left in": lambda t: t.with_columns(
        name=pl.Series([f"n{i}" for i in range(t.height)])
    ),
    "a flag left in": lambda t: t.with_columns(secret=pl.lit("1")),
    "a lost column": lambda t: t.drop("ill"),
    "columns in another order": lambda t: t.select(reversed(t.columns)),
    "sensitive values moved": _rotated,
    "two sensitive values swapped": _swapped,
    "a sensitive value lost": _first("ill", pl.lit(None)),
    "a cell suppressed": lambda t: t.with_columns(ill=pl.lit("*")),
    "rows in the order of the input": lambda t: t.sort("age"),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())
def test_a_spoiled_table_is_refused(
    spoil: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spoiled(monkeypatch, spoil)
    message = _refused(tmp_path)
    assert "n0" not in message, "no cell is named"


def test_labels_of_the_wrong_class_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = publish.generalise

    def generalise(*given: Any, **named: Any) -> Any:
        labels = sound(*given, **named)
        return [replace(labels[0], of_class=np.roll(labels[0].of_class, 1)), *labels[1:]]

    monkeypatch.setattr(publish, "generalise", generalise)
    assert "do not cover" in _refused(tmp_path)


def test_suppressed_rows_that_are_published_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The method gives up a class, and the recoding publishes it all the same."""
    sound = publish.published_order

    def order(*given: Any, **more: Any) -> Any:
        found, keys = sound(*given, **more)
        return np.append(found, found[:1]), keys

    monkeypatch.setattr(publish, "published_order", order)
    assert "more than once" in _refused(tmp_path)


def test_a_file_that_is_not_what_was_verified_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.folder import writing

    sound = writing.write_table
    monkeypatch.setattr(writing, "write_table", lambda table, path: sound(table.slice(1), path))
    _refused(tmp_path)


def test_an_error_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.folder import writing

    def full(*_: Any) -> Any:
        raise OSError("no space left")

    monkeypatch.setattr(writing, "stamped", full)
    with pytest.raises(OSError, match="no space"):
        _run(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_not_touched(tmp_path: Path) -> None:
    _run(tmp_path)
    before = (tmp_path / "release" / "data.csv").read_bytes()
    with pytest.raises(shoal.PlanError, match="exists"):
        _run(tmp_path, seed=2)
    assert (tmp_path / "release" / "data.csv").read_bytes() == before
    shoal.run({**PLAN, "seed": 2}, PEOPLE, output=tmp_path / "release", force=True)
    assert (tmp_path / "release" / "data.csv").read_bytes() != before


def test_the_private_side_is_never_inside_the_release(tmp_path: Path) -> None:
    for private in (tmp_path / "release", tmp_path / "release" / "private", tmp_path):
        with pytest.raises(shoal.PlanError, match="private"):
            shoal.run(PLAN, PEOPLE, output=tmp_path / "release", private=private)
    shoal.run(PLAN, PEOPLE, output=tmp_path / "release", private=tmp_path / "own")
    public = {path.name for path in (tmp_path / "release").iterdir()}
    assert "rows.parquet" not in public
    assert (tmp_path / "own" / "rows.parquet").is_file()
    whole = "".join(p.read_text("utf-8") for p in (tmp_path / "release").iterdir())
    assert "n11" not in whole
    assert str(tmp_path) not in whole
