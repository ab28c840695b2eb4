"""Small random tables with plans for them, drawn from a seed."""

from __future__ import annotations

import csv
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl

from tests.papers.identity import twin as twin
from tests.papers.naive import Field, Holds, Text, Unit, asked_k, requirement_holds

TREE = {"*": {"west": {"coast": ["a", "b"], "hill": ["c"]}, "east": {"plain": ["d", "e", "f"]}}}
TOPS = {"north": ["a", "b", "c"], "south": ["d", "e"], "isle": ["f"]}
RAGGED = {"*": {"odd": ["a", "c", "e"], "b": None, "even": {"low": ["d"], "high": ["f"]}}}
IDENTITY = ("ir-k", "ir-kl", "ir-alpha-beta", "eir-l", "eir-alpha-beta")
DAYS = [f"20{y:02d}-{m:02d}-{d:02d}" for y in (3, 4) for m in (1, 2, 11) for d in (1, 28)]


@dataclass
class Case:
    """A table of text, the plan's words for it, and how its rows make units."""

    fields: dict[str, Field]
    attributes: dict[str, Any]
    privacy: list[dict[str, Any]]
    people: list[str] | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.fields.values())).cells)

    @property
    def frame(self) -> pl.DataFrame:
        columns = {name: f.cells for name, f in self.fields.items()}
        if self.people is not None:
            columns = {"person": list(self.people), **columns}
        return pl.DataFrame({n: pl.Series(c, dtype=pl.String) for n, c in columns.items()})

    def plan(self, **more: Any) -> dict[str, Any]:
        plan = {"attributes": self.attributes, "privacy": self.privacy, "seed": 3}
        if self.people is not None:
            plan["attributes"] = {"person": "identifier", **self.attributes}
            plan["individual"] = "person"
        return {**plan, **self.extra, **more}

    @property
    def quasi(self) -> list[Field]:
        return [self.fields[n] for n, a in self.attributes.items() if a["role"] == "quasi"]

    @property
    def sensitive(self) -> list[Field]:
        return [self.fields[n] for n, a in self.attributes.items() if a["role"] == "sensitive"]

    @property
    def units(self) -> list[Unit]:
        if self.people is None:
            return [[row] for row in range(self.n_rows)]
        rows: dict[str, Unit] = {}
        for row, person in enumerate(self.people):
            rows.setdefault(person, []).append(row)
        return list(rows.values())

    @property
    def holds(self) -> Holds:
        units = self.units

        def holds(members: Any) -> bool:
            rows = [row for u in members for row in units[u]]
            return rows_hold(self, len(members), rows)

        return holds


def rows_hold(case: Case, n_units: int, rows: list[int]) -> bool:
    """Whether the rows of a class, of so many units, hold everything that is asked."""
    if not rows:
        return False
    for asked in case.privacy:
        [(model, given)] = asked.items()
        if model == "multi-level-k":
            f = [float(case.fields["f"].cells[row] or 0) for row in rows]
            if any(asked_k(x, given["thresholds"], given["levels"]) > n_units for x in f):
                return False
            continue
        if model in ("k-map", "delta-presence"):
            if not _fits(case, n_units, rows, model, given):
                return False
            continue
        if model in IDENTITY:
            if not _people_hold(case, rows, model, given):
                return False
            continue
        if model in ("lkc", "km"):
            # What is enough, whatever somebody knows.
            model = "alpha-k" if model == "lkc" else "k-anonymity"
            given = {**given, "alpha": given.get("c")}
        named = given.get("attribute")
        targets = [case.fields[named]] if named else case.sensitive
        for secret in targets if model != "k-anonymity" else [None]:
            cells = [] if secret is None else [secret.cells[row] for row in rows]
            if not requirement_holds(model, given, n_units, cells, secret):
                return False
    return True


def combinations_hold(case: Case, rows: list[int], model: str, given: dict[str, Any]) -> bool:
    """LKC-privacy or k^m-anonymity of the table as it is, for whoever shares values with a row."""
    n_known = min(given["l" if model == "lkc" else "m"], len(case.quasi))
    for n in range(1, n_known + 1):
        for known in combinations(case.quasi, n):
            values = [q.cells[rows[0]] for q in known]
            found = [r for r in range(case.n_rows) if [q.cells[r] for q in known] == values]
            n_units = len(found) if case.people is None else len({case.people[r] for r in found})
            if n_units < given["k"]:
                return False
            if model == "lkc":
                held = Counter(case.fields[given["attribute"]].cells[r] for r in found)
                if max(held.values()) / len(found) > given["c"]:
                    return False
    return True


