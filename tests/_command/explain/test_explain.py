"""What each part of a plan costs: as if each changed plan were run by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._command.explain import Cost, explain
from shoal.errors import InfeasibleError

RNG = np.random.default_rng(3)
N = 160
FRAME = pl.DataFrame(
    {
        "who": [str(i // 2) for i in range(N)],
        "age": RNG.integers(20, 60, N),
        "town": RNG.choice(list("abcdef"), N),
        "sex": RNG.choice(["f", "m"], N),
        "ill": RNG.choice(["flu", "gout", "pox"], N, p=[0.8, 0.1, 0.1]),
    }
)
ATTRIBUTES: dict[str, Any] = {
    "who": "identifier",
    "age": {"role": "quasi", "hierarchy": {"width": 5, "levels": 3}},
    "town": {"role": "quasi", "hierarchy": {"tree": {"*": {"x": list("abc"), "y": list("def")}}}},
    "sex": "quasi",
    "ill": "sensitive",
}
PRIVACY = [{"k-anonymity": {"k": 5}}, {"l-diversity": {"l": 3}}]
PEOPLE = {"individual": {"column": "who", "conflict": "first"}}


def plan(**more: Any) -> dict[str, Any]:
    return {
        "attributes": ATTRIBUTES, "privacy": PRIVACY, "method": "mondrian", "seed": 0, **more
    }  # fmt: skip


def losses(asked: dict[str, Any]) -> dict[str, float]:
    """What a whole run of a plan loses, by quasi-identifier."""
    return dict(shoal.run(asked, FRAME).measures.by_attribute)


def mean(found: dict[str, float], names: Any = None) -> float:
    return float(np.mean([found[name] for name in names or found]))


@pytest.mark.parametrize("seed", [1, 7])
def test_a_run_with_the_same_seed_confirms_the_loss(seed: int) -> None:
    """This method draws its starters by the seed."""
    bare = {name: role for name, role in ATTRIBUTES.items() if name != "who"} | {"who": "drop"}
    asked = plan(attributes=bare, method="k-member", seed=seed)
    found = explain(asked, FRAME)
    assert found.loss == pytest.approx(mean(losses(asked)))
    same = {c.what: c.without for c in found if c.kind == "requirement" and c.how == "left out"}
    without_l = {**asked, "privacy": PRIVACY[:1]}
    assert same["l-diversity {l: 3}"] == pytest.approx(mean(losses(without_l)))


@pytest.mark.parametrize("more", [{}, PEOPLE], ids=["rows", "people"])
def test_every_cost_is_that_of_a_run_of_the_changed_plan(more: dict[str, Any]) -> None:
    base = losses(plan(**more))
    found = explain(plan(**more), FRAME)
    assert found.loss == pytest.approx(mean(base))
    for cost in found:
        over = None
        if cost.kind == "requirement":
            other = [r for r in PRIVACY if next(iter(r)) not in cost.what]
            changed = {"k = 3": {"k-anonymity": {"k": 3}}, "l = 2": {"l-diversity": {"l": 2}}}
            less = [changed[cost.how]] if cost.how in changed else []
            asked = plan(**more, privacy=[*less, *other])
        elif cost.kind == "hierarchy":
            name = cost.what.removeprefix("hierarchy of ")
            asked = plan(**more, attributes={**ATTRIBUTES, name: "quasi"})
        else:
            over = [name for name in base if name != cost.what]
            asked = plan(**more, attributes={**ATTRIBUTES, cost.what: "identifier"})
        assert cost.loss == pytest.approx(mean(base, over)), cost
        assert cost.without == pytest.approx(mean(losses(asked), over)), cost
    assert len(found) == 4 + 3 + 2
    assert [c.cost for c in found] == sorted((c.cost for c in found), reverse=True)


def test_changes_that_cannot_be_rehearsed_are_said() -> None:
    """Buckets need a requirement of their own, and a scheme its levels."""
    attributes = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    asked = plan(attributes=attributes, privacy=[{"k-anonymity": {"k": 2}},
                 {"l-diversity": {"l": 2}}], method="lgb-mdp")  # fmt: skip
    frame = FRAME.drop("who", "town").with_columns(ill=pl.Series(["flu", "pox"] * (N // 2)))
    found = explain(asked, frame)
    reason = dict(found.problems)["l-diversity {l: 2}, left out"]
    assert "needs a requirement for its buckets" in reason


def test_one_requirement_is_not_left_out() -> None:
    found = explain(plan(privacy=[{"k-anonymity": {"k": 2}}]), FRAME)
    assert {cost.kind for cost in found} == {"quasi-identifier", "hierarchy"}


def test_a_plan_that_cannot_be_met_is_an_error() -> None:
    with pytest.raises(InfeasibleError):
        explain(plan(privacy=[{"l-diversity": {"l": 9}}]), FRAME)


def test_large_tables_are_sampled() -> None:
    found = explain(plan(), FRAME, sample=100)
    assert (found.n_rows, found.n_sampled) == (N, 100)
    assert explain(plan(), FRAME).n_sampled == N


def test_a_cost_in_words_and_as_a_table() -> None:
    left_out = Cost("requirement", "l-diversity {l: 3}", "left out", 0.81, 0.44)
    assert str(left_out) == "without l-diversity {l: 3} the loss is 0.44 instead of 0.81"
    less = Cost("requirement", "l-diversity {l: 3}", "l = 2", 0.81, 0.5)
    assert str(less) == "with l = 2 in l-diversity {l: 3} the loss is 0.50 instead of 0.81"
    column = Cost("quasi-identifier", "age", "not published", 0.5, 0.25)
    assert str(column) == "without age the others lose 0.25 instead of 0.50"
    found = explain(plan(), FRAME)
    assert found.frame["cost"].to_list() == [cost.cost for cost in found]
    assert found.frame.columns == ["kind", "what", "how", "loss", "without", "cost"]
