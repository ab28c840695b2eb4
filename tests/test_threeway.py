"""Three-way decisions: the paper's Tables 1 and 2, regions and thresholds."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError
from shoal.threeway import decision_table, regions, thresholds

STUDENTS = pl.DataFrame(
    {
        "sex": ["F", "F", "M", "M", "F", "F", "M", "F", "M", "F"],
        "age": [20, 21, 24, 15, 16, 18, 22, 22, 25, 19],
        "unit": ["CT1", "IS2", "ME1", "BE1", "BS1", "BS2", "AM2", "CT3", "AM2", "BE3"],
        "gpa": [3.6, 4.0, 4.3, 3.4, 4.0, 4.5, 3.0, 3.8, 2.8, 4.4],
        "f": [0.8, 0.5, 0.3, 0.9, 0.5, 0.1, 0.2, 0.9, 0.7, 0.6],
    }
)


UNITS = sorted(set(STUDENTS["unit"]))


def _age(age: int) -> list[str]:
    fine = "[1, 18[" if age < 18 else "[18, 20[" if age < 20 else "[20, 25[" if age < 25 else ">=25"
    return [str(age), fine, "[1, 20[" if age < 20 else "[20, 100]", "[1, 100]"]


def _unit(unit: str) -> list[str]:
    college = {"CT": "CC", "IS": "CC", "ME": "MC", "AM": "MC", "BE": "BC", "BS": "BC"}
    return [unit, unit[:2], college[unit[:2]], "Univ"]


ATTRIBUTES: dict[str, Any] = {
    "sex": {"role": "quasi", "hierarchy": "flat"},
    "age": {"role": "quasi", "hierarchy": {"rows": [_age(a) for a in range(15, 26)]}},
    "unit": {"role": "quasi", "hierarchy": {"rows": [_unit(u) for u in UNITS]}},
    "gpa": "sensitive",
    "f": "sensitivity",
}  # fmt: skip


def test_table_2_from_table_1() -> None:
    table = decision_table(STUDENTS, ATTRIBUTES)
    assert table.columns == [
        *(f"{name}_{level}" for name in ("sex", "age", "unit") for level in (1, 2, 3, 4)),
        "gpa",
        "f",
    ]
    for row, (sex, age, unit, gpa, f) in zip(table.iter_rows(), STUDENTS.iter_rows(), strict=True):
        assert row == (sex, "*", "*", "*", *_age(age), *_unit(unit), gpa, f)


def test_regions_of_the_paper() -> None:
    positive, boundary, negative = regions([0.8, 0.5, 0.2, 0.79], 0.8, 0.2)
    assert positive.tolist() == [True, False, False, False]
    assert boundary.tolist() == [False, True, False, True]
    assert negative.tolist() == [False, False, True, False]


def test_a_value_at_both_thresholds_is_positive() -> None:
    positive, boundary, negative = regions([0.5], 0.5, 0.5)
    assert (positive[0], boundary[0], negative[0]) == (True, False, False)


def test_thresholds_follow_equation_2() -> None:
    found = thresholds(pp=0, bp=2, np=6, nn=0, bn=1, pn=5)
    assert found.alpha == pytest.approx(4 / 6)
    assert found.beta == pytest.approx(1 / 5)
    assert found.gamma == pytest.approx(5 / 11)


@pytest.mark.parametrize(
    ("losses", "words"),
    [
        ((3, 2, 6, 0, 1, 5), "0 <= pp <= bp <= np"),
        ((0, 2, 6, 2, 1, 5), "0 <= nn <= bn <= pn"),
        ((0, 0, 0, 0, 0, 0), "denominator of alpha is zero"),
        ((0, 5, 6, 0, 4, 5), "beta <= gamma <= alpha"),
    ],
)
def test_losses_out_of_order_are_refused(losses: tuple[float, ...], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        thresholds(*losses)


def test_a_quasi_identifier_without_a_hierarchy_is_named() -> None:
    with pytest.raises(PlanError, match="'sex' has no hierarchy"):
        decision_table(STUDENTS, {**ATTRIBUTES, "sex": "quasi"})


def _plan(**model: Any) -> dict[str, Any]:
    asked = {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[4, 1], [3, 2]], **model}
    return {
        "attributes": ATTRIBUTES,
        "privacy": [{"multi-level-k": asked}],
        "method": {"ece-mks3wd": {"climb": "together"}},
        "seed": 1,
    }


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ({"thresholds": [[0.2, 0.8], [0.2, 0.8]]}, "a must be at least b"),
        ({"thresholds": [[0.6, 0.2], [0.8, 0.4]]}, "a must not rise"),
        ({"thresholds": [[0.8, 0.4], [0.6, 0.2]]}, "b must not fall"),
        ({"levels": [[4, 1], [4, 2]]}, "HK must fall"),
        ({"levels": [[4, 2], [3, 2]]}, "LK must rise"),
        ({"levels": [[4, 1], [3, 3]]}, "HK must be larger than LK at the last level"),
        ({"levels": [[4, 1]]}, "one pair for each of the 2 thresholds"),
        ({"thresholds": [[1.8, 0.2], [0.6, 0.4]]}, "thresholds"),
        ({"levels": [[4, 0], [3, 2]]}, "levels"),
    ],
)
def test_parameters_out_of_order_are_refused(model: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        shoal.run(_plan(**model), STUDENTS)


def test_everything_wrong_with_the_levels_is_said_at_once() -> None:
    wrong = {"thresholds": [[0.6, 0.2], [0.8, 0.1]], "levels": [[3, 2], [4, 1]]}
    with pytest.raises(PlanError) as caught:
        shoal.run(_plan(**wrong), STUDENTS)
    for words in ("a must not rise", "b must not fall", "HK must fall", "LK must rise"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (["0.5"] * 9 + ["S3CRET"], "must contain finite numbers"),
        ([0.5] * 9 + [None], r"between 0 and 1 in every row, but does not in 1 row \(10\)"),
        ([0.5] * 9 + [1.5], r"does not in 1 row \(10\)"),
    ],
)
def test_a_sensitivity_that_is_none_is_refused(f: list[Any], words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        shoal.run(_plan(), STUDENTS.with_columns(pl.Series("f", f)))
    assert "S3CRET" not in str(caught.value)


@pytest.mark.parametrize("method", ["sd-mks3wd", "se-mks3wd", "ece-mks3wd"])
@pytest.mark.parametrize("f", [0.0, 0.5, 1.0])
def test_all_alike_in_sensitivity_works(method: str, f: float) -> None:
    plan = {**_plan(), "method": method}
    release = shoal.run(plan, STUDENTS.with_columns(pl.lit(f).alias("f")))
    assert release.verdicts[0].holds
    assert release.counts.published > 0


def test_no_sensitivity_declared() -> None:
    plan = _plan()
    plan["attributes"] = {**ATTRIBUTES, "f": "insensitive"}
    with pytest.raises(PlanError, match="exactly one attribute with 'role: sensitivity'"):
        shoal.run(plan, STUDENTS)


def test_a_scheme_needs_its_model() -> None:
    plan = {**_plan(), "privacy": [{"k-anonymity": {"k": 2}}]}
    with pytest.raises(PlanError, match="needs a multi-level-k requirement"):
        shoal.run(plan, STUDENTS)


def test_nothing_of_the_decision_is_published() -> None:
    release = shoal.run(_plan(), STUDENTS)
    assert release.frame.columns == ["sex", "age", "unit", "gpa"]
    assert {"level", "k", "region"} <= set(release.rows.columns)