def _fits(case: Case, n_units: int, rows: list[int], model: str, given: dict[str, Any]) -> bool:
    """Those of the population who are exactly like somebody in the class: no fewer fit it."""
    text = Path(given["population"]["source"]).read_text(encoding="utf-8")
    _, *lines = csv.reader(text.splitlines())
    there = {tuple(cell or None for cell in line[:-1]): int(line[-1]) for line in lines}
    like = {tuple(q.cells[row] for q in case.quasi) for row in rows}
    n_fitting = sum(there[vector] for vector in like)
    if model == "k-map":
        return n_fitting >= given["k"]
    return n_units / n_fitting <= given["high"]


def _people_hold(case: Case, rows: list[int], model: str, given: dict[str, Any]) -> bool:
    """An identity-reserved model, by the twin's word for it."""
    assert case.people is not None
    by_person: dict[str, list[int]] = {}
    for row in rows:
        by_person.setdefault(case.people[row], []).append(row)
    group = [
        twin.Person((), len(own), tuple(tuple(s.cells[r] for r in own) for s in case.sensitive))
        for own in by_person.values()
    ]
    place = {s.name: i for i, s in enumerate(case.sensitive)}
    by_number = {k: place[v] if k == "attribute" else v for k, v in given.items()}
    return twin.satisfies(group, [{model: by_number}])


QUASI_FORMS = {
    "range": ({"kind": "numeric"}, [str(n) for n in (1, 2, 3, 5, 8, 13, 21, 34)]),
    "halves": ({"kind": "numeric", "domain": [-4, 8]}, ["-3.5", "-1", "0", "0.25", "2.5", "7"]),
    "width": (
        {"kind": "numeric", "hierarchy": {"width": 5, "levels": 2}},
        [str(n) for n in (-7, -1, 0, 4, 5, 9, 11, 19, 20, 23)],
    ),
    "set": ({"kind": "categorical"}, ["a", "b, c", "{d}", "E", "ü", "*"]),
    "ordinal": (
        {"kind": "ordinal", "values": ["low", "mid", "high", "top"]},
        ["low", "high", "mid"],
    ),
    "flat": ({"kind": "categorical", "hierarchy": "flat"}, ["p", "q", "r"]),
    "tree": ({"kind": "categorical", "hierarchy": {"tree": TREE}}, list("abcdef")),
    "tops": ({"kind": "categorical", "hierarchy": {"tree": TOPS}}, list("abcdef")),
    "ragged": ({"kind": "categorical", "hierarchy": {"tree": RAGGED}}, list("abcdef")),
    "date": ({"kind": "date"}, DAYS),
    "months": ({"kind": "date", "hierarchy": {"dates": ["day", "month", "year"]}}, DAYS),
}
CLIMBING = ("width", "flat", "tree", "tops", "ragged", "months")


def random_case(
    seed: int,
    *,
    forms: tuple[str, ...] = tuple(QUASI_FORMS),
    models: tuple[str, ...] = ("k", "l", "alpha", "t", "ke"),
    most_rows: int = 60,
    share_of_people: float = 0.35,
) -> Case:
    """A case from a seed; what it asks can be had by all rows together unless by bad luck."""
    rng = random.Random(seed)
    n_rows = rng.randint(2, most_rows)
    people = _people(rng, n_rows) if rng.random() < share_of_people else None
    chosen = [rng.choice(forms) for _ in range(rng.randint(1, 5))]
    fields: dict[str, Field] = {}
    attributes: dict[str, Any] = {}
    for i, form in enumerate(chosen):
        words, pool = QUASI_FORMS[form]
        cells = _cells(rng, pool, n_rows, people)
        name = f"{form} {i}"
        attributes[name] = {"role": "quasi", **words}
        fields[name] = as_field(name, attributes[name], cells)
    for name, words, pool in (
        ("ill", {"kind": "categorical", "hierarchy": {"tree": TREE}}, list("abcdef")),
        ("pay", {"kind": "numeric"}, ["100", "150", "200.5", "300", "1000"]),
    ):
        cells = _cells(rng, pool, n_rows, None)
        attributes[name] = {"role": "sensitive", **words}
        fields[name] = as_field(name, attributes[name], cells)
    privacy = [_model(rng, rng.choice(models)) for _ in range(rng.randint(1, 2))]
    return Case(fields, attributes, privacy, people)


