"""Random tables with secret cells, as the tool reads them and as the twin does."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.method import Task
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Domain, encode
from shoal.table import Table as Coded
from tests.cases import QUASI_FORMS
from tests.papers.lgb import twin as twin

PATIENTS = pl.DataFrame(
    [
        ("1001", 25, "no", "Male", "21344", "yes", "Flu"),
        ("1002", 28, "no", "Female", "21357", "yes", "Cancer"),
        ("1003", 16, "no", "Male", "21350", "no", "Pneumonia"),
        ("1004", 24, "yes", "Male", "21336", "no", "Pneumonia"),
        ("1005", 31, "yes", "Female", "21328", "no", "Flu"),
        ("1006", 22, "no", "Male", "21352", "no", "Gastritis"),
        ("1007", 34, "yes", "Female", "21328", "no", "Cancer"),
        ("1008", 29, "yes", "Male", "21340", "no", "Gastritis"),
    ],
    schema=["id", "age", "age_secret", "gender", "zip", "zip_secret", "disease"],
    orient="row",
)
PATIENT_ATTRIBUTES: dict[str, Any] = {
    "id": "identifier",
    "age": {"role": "semi-sensitive", "kind": "numeric", "flag": "age_secret"},
    "age_secret": "flag",
    "gender": {"role": "quasi", "hierarchy": "flat"},
    "zip": {"role": "semi-sensitive", "hierarchy": {"mask": 5}, "flag": "zip_secret"},
    "zip_secret": "flag",
    "disease": "sensitive",
}
FORMS = ("range", "set", "tree", "tops", "ordinal", "flat")


@dataclass(frozen=True)
class Secrets:
    """A table of text with flags, the plan's words for it, and its k and rules."""

    frame: pl.DataFrame
    attributes: dict[str, Any]
    k: int
    rules: dict[str, dict[str, Any]]

    def plan(self, method: Any = "lgb-mdp", **more: Any) -> dict[str, Any]:
        privacy = [{"k-anonymity": {"k": self.k}}]
        for name, rule in self.rules.items():
            model = "t-closeness" if "t" in rule else "l-diversity"
            privacy.append({model: {"attribute": name, **rule}})
        return {
            "attributes": self.attributes,
            "privacy": privacy,
            "method": method,
            "seed": 3,
            **more,
        }

    def coded(self, method: Any = "lgb-mdp") -> Coded:
        return encode(self.frame, Plan.of(self.plan(method)).schema)

    def task(self, method: Any = "lgb-mdp", seed: int = 3) -> Task:
        table = self.coded(method)
        plan = Plan.of(self.plan(method))
        return Task(table, Requirements.of(plan.models[:1], table), seed)


def random_secrets(seed: int, n_rows: int | None = None, *, missing: bool = False) -> Secrets:
    """Between 2 and 4 attributes that others may know, some of them secret cell by cell."""
    rng = random.Random(seed)
    n = n_rows or rng.randrange(6, 40)
    columns: dict[str, list[str | None]] = {}
    attributes: dict[str, Any] = {}
    for j in range(rng.randrange(2, 5)):
        form = rng.choice(FORMS)
        declared, values = QUASI_FORMS[form]
        name = f"q{j}"
        pool: list[str | None] = [*values[: rng.randrange(2, len(values) + 1)]]
        if missing and rng.random() < 0.5:
            pool.append(None)
        columns[name] = [rng.choice(pool) for _ in range(n)]
        attributes[name] = {**declared, "role": "quasi"}
        if j < 2 or rng.random() < 0.4:
            share = rng.choice([0.0, 0.2, 0.5, 1.0])
            columns[f"{name}_secret"] = ["yes" if rng.random() < share else "no" for _ in range(n)]
            attributes[name] |= {"role": "semi-sensitive", "flag": f"{name}_secret"}
            attributes[f"{name}_secret"] = "flag"
    columns["s"] = [rng.choice("uvwxyz") for _ in range(n)]
    attributes["s"] = {"role": "sensitive", "kind": "categorical"}
    secret = [n for n, a in attributes.items() if isinstance(a, dict) and a["role"] != "quasi"]
    rules = {name: {**rng.choice(_RULES)} for name in secret}
    for name, rule in rules.items():
        if "t" in rule and attributes[name]["kind"] == "ordinal":
            rule["distance"] = "equal"  # the twin knows no order but that of numbers
    frame = pl.DataFrame({c: pl.Series(v, dtype=pl.String) for c, v in columns.items()})
    return Secrets(frame, attributes, rng.randrange(2, 5), rules)


_RULES: list[dict[str, Any]] = [
    {"l": 2},
    {"l": 2, "kind": "frequency"},
    {"l": 1.5, "kind": "entropy"},
    {"l": 2, "kind": "entropy"},
    {"t": 0.3},
    {"t": 0.5},
]


def twin_rule(rule: dict[str, Any]) -> twin.Rule:
    """The rule of an attribute in the words of the twin."""
    return ("t", rule["t"]) if "t" in rule else (rule.get("kind", "distinct"), rule["l"])


def twin_table(coded: Coded) -> twin.Table:
    """The quasi-identifiers and then the sensitive attributes, with flags."""
    names = [a.name for a in (*coded.schema.quasi, *coded.schema.sensitive)]
    domains = [coded.columns[name].domain for name in names]
    cells = [[_value(d, c) for c in coded.columns[d.attribute.name].codes] for d in domains]
    everyone = [n in {a.name for a in coded.schema.sensitive} for n in names]
    flags = [
        [True] * coded.n_rows if everyone[j]
        else coded.flags.get(name, np.zeros(coded.n_rows)).astype(bool).tolist()
        for j, name in enumerate(names)
    ]  # fmt: skip
    return twin.Table(
        tuple(_attribute(d) for d in domains),
        tuple(zip(*cells, strict=True)),
        tuple(zip(*flags, strict=True)),
    )


def _value(domain: Domain, code: Any) -> Any:
    if domain.is_range and domain.numbers is not None:
        return float(domain.numbers[code])
    # The twin sorts the values of sets as text; ordinals have an order of their own.
    return f"{int(code):02d} {domain.texts[int(code)]}"


def _attribute(domain: Domain) -> twin.Attribute:
    if domain.is_range and domain.numbers is not None:
        low, high = domain.attribute.domain or (domain.numbers[0], domain.numbers[-1])
        return ("numeric", float(low), float(high))
    if domain.tree is None:
        return ("set", len(domain))
    levels = domain.tree.node
    paths = [
        (_value(domain, c), *(f"{h}:{levels[h][c]}" for h in range(1, len(levels))))
        for c in range(len(domain))
    ]
    declared = {row[-1] for row in domain.attribute.hierarchy.rows}  # type: ignore[union-attr]
    if len(declared) > 1 and len({p[-1] for p in paths}) == 1:
        paths = [(*p, "the root") for p in paths]  # tops that no value has still are tops
    return ("tree", paths)
