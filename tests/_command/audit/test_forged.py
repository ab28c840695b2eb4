"""What forgers do, with every digest and count forged to match, and how it is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from tests._command.audit.forge import Forged, copied, patients, sample, texts, write
from tests.report.sample import PLAN, people


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ((), True),
        (("original",), None),
        (("original", "plan"), True),
        (("original", "private"), True),
    ],
)
def test_an_honest_release_is_proved(good: Forged, given: Any, verdict: bool | None) -> None:
    """The tree of towns is in the plan only."""
    found = good.audit(*given)
    assert (texts(found), found.verdict) == ("", verdict)


def test_attacks_that_do_not_understand_labels_say_so(good: Forged) -> None:
    text = "The labels of 'town' are explained only by the plan"
    blind = good.audit("original")
    assert blind.gains
    assert sum(text in note for note in blind.notes) == 1
    for given in ((), ("original", "plan"), ("original", "private")):
        assert not any("weaker" in note for note in good.audit(*given).notes)
    register = shoal.audit(good.folder, register=good.original)
    assert sum(text in note for note in register.notes) == 1


@pytest.fixture(scope="module")
def missing(tmp_path_factory: pytest.TempPathFactory) -> Forged:
    frame = people(80).with_columns(pl.Series("illness", ["?", None, *people(80)["illness"][2:]]))
    attributes = {**PLAN["attributes"], "illness": {"role": "sensitive", "missing": ["?"]},
                  "town": {"role": "quasi", "kind": "categorical"}}  # fmt: skip
    plan = {**PLAN, "attributes": attributes}
    return write(tmp_path_factory.mktemp("missing"), plan, frame)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return patients(tmp_path_factory.mktemp("people"))


def one_value(name: str, text: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda table: table.with_columns(pl.lit(text).alias(name))


def flipped(table: pl.DataFrame) -> pl.DataFrame:
    other = {"baker": "clerk", "clerk": "baker"}
    return table.with_columns(pl.col("job").replace_strict(other, default=pl.col("job")))


def narrowed(table: pl.DataFrame) -> pl.DataFrame:
    """One class shows one exact age."""
    age = next(age for age in table["age"] if age.startswith("["))
    return table.with_columns(pl.col("age").replace(age, age[1:].partition(",")[0]))


class TestLabels:
    """1. With the original there must be a row of it for every published one."""

    @pytest.mark.parametrize(
        "change", [one_value("age", "999"), flipped, narrowed], ids=["999", "flipped", "narrowed"]
    )
    def test_labels_that_do_not_cover(self, release: Forged, change: Any) -> None:
        release.table(change)
        found = release.audit("original")
        assert found.verdict is False
        assert "of the original" in texts(found)
        assert "999" not in texts(found)

    def test_a_node_of_another_branch(self, release: Forged) -> None:
        release.table(lambda t: t.with_columns(pl.col("town").replace("north", "south")))
        assert release.audit("original").verdict is not True
        assert release.audit("original", "plan").verdict is False
        assert release.audit("original", "private").verdict is False


class TestOpen:
    """2. Nothing that is emptied or called a symbol makes a requirement go away."""

    def test_an_emptied_cell(self, release: Forged) -> None:
        release.table(lambda t: t.with_columns(pl.Series("illness", [None, *t["illness"][1:]])))
        for given in (("original",), ("original", "plan"), ("original", "private")):
            assert release.audit(*given).verdict is False

    @pytest.mark.parametrize("form", ["by-flag", "interval", "one-sided"])
    def test_symbols_that_the_method_has_not(self, release: Forged, form: str) -> None:
        release.manifest(lambda m: m["columns"][4].update(symbols=form))
        found = release.audit()
        if form == "by-flag":
            # Every cell is a value: they are counted all the same.
            assert found.verdicts[1].holds is True
        else:
            assert "shows no symbols of the form" in texts(found)
        assert release.audit("original", "plan").verdict is False or form == "by-flag"


class TestMissing:
    """3. What means missing is in the manifest, so that honest releases can be proved."""

    @pytest.mark.parametrize("more", [(), ("plan",), ("private",)])
    def test_a_missing_value_leaves_nothing_open(self, missing: Forged, more: Any) -> None:
        found = missing.audit("original", *more)
        assert (texts(found), found.verdict) == ("", True)

    def test_only_declared_marks_are_missing(self, missing: Forged, tmp_path: Path) -> None:
        forged = copied(missing, tmp_path)
        forged.manifest(lambda m: m["columns"][4].pop("missing"))
        assert forged.audit("original").verdict is False
        assert "missing of 'illness'" in texts(forged.audit("original", "plan"))


def test_values_that_are_published_are_counted_from_the_files_alone(tmp_path: Path) -> None:
    """4. l, alpha and t of columns that are published as they were."""
    privacy = [{"l-diversity": {"l": 2}}, {"alpha-k": {"alpha": 0.9, "k": 3}},
               {"t-closeness": {"t": 0.9}}]  # fmt: skip
    made = sample(tmp_path, privacy=privacy)
    found = made.audit()
    assert [v.holds for v in found.verdicts] == [True] * 3
    made.table(one_value("illness", "gout"))
    made.manifest(lambda m: m.update(verdicts=[{**v, "reached": None} for v in m["verdicts"]]))
    assert [v.holds for v in made.audit().verdicts] == [False, False, True]


class TestPeople:
    """6. The rows of a person stand under one number."""

    def test_an_honest_release_is_proved(self, several: Forged) -> None:
        for given in (("original",), ("original", "plan"), ("original", "private")):
            found = several.audit(*given)
            assert (texts(found), found.verdict) == ("", True)

    def test_a_number_for_every_row(self, several: Forged, tmp_path: Path) -> None:
        forged = copied(several, tmp_path)
        forged.table(
            lambda t: t.with_columns(pl.Series("Id_num", [str(i + 1) for i in range(t.height)]))
        )
        n = pl.read_csv(forged.folder / "data.csv").height
        forged.counts(people=n)
        assert forged.audit("original").verdict is False
        assert "people of 'Id_num'" in texts(forged.audit("original"))


class TestRows:
    """7. Rows that changed classes or places, or are gone."""

    def test_two_rows_exchanged(self, release: Forged) -> None:
        def exchange(table: pl.DataFrame) -> pl.DataFrame:
            first = table.row(0, named=True)
            for i, row in enumerate(table.iter_rows(named=True)):
                if row["age"] != first["age"] and row["illness"] != first["illness"]:
                    ills = table["illness"].to_list()
                    ills[0], ills[i] = ills[i], ills[0]
                    return table.with_columns(pl.Series("illness", ills))
            raise AssertionError

        release.table(exchange)
        assert release.audit("original").verdict is False

    def test_another_order_is_found_with_the_row_map(self, release: Forged) -> None:
        release.table(lambda t: t.sort("age", "illness"))
        assert release.audit("original", "private").verdict is False

    def test_a_class_that_is_gone(self, release: Forged) -> None:
        age = release.original.height
        release.table(lambda t: t.filter(pl.col("age") != t["age"][0]))
        n = pl.read_csv(release.folder / "data.csv").height
        classes = pl.read_csv(release.folder / "data.csv").select("age", "town", "job", "seen")
        release.counts(published=n, suppressed=age - n, classes=classes.unique().height)
        left = release.audit("original")
        assert [c.holds for c in left.checks if c.name == "left out"] == [None]
        assert left.verdict is not True
        assert release.audit("original", "private").verdict is False

    def test_fewer_rows_than_declared(self, release: Forged) -> None:
        """The counts of the manifest say how many rows there are, and how many were left out."""
        release.table(lambda t: t.head(t.height - 1))
        assert "80 published rows, but there are 79" in texts(release.audit())
        release.counts(published=79)
        assert "do not add up to" in texts(release.audit())
        assert release.audit("original").verdict is False

    def test_a_row_that_is_gone_is_open_at_best(self, release: Forged) -> None:
        release.table(lambda t: t.head(t.height - 1))
        release.counts(published=79, suppressed=1)
        for given in (("original",), ("original", "plan")):
            assert release.audit(*given).verdict is not True, "--strict ends with 1"

    def test_what_cannot_be_found_alone_is_told(self, good: Forged) -> None:
        (told,) = [note for note in good.audit().notes if "only the original" in note]
        for word in ("labels", "values", "classes", "dropped"):
            assert word in told
