"""What every method has unless it says otherwise, and what it needs of a schema."""

from __future__ import annotations

from typing import ClassVar

import polars as pl
import pytest

import shoal
from shoal.method import KA, LGBMDP, METHODS, Mondrian
from shoal.method.base import Display, Method
from shoal.model import KAnonymity, LDiversity, MultiLevelK
from shoal.schema import Attribute, HierarchySpec, Kind, Layout, Role, Schema

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
LIFTED = Attribute("zip", Role.QUASI, Kind.NUMERIC, hierarchy=HierarchySpec("width", width=5))
ZIP = Attribute("zip", Role.SEMI_SENSITIVE)


class Lenient(Method):
    """A method that may miss k-anonymity."""

    name: ClassVar[str] = "lenient"

    def may_miss(self, model: object) -> bool:
        return isinstance(model, KAnonymity)


def test_by_default_a_method_asks_and_shows_nothing_special() -> None:
    method = Lenient()
    assert method.layout is Layout.PLAIN
    assert method.display == Display(numeric="by-flag", every=False, conceal=False)
    assert (method.names, method.aims([]), method.unsuited([])) == ((), [], [])
    with pytest.raises(NotImplementedError):
        method.partition(None)  # type: ignore[arg-type]


def test_what_may_be_missed_is_not_enforced() -> None:
    models = [KAnonymity(k=2), LDiversity(l=2)]
    assert Lenient().enforced(models) == models[1:]
    assert Mondrian().enforced(models) == models


def test_what_a_level_requires_is_enforced_in_every_class() -> None:
    model = MultiLevelK.model_validate(
        {"thresholds": [[0.8, 0.2]], "levels": [{"k": [4, 2], "l-diversity": {"l": 2}}]}
    )
    found = Mondrian().enforced([model])
    assert found[0] is model
    assert [m.name for m in found[1:]] == ["l-diversity"]


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_needs_a_quasi_identifier(name: str) -> None:
    method = METHODS[name]
    found = method.problems(method(), Schema((Attribute("ill", Role.SENSITIVE),)))
    assert any("quasi-identifier" in problem.text for problem in found)


@pytest.mark.parametrize(
    ("method", "attributes", "named"),
    [
        (Mondrian(), (AGE,), []),
        (Mondrian(), (AGE, ZIP), ["'zip'"]),
        (LGBMDP(), (AGE, ZIP, Attribute("ill", Role.SENSITIVE)), []),
        (KA(), (LIFTED,), []),
        (KA(), (AGE, LIFTED), ["'age'"]),
        (KA(), (AGE, ZIP), ["'age'", "'zip'", "'zip'"]),
    ],
)
def test_hierarchies_and_secrets_are_asked_for_by_name(
    method: Method, attributes: tuple[Attribute, ...], named: list[str]
) -> None:
    found = method.problems(Schema(attributes))
    assert len(found) == len(named)
    assert all(name in problem.text for name, problem in zip(named, found, strict=True))


@pytest.mark.parametrize("climb", ["together", "lattice"])
@pytest.mark.parametrize("name", ["ka", "ece-mks3wd", "geneir", "top-down"])
def test_a_hierarchy_may_have_more_levels_than_8_bits_count(name: str, climb: str) -> None:
    """All differ in their first character, so that only the root is common: level 140."""
    codes = [head + "b" * 139 for head in "acdefghi"]
    method = {"climb": climb} if name in ("ka", "ece-mks3wd") else {}
    levels = {"thresholds": [[0.8, 0.2]], "levels": [[4, 3]]}
    plan = {
        "attributes": {
            "code": {"role": "quasi", "kind": "categorical", "hierarchy": {"mask": 140}},
            "f": "sensitivity",
        },
        "privacy": [{"multi-level-k": levels}],
        "method": {name: method},
        "seed": 1,
    }
    release = shoal.run(plan, pl.DataFrame({"code": codes, "f": [0.9] * 8}))
    assert release.frame["code"].to_list() == ["*" * 140] * 8