def as_field(name: str, words: dict[str, Any], cells: list[Text]) -> Field:
    """The naive twin of an attribute that a plan declares in these words."""
    return Field(
        name,
        words["kind"],
        cells,
        list(words.get("values", ())),
        tuple(words["domain"]) if "domain" in words else None,
        words.get("hierarchy"),
    )


def _people(rng: random.Random, n_rows: int) -> list[str]:
    n_people = rng.randint(1, n_rows)
    return [f"p{rng.randrange(n_people)}" for _ in range(n_rows)]


def _cells(
    rng: random.Random, pool: list[str], n_rows: int, people: list[str] | None
) -> list[Text]:
    some = rng.sample(pool, rng.randint(1, len(pool)))
    rate = rng.choice([0.0, 0.0, 0.1, 0.5])
    weights = [rng.random() ** 2 + 0.01 for _ in some]

    def draw() -> Text:
        return None if rng.random() < rate else rng.choices(some, weights)[0]

    if people is None:
        return [draw() for _ in range(n_rows)]
    of_person: dict[str, Text] = {person: draw() for person in sorted(set(people))}
    return [of_person[person] for person in people]


def _identity_model(rng: random.Random, which: str) -> dict[str, Any]:
    """A model on people with several rows."""
    attribute = rng.choice(["ill", "pay", None])
    given: dict[str, Any] = {} if attribute is None or which == "ir-k" else {"attribute": attribute}
    if which.endswith("alpha-beta"):
        given = {"alpha": rng.choice([0.4, 0.6, 1.0]), "beta": rng.choice([0.6, 0.8, 1]), **given}
    if which in ("ir-k", "ir-kl"):
        given = {"k": rng.randint(1, 5), **given}
    if which in ("ir-kl", "eir-l"):
        given = {"l": rng.randint(1, 3), **given}
    return {which: given}


def _model(rng: random.Random, which: str) -> dict[str, Any]:
    if which in IDENTITY:
        return _identity_model(rng, which)
    if which == "k":
        return {"k-anonymity": {"k": rng.randint(1, 6)}}
    if which == "alpha":
        return {"alpha-k": {"alpha": rng.choice([0.5, 0.75, 1.0]), "k": rng.randint(1, 4)}}
    if which == "ke":
        return {"k-e": {"k": rng.randint(1, 3), "e": rng.choice([0, 50, 100]), "attribute": "pay"}}
    attribute = rng.choice(["ill", "pay", None])
    named = {} if attribute is None else {"attribute": attribute}
    if which == "t":
        t = rng.choice([0.1, 0.2, 0.35, 0.5])
        distances = ["equal", "ordered", None] + (
            ["hierarchical"] * 2 if attribute == "ill" else []
        )
        distance = rng.choice(distances)
        return {"t-closeness": {"t": t, **({"distance": distance} if distance else {}), **named}}
    kind = rng.choice(["distinct", "frequency", "entropy", "recursive"])
    l = rng.randint(1, 3) if kind in ("distinct", "recursive") else rng.choice([1.5, 2, 2.5])  # noqa: E741
    c = {"c": rng.choice([0.5, 1.5, 3])} if kind == "recursive" else {}
    return {"l-diversity": {"l": l, "kind": kind, **c, **named}}


def task_of(case: Case, **more: Any) -> Any:
    """What a method is handed for this case."""
    from shoal.method import Task
    from shoal.model.requirement import Requirements
    from shoal.plan import Plan
    from shoal.table import encode

    plan = Plan.parse(case.plan(**more))
    table = encode(case.frame, plan.schema)
    return Task(table, Requirements.of(plan.models, table), 0)


def rows_of_classes(case: Case, partition: Any) -> set[frozenset[int]]:
    """The classes of a partition as sets of rows."""
    classes: dict[int, set[int]] = {}
    for unit, number in zip(case.units, partition.unit_class.tolist(), strict=True):
        if number >= 0:
            classes.setdefault(number, set()).update(unit)
    assert sorted(classes) == list(range(partition.n_classes))
    return {frozenset(rows) for rows in classes.values()}


def as_rows(case: Case, classes: list[list[int]]) -> set[frozenset[int]]:
    """Classes of units as sets of rows."""
    return {frozenset(row for u in members for row in case.units[u]) for members in classes}
