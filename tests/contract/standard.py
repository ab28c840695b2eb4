"""The table and the plans that every method, model and measure must pass.

A new method or model is covered as soon as it is registered; where it needs more than the standard
plan, or parameters, this is where to say so.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from shoal.method import METHODS
from tests.brute import check_release
from tests.brute_secret import check_secret_release
from tests.cases import TREE, Case, as_field
from tests.contract.population import write_population

PERSONAL = {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[6, 1], [4, 2]], "strict": True}

# What must be asked for a method to run at all, by the method's name.
METHOD_NEEDS: dict[str, list[dict[str, Any]]] = {
    **{f"{scheme}-mks3wd": [{"multi-level-k": PERSONAL}] for scheme in ("sd", "se", "ece")},
    **{
        f"lgb-{way}": [
            {"k-anonymity": {"k": 3}},
            {"l-diversity": {"l": 2, "attribute": "ill"}},
            {"l-diversity": {"l": 2, "attribute": "pay"}},
        ]
        for way in ("mdp", "ncp")
    },
}

# Methods whose classes depend on the seed, or on the table order, which does.
BY_ORDER = {
    "k-member", "sd-mks3wd", "se-mks3wd", "ece-mks3wd", "lgb-mdp", "lgb-ncp", "danonyir", "geneir",
    "adjacency", "weighted-graph", "auto",
}  # fmt: skip

_QUASI = {
    "age": (
        {"kind": "numeric", "hierarchy": {"width": 5, "levels": 3}},
        [str(n) for n in range(38)],
    ),
    "=town, (x)": ({"kind": "categorical", "hierarchy": {"tree": TREE}}, list("abcdef")),
    "sex": ({"kind": "categorical", "hierarchy": "flat"}, ["f", "m"]),
}
POPULATION = {
    "source": write_population({name: values for name, (_, values) in _QUASI.items()}),
    "count": "people",
}

# Parameters that the standard table can meet, by the model's name.
MODEL_PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "k-anonymity": [{"k": 3}],
    "l-diversity": [
        {"l": 2, "attribute": "ill"},
        {"l": 1.5, "kind": "frequency", "attribute": "ill"},
        {"l": 1.5, "kind": "entropy", "attribute": "ill"},
        {"l": 2, "kind": "recursive", "c": 2, "attribute": "ill"},
        {"l": 2},
    ],
    "alpha-k": [{"alpha": 0.75, "k": 2, "attribute": "ill"}],
    "t-closeness": [
        {"t": 0.4, "attribute": "ill", "distance": "equal"},
        {"t": 0.4, "attribute": "ill", "distance": "hierarchical"},
        {"t": 0.4, "attribute": "ill", "distance": "ordered"},
        {"t": 0.4, "attribute": "pay"},
    ],
    "k-e": [{"k": 2, "e": 50, "attribute": "pay"}],
    "multi-level-k": [PERSONAL],
    "ir-k": [{"k": 3}],
    "ir-kl": [{"k": 3, "l": 3}, {"k": 2, "l": 3, "attribute": "ill"}],
    "ir-alpha-beta": [{"alpha": 0.6, "beta": 0.6, "attribute": "ill"}, {"alpha": 0.8, "beta": 0.8}],
    "eir-l": [{"l": 2, "attribute": "ill"}, {"l": 2}],
    "eir-alpha-beta": [{"alpha": 0.6, "beta": 0.8, "attribute": "ill"}],
    "beta-likeness": [
        {"beta": 2.5, "attribute": "ill"},
        {"beta": 2.5, "kind": "enhanced", "attribute": "ill"},
    ],
    "delta-disclosure": [{"delta": 1.5, "attribute": "ill"}],
    "delta-presence": [{"high": 0.25, "population": POPULATION}],
    "k-map": [{"k": 6, "population": POPULATION}, {"k": 20, "population": POPULATION}],
    "lkc": [{"l": 2, "k": 3, "c": 0.75, "attribute": "ill"}],
    "km": [{"k": 3, "m": 2}],
    "p-sensitive": [{"p": 2, "attribute": "ill"}, {"p": 2}],
}
# Models on people, which want a sensitive value in every row.
OF_PEOPLE = [name for name in MODEL_PARAMETERS if name.startswith(("ir-", "eir-"))]

_SENSITIVE = {
    "ill": ({"kind": "categorical", "hierarchy": {"tree": TREE}}, list("abcdef")),
    "pay": ({"kind": "numeric"}, [str(n) for n in range(100, 400, 7)]),
}


def standard_case(
    *, people: bool = False, n: int = 80, seed: int = 1, complete: bool = False
) -> Case:
    """Eighty rows with missing values, a formula and a person column on demand.

    `complete`: no sensitive value is missing.
    """
    rng = random.Random(seed)
    who = [f"p{rng.randrange(n // 2)}" for _ in range(n)] if people else None
    fields, attributes = {}, {}
    for role, columns in (("quasi", _QUASI), ("sensitive", _SENSITIVE)):
        for name, (words, pool) in columns.items():
            own = {p: _draw(rng, pool) for p in sorted(set(who or ()))}
            same = people and role == "quasi"
            cells = [own[p] for p in who] if same and who else [_draw(rng, pool) for _ in range(n)]
            if complete and role == "sensitive":
                cells = [pool[0] if cell is None else cell for cell in cells]
            attributes[name] = {"role": role, **words}
            fields[name] = as_field(name, attributes[name], cells)
    notes = {"kind": "categorical"}
    attributes["note"] = {"role": "insensitive"}
    notes = [_draw(rng, ["=1+1", "-2", "@x", "ok"]) for _ in range(n)]
    fields["note"] = as_field("note", {"kind": "categorical"}, notes)
    attributes["f"] = {"role": "sensitivity"}
    of_person = {p: f"{rng.random():.3f}" for p in sorted(set(who or ()))}
    f = [of_person[p] for p in who] if who else [f"{rng.random():.3f}" for _ in range(n)]
    fields["f"] = as_field("f", {"kind": "numeric"}, f)
    return Case(fields, attributes, [{"k-anonymity": {"k": 3}}], who)


def _draw(rng: random.Random, pool: list[str]) -> str | None:
    return None if rng.random() < 0.08 else rng.choice(pool)


def excuse(method: str, *, people: bool = False, asked: Any = None) -> None:
    """Skip what a method says that it does not do: it is an error, which its own tests look at."""
    if not METHODS[method]().layout.keeps_secrets:
        return
    if people:
        pytest.skip("publishes rows one by one")
    [(model, given)] = (asked or {"k-anonymity": {}}).items()
    if model not in ("k-anonymity", "l-diversity", "t-closeness") or "c" in given:
        pytest.skip("has k for classes, and l or t for buckets")


def check(case: Case, method: str, release: Any, limit: float = 1.0) -> None:
    """The brute-force check that fits what the method publishes."""
    if METHODS[method]().layout.keeps_secrets:
        privacy = plan_for(case, method)["privacy"]
        asked = Case(case.fields, case.attributes, privacy, case.people, case.extra)
        check_secret_release(asked, release, limit)
    else:
        check_release(case, release, limit)


def plan_for(case: Case, method: str, **more: Any) -> dict[str, Any]:
    """The standard plan with a method, and with what that method needs to be asked."""
    asked = {_about(model) for model in case.privacy}
    needed = [
        model
        for model in METHOD_NEEDS.get(method, [])
        if not asked & {_about(model), (_about(model)[0], "*")}
        and (_about(model)[1] is None or _about(model)[1] not in {a for _, a in asked})
    ]
    return {**case.plan(method=method, **more), "privacy": [*case.privacy, *needed]}


def _about(model: dict[str, Any]) -> tuple[str, str | None]:
    """A model's name and, of one on secrets, the attribute (`*`: each of them)."""
    [(name, given)] = model.items()
    return name, given.get("attribute", "*") if name in ("l-diversity", "t-closeness") else None
