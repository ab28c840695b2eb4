"""The paper's patients, and random tables with flagged cells, for the tool and for the twin."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.method import Task
from shoal.model import LDiversity
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Domain, encode
from shoal.table import Table as Coded
from shoal.table.partition import Partition
from tests.papers.mhsa import twin as twin

PATIENTS = pl.DataFrame(
    [
        ("Ben", "M", 22, "250100", 35000, "Flu"),
        ("Tom", "M", 23, "250100", 42000, "Diabetes"),
        ("Mary", "F", 25, "202000", 20000, "HIV"),
        ("Alice", "F", 35, "203200", 25000, "Pneumonia"),
        ("John", "M", 28, "151000", 45000, "Ebola"),
        ("Peter", "M", 21, "151001", 51000, "Hypertension"),
        ("Lisa", "F", 47, "160250", 28500, "Covid19"),
        ("Mark", "M", 42, "160255", 35000, "Bronchitis"),
        ("Paul", "M", 57, "180350", 70000, "Flu"),
        ("Kathe", "F", 57, "180000", 65000, "Diabetes"),
    ],
    schema=["name", "gender", "age", "zip", "income", "disease"],
    orient="row",
)
DISEASES = {
    "*": {
        "respiratory problems": ["Flu", "Pneumonia", "Bronchitis"],
        "comorbities": ["Diabetes", "Hypertension"],
        "viral": ["HIV", "Ebola", "Covid19"],
    }
}
DISEASE_FLAGS = {
    "high": ["HIV", "Ebola", "Covid19"],
    "middle": ["Diabetes", "Hypertension"],
    "default": "low",
}
INCOME_FLAGS = {"low": "x <= 30000", "middle": "30000 < x < 50000", "high": "x >= 50000"}
ATTRIBUTES: dict[str, Any] = {
    "name": "identifier",
    "gender": {"role": "quasi", "hierarchy": "flat"},
    "age": {"role": "quasi", "kind": "numeric"},
    "zip": {"role": "quasi", "hierarchy": {"mask": 6}},
    "income": {
        "role": "sensitive",
        "hierarchy": {"intervals": [30000, 40000, 50000]},
        "flags": INCOME_FLAGS,
    },
    "disease": {"role": "sensitive", "hierarchy": {"tree": DISEASES}, "flags": DISEASE_FLAGS},
}


def patients_plan(method: Any = "qi-mhsa", **more: Any) -> dict[str, Any]:
    """k = 2 and l = 2 for the paper's patients."""
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}]
    return {"attributes": ATTRIBUTES, "privacy": privacy, "method": method, "seed": 1, **more}


TOWNS = {"*": {"west": {"coast": ["a", "b"], "hill": ["c"]}, "east": {"plain": ["d", "e", "f"]}}}
TOPS = {"north": ["a", "b", "c"], "south": ["d", "e"], "isle": ["f"]}
ILLS = {"*": {"mild": ["p", "q", "r"], "grave": {"old": ["s", "t"], "new": ["u"]}}}


@dataclass(frozen=True)
class Flagged:
    """A table of text with flag columns, and the plan's words for it."""

    frame: pl.DataFrame
    attributes: dict[str, Any]
    k: int
    l: int  # noqa: E741
    kind: str | None

    def plan(self, method: Any = "qi-mhsa", **more: Any) -> dict[str, Any]:
        asked: dict[str, Any] = {"l": self.l}
        if self.kind is not None:
            asked["kind"] = self.kind
        privacy = [{"k-anonymity": {"k": self.k}}, {"l-diversity": asked}]
        return {
            "attributes": self.attributes,
            "privacy": privacy,
            "method": method,
            "seed": 3,
            **more,
        }

    def coded(self) -> Coded:
        return encode(self.frame, Plan.of(self.plan("mondrian")).schema)

    def task(self) -> Task:
        table = self.coded()
        models = Plan.of(self.plan("mondrian")).models
        assert isinstance(models[1], LDiversity)
        return Task(table, Requirements.of(models, table), 3)


def random_flagged(seed: int, *, ladders: bool = False, n_rows: int | None = None) -> Flagged:
    """Two or three quasi-identifiers, two sensitive attributes; `ladders`: hierarchies for all."""
    rng = random.Random(seed)
    n = n_rows or rng.randrange(8, 30)
    numbers: dict[str, Any] = {"role": "quasi", "kind": "numeric"}
    if ladders:
        numbers["hierarchy"] = {"intervals": [4, 9, 14]}
    attributes: dict[str, Any] = {"age": numbers}
    columns = {"age": [str(rng.randrange(20)) for _ in range(n)]}
    for name in ("town", "home")[: rng.randrange(1, 3)]:
        tree = TOWNS if rng.random() < 0.6 else TOPS
        attributes[name] = {"role": "quasi", "hierarchy": {"tree": tree}}
        columns[name] = [rng.choice("abcdef") for _ in range(n)]
    attributes["pay"] = {"role": "sensitive", "hierarchy": {"intervals": [30, 40, 50]}}
    columns["pay"] = [str(rng.choice([22, 28, 31, 35, 39, 42, 47, 51, 58])) for _ in range(n)]
    attributes["ill"] = {"role": "sensitive", "hierarchy": {"tree": ILLS}}
    columns["ill"] = [rng.choice("pqrstu") for _ in range(n)]
    for name in ("pay", "ill"):
        columns[f"{name}_flag"] = [rng.choice("0012") for _ in range(n)]
        attributes[name] |= {"flag": f"{name}_flag"}
        attributes[f"{name}_flag"] = "flag"
    frame = pl.DataFrame({c: pl.Series(v, dtype=pl.String) for c, v in columns.items()})
    kind = rng.choice([None, "distinct", "frequency"])
    return Flagged(frame, attributes, rng.randrange(2, 4), 2, kind)


def twin_table(coded: Coded, numeric: str = "interval", covers: str = "class") -> twin.Table:
    """A coded table in the words of the twin."""
    quasi, sensitive = coded.quasi, [c.domain for c in coded.sensitive]

    def rows(domains: Any) -> tuple[tuple[Any, ...], ...]:
        columns = [[_value(d, c) for c in coded.columns[d.attribute.name].codes] for d in domains]
        return tuple(zip(*columns, strict=True))

    nothing = np.zeros(coded.n_rows, dtype=int)
    flags = [coded.flags.get(d.attribute.name, nothing).tolist() for d in sensitive]
    return twin.Table(
        tuple(_attribute(d) for d in quasi),
        tuple(_attribute(d) for d in sensitive),
        rows(quasi),
        rows(sensitive),
        tuple(zip(*flags, strict=True)),
        numeric,
        covers,
    )


def _value(domain: Domain, code: Any) -> Any:
    if domain.numbers is not None:
        return int(domain.numbers[code])
    return domain.texts[int(code)]


def _attribute(domain: Domain) -> twin.Attribute:
    if domain.numbers is not None:
        spec = domain.attribute.hierarchy
        cuts = () if spec is None else (tuple(int(c) for c in spec.cuts),)
        return twin.Numbers(int(domain.numbers.min()), int(domain.numbers.max()), cuts)
    tree = domain.tree
    assert tree is not None
    return twin.Tree(
        tuple(
            tuple(tree.labels[level[code]] or "" for level in tree.node)
            for code in range(len(domain))
        )
    )


def partition_of(classes: list[list[int]], n: int) -> Partition:
    """The twin's classes of n rows as a partition."""
    unit_class = np.empty(n, dtype=np.int32)
    for number, rows in enumerate(classes):
        unit_class[rows] = number
    return Partition(unit_class, len(classes))
