"""Which row is whose: prosecutor, marketer and, with a register, journalist."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import shoal
from benchmarks.data import data_folder
from shoal.attack import Journalist, Linkage, Marketer, Target
from shoal.attack.base import Rate
from shoal.attack.target import MADE_UP, NOT_THERE
from shoal.schema import Attribute, Individual, Requirement, Role, Schema
from tests.attack.test_target import AGE, target

ROWS = [("[1, 5]", "a")] * 2 + [("[4, 9]", "a")] * 3


def test_prosecutor_and_marketer() -> None:
    (found,) = Linkage().run(target(ROWS, [(1, "a"), (5, "a"), (4, "a"), (9, "a"), (8, "a")]))
    assert (found.worst, found.bound, found.holds, found.person) == (0.5, 0.5, True, 0)
    assert found.success.share == pytest.approx((1 / 2 + 1 / 5 + 1 / 5 + 1 / 3 + 1 / 3) / 5)
    assert found.baseline.share == pytest.approx(1 / 5)
    assert found.about == "row"


def test_a_class_that_is_too_small_is_beyond_what_was_promised() -> None:
    (found,) = Linkage().run(target(ROWS[1:], [(1, "a"), (9, "a")]))
    assert (found.worst, found.holds) == (1.0, False)


def test_real_strangers_are_the_control() -> None:
    one = target(ROWS, [(1, "a"), (5, "a"), (4, "a"), (9, "a"), (8, "a")])
    real = pl.DataFrame({"age": [2, 99], "town": ["a", "a"]})
    (found,) = Linkage().run(replace(one, outsiders=real))
    assert found.control == Rate.of(0.5, 2)
    assert found.strangers == NOT_THERE
    (found,) = Linkage().run(one)
    assert found.strangers == MADE_UP


def test_a_marketer_rules_out_the_rows_that_others_need() -> None:
    """One person fits both rows, but the other fits the first only: the second is the former's."""
    (found,) = Marketer().run(target([("[1, 5]", "a"), ("[4, 9]", "a")], [(1, "a"), (5, "a")]))
    (alone,) = Linkage().run(target([("[1, 5]", "a"), ("[4, 9]", "a")], [(1, "a"), (5, "a")]))
    assert found.success.share == pytest.approx(1, abs=0.02)
    assert alone.success.share == pytest.approx(0.75)
    assert found.holds is False


def test_a_marketer_gains_no_more_than_a_class_allows() -> None:
    people = [(1, "a"), (2, "a"), (4, "a"), (9, "a"), (8, "a"), (7, "a")]
    (found,) = Marketer().run(target(ROWS, people))
    assert found.worst <= found.bound
    assert found.success.share == pytest.approx((2 / 2 + 3 / 3) / 6, abs=0.1)


def test_how_many_records_somebody_has_was_not_promised() -> None:
    schema = Schema((Attribute("Id_num", Role.IDENTIFIER), AGE), Individual("Id_num"))
    data = pl.DataFrame({"Id_num": ["1", "1", "2"], "age": ["*"] * 3})
    known = pl.DataFrame({"who": ["x", "x", "y"], "age": [1, 1, 2], "ill": list("abc")})
    schema = replace(schema, attributes=(*schema.attributes, Attribute("ill", Role.SENSITIVE)))
    limit = (Requirement("k-anonymity", {"k": 2}),)
    plain, counted = Linkage().run(Target(data, schema, limit, known, person="who"))
    assert (plain.about, plain.worst, plain.holds) == ("person", 0.5, True)
    assert (counted.about, counted.worst, counted.holds) == ("person, by records", 1.0, None)


def test_a_journalist_names_people_of_a_register() -> None:
    (found,) = Journalist().run(target(ROWS, [(1, "a"), (5, "a"), (2, "b")]))
    # Two people of the register fit the first two rows, one the others.
    assert found.success.share == pytest.approx((2 * 1 / 2 + 3 * 1) / 5)
    assert found.worst == 1.0
    assert "100% of rows" in found.note


def _register(name: str) -> pl.DataFrame:
    """The quasi-identifiers of a synthetic register, without names."""
    files = {
        "smartnoise-linkage-demo": "data_demographic.csv",
        "febrl-names": "dataset4a.csv",
        "synthea-ibm-california": "patients.csv",
    }
    path = data_folder() / name / files[name]
    if not path.is_file():
        pytest.skip(f"needs the register {name}, which is not there")
    table = pl.read_csv(path, infer_schema=False)
    table = table.rename({column: column.strip() for column in table.columns})
    if name == "smartnoise-linkage-demo":
        return table.select("Gender", pl.col("Age").cast(pl.Int64), "Zip").head(3000)
    born = "date_of_birth" if name == "febrl-names" else "BIRTHDATE"
    year = pl.col(born).str.strip_chars().str.slice(0, 4).cast(pl.Int64, strict=False)
    others = ["state", "postcode"] if name == "febrl-names" else ["GENDER", "RACE", "MARITAL"]
    table = table.select(year.alias("born"), pl.col(others).str.strip_chars())
    return table.filter(pl.col("born").is_not_null()).head(3000)


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["smartnoise-linkage-demo", "febrl-names", "synthea-ibm-california"]
)
def test_half_of_a_register_is_published(name: str, tmp_path: Path) -> None:
    """The other half are the strangers, and nobody is found with more than the chance of a class.

    Who is not in the data fits a row less often than who is, and is never found.
    """
    register = _register(name)
    inside = register.gather_every(2)
    plan = {"attributes": dict.fromkeys(inside.columns, "quasi"), "method": "mondrian",
            "privacy": [{"k-anonymity": {"k": 4}}], "seed": 1}  # fmt: skip
    shoal.run(plan, inside).save(tmp_path / "release")
    found = shoal.audit(tmp_path / "release", inside, plan=plan, register=register)
    gains = {gain.attack: gain for gain in found.gains}
    linkage, journalist = gains["linkage"], gains["journalist"]
    assert found.verdict is True
    assert linkage.strangers == NOT_THERE
    assert linkage.control is not None
    assert 0 < linkage.control.n <= register.height - inside.height
    assert linkage.worst <= 1 / 4
    # Everybody of a class is in the register, and others who fit it may be as well.
    assert journalist.worst <= 1 / 4
    assert journalist.success.share <= linkage.success.share + 1e-9
