"""Random plans with random small tables, most of them such as somebody could mean."""

from __future__ import annotations

import random
from typing import Any

import polars as pl

TREE = {"*": {"low": ["a", "b"], "high": ["c", "d"]}}
LETTERS = "abcd"
DAYS = ["2019-01-05", "2019-02-11", "2019-02-12", "2020-07-01", "2021-12-31"]
ODD = ["a", " a", "a ", "A", "*", "{a, b}", "[1, 2]", '"', "=1", "-", "01", "1.0", ">=3", "a;b"]
NUMBERS = ["1", "2", "3.5", "7", "10", "12", "15", "40", "-3"]
METHODS = [
    "mondrian", "ka", "sd-mks3wd", "se-mks3wd", "ece-mks3wd", "danonyir", "geneir", "adjacency",
    "k-member", "weighted-graph", "lgb-mdp", "lgb-ncp", "qi-mhsa", "top-down",
]  # fmt: skip
LADDERS = ("ka", "sd-mks3wd", "se-mks3wd", "ece-mks3wd", "geneir", "top-down")
SCHEMES = ("sd-mks3wd", "se-mks3wd", "ece-mks3wd")
BUCKETS = ("lgb-mdp", "lgb-ncp")
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "mondrian": {"cut": ["loss", "balanced", "median"]},
    "danonyir": {"generalise": ["sets", "hierarchy"]},
    "adjacency": {"normalise": [True, False]},
    "weighted-graph": {"normalise": [True, False], "weight": ["distance", "loss"]},
    "lgb-mdp": {"tables": ["split", "joined"]},
    "lgb-ncp": {"tables": ["split", "joined"], "balanced": [True, False]},
    "qi-mhsa": {
        "division": ["mondrian", "k-division"],
        "order": ["input", "quasi"],
        "numeric": ["interval", "one-sided", "by-flag"],
        "conceal": [True, False],
        "tables": ["joined", "split"],
    },
    **{
        name: {"climb": ["together", "lattice"], "budget": [3, 1000]}
        for name in ("ka", "sd-mks3wd", "se-mks3wd", "ece-mks3wd")
    },
}


class Maker:
    """One random plan and its table; the same seed makes the same."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.n = self.rng.choice([0, 1, 3, 6, 8, 8, 12, 12, 16, 16, 20, 24, 30])
        self.columns: dict[str, list[str | None]] = {}
        self.attributes: dict[str, Any] = {}

    def case(self) -> tuple[dict[str, Any], pl.DataFrame]:
        rng = self.rng
        method = rng.choice(METHODS)
        people = method not in BUCKETS and rng.random() < 0.25
        plan: dict[str, Any] = {"attributes": self.attributes}
        if people:
            self._people()
            plan["individual"] = {
                "column": "who", "conflict": rng.choice(["first", "mode", "error"])
            }  # fmt: skip
        for place in range(rng.choice([1, 1, 2, 3])):
            self._quasi(f"q{place}", ladder=method in LADDERS)
        n_secret = rng.choice([0, 1, 1, 2])
        if method in (*BUCKETS, "qi-mhsa"):
            n_secret = max(n_secret, 1)
        for place in range(n_secret):
            self._sensitive(f"s{place}", flags=method not in BUCKETS and rng.random() < 0.35)
        if method in BUCKETS and rng.random() < 0.6:
            self._semi_sensitive("h")
        if method in SCHEMES or rng.random() < 0.1:
            self._add("f", "sensitivity", [f"{rng.random():.2f}" for _ in range(self.n)])
        if rng.random() < 0.3:
            self._add("i", "insensitive", self._cells(rng.choice([LETTERS, NUMBERS]), 0.1))
        plan["privacy"] = self._privacy(method, people)
        plan["method"] = self._method(method)
        self._others(plan)
        return plan, pl.DataFrame(self.columns, schema=dict.fromkeys(self.columns, pl.String))

    def _others(self, plan: dict[str, Any]) -> None:
        rng = self.rng
        if rng.random() < 0.5:
            plan["ranges"] = rng.choice(["tight", "snapped", "columns"])
        if rng.random() < 0.25:
            plan["suppression"] = {"limit": rng.choice([0.0, 0.1, 0.3, 0.5])}
        if rng.random() < 0.2:
            plan["shards"] = {"rows": rng.choice([3, 6, 10])}
        if rng.random() < 0.2:
            plan["objective"] = rng.choice(["glm", "ncp"])
        if rng.random() < 0.3:
            plan["missing"] = ["?", "a"] if rng.random() < 0.2 else ["?"]
        if rng.random() < 0.3:
            plan["order"] = rng.choice(["content", "input"])
        if rng.random() < 0.1:
            self.columns["more"], plan["others"] = self._cells(LETTERS, 0.1), "drop"
        plan["seed"] = rng.randrange(1000)

    def _add(self, name: str, attribute: Any, cells: list[str | None]) -> None:
        self.attributes[name], self.columns[name] = attribute, cells

    def _cells(self, values: Any, missing: float) -> list[str | None]:
        rng = self.rng
        fewest = min(rng.choice([1, 2, 3]), len(values))
        few = rng.sample(list(values), rng.randint(fewest, len(values)))
        weights = [rng.choice([1, 1, 3]) for _ in few]
        gaps = rng.choice([0.0, 0.0, missing])
        cells: list[str | None] = list(rng.choices(few, weights, k=self.n))
        for place in range(self.n):
            if rng.random() < gaps:
                cells[place] = rng.choice([None, "", "?"])
        return cells

    def _people(self) -> None:
        n_people = self.rng.randint(1, max(self.n, 1))
        who: list[str | None] = [f"p{self.rng.randrange(n_people)}" for _ in range(self.n)]
        self._add("who", "identifier", who)

    def _of_a_person(self, name: str) -> None:
        """Mostly, the rows of a person say the same."""
        who = self.columns.get("who")
        if who is not None and self.rng.random() < 0.8:
            cells = self.columns[name]
            self.columns[name] = [cells[who.index(person)] for person in who]

    def _described(self, role: str, ladder: bool) -> tuple[dict[str, Any], list[str | None]]:
        rng = self.rng
        kind = rng.choice(["numeric", "numeric", "categorical", "categorical", "ordinal", "date"])
        values = {"numeric": NUMBERS, "date": DAYS}.get(kind, list(LETTERS))
        hierarchies: list[Any] = {
            "numeric": [{"width": 5, "levels": 3}, {"intervals": [0, 5, 10, 20]}, "flat"],
            "date": [{"dates": ["day", "month", "year"]}, {"dates": ["day", "year"]}, "flat"],
        }.get(kind, ["flat", {"tree": TREE}, {"mask": 1}])
        attribute: dict[str, Any] = {"role": role}
        if kind == "categorical" and rng.random() < 0.15:
            values, hierarchies = ODD, ["flat", {"mask": 2}]
        if kind == "ordinal":
            attribute["values"] = list(LETTERS)
        if kind == "ordinal" or rng.random() < 0.7:
            attribute["kind"] = kind
        if ladder or rng.random() < 0.4:
            attribute["hierarchy"] = rng.choice(hierarchies)
        elif kind == "numeric" and rng.random() < 0.2:
            attribute["domain"] = [-10, 60]
        return attribute, self._cells(values, 0.15)

    def _quasi(self, name: str, ladder: bool) -> None:
        self._add(name, *self._described("quasi", ladder))
        self._of_a_person(name)

    def _sensitive(self, name: str, flags: bool) -> None:
        rng = self.rng
        attribute, cells = self._described("sensitive", False)
        self._add(name, attribute, cells)
        if flags and rng.random() < 0.5:
            levels = rng.choice([["0", "1", "2"], ["low", "high"]])
            self._add(f"{name}_flag", "flag", [rng.choice(levels) for _ in range(self.n)])
            attribute["flag"] = f"{name}_flag"
        elif flags:
            attribute["flags"] = self._rules(attribute)

    def _rules(self, attribute: dict[str, Any]) -> dict[str, Any]:
        rng = self.rng
        rules: dict[str, Any] = {"default": rng.choice(["low", "middle"])}
        condition = rng.choice(["x >= 10", "x < 3 or x = 7", "x >= 2019-02-12", "1 < x < 12"])
        listed = rng.sample([*LETTERS[:2], "7", "2019-02-11"], 2)
        rules["high"] = rng.choice([condition, listed])
        return rules

    def _semi_sensitive(self, name: str) -> None:
        attribute, cells = self._described("semi-sensitive", False)
        self._add(name, {**attribute, "flag": f"{name}_flag"}, cells)
        words = [self.rng.choice(["yes", "no", "no"]) for _ in range(self.n)]
        self._add(f"{name}_flag", "flag", words)

    def _method(self, name: str) -> Any:
        options = {
            option: self.rng.choice(values)
            for option, values in OPTIONS.get(name, {}).items()
            if self.rng.random() < 0.4
        }
        return {name: options} if options else name

    def _privacy(self, method: str, people: bool) -> list[dict[str, Any]]:
        rng = self.rng
        secrets = [n for n in self.attributes if n[0] in "sh" and not n.endswith("_flag")]
        asked: list[dict[str, Any]] = []
        if method in SCHEMES or ("f" in self.attributes and rng.random() < 0.5):
            asked.append(self._levels(bool(secrets)))
        if method in BUCKETS or rng.random() < 0.7 or not (secrets or asked):
            asked.append({"k-anonymity": {"k": rng.choice([1, 2, 2, 3, 4])}})
        if method in BUCKETS:
            one_each = rng.random() < 0.4
            targets: list[str | None] = [*secrets] if one_each else [None]
            asked += [self._of_values(target, buckets=True) for target in targets]
        elif secrets and (rng.random() < 0.8 or not asked):
            n_models = rng.choice([1, 1, 2])
            asked += [self._of_values(rng.choice([None, *secrets])) for _ in range(n_models)]
            if people and rng.random() < 0.5:
                asked.append(self._of_people())
        if rng.random() < 0.05:
            asked.append(asked[0])
        return asked

    def _of_values(self, attribute: str | None, *, buckets: bool = False) -> dict[str, Any]:
        rng = self.rng
        kinds: list[dict[str, Any]] = [
            {"l-diversity": {"l": rng.choice([2, 2, 3])}},
            {"l-diversity": {"l": 2, "kind": "distinct"}},
            {"l-diversity": {"l": rng.choice([1.5, 2, 3]), "kind": "frequency"}},
            {"l-diversity": {"l": rng.choice([1.7, 2, 3]), "kind": "entropy"}},
            {"t-closeness": {"t": rng.choice([0.0, 0.2, 0.5])}},
        ]
        if not buckets:
            kinds += [
                {"l-diversity": {"l": 2, "kind": "recursive", "c": rng.choice([0.8, 1, 2])}},
                {"alpha-k": {"alpha": rng.choice([0.34, 0.5, 0.8]), "k": rng.choice([1, 2, 4])}},
                {"t-closeness": {"t": 0.3, "distance": rng.choice(["equal", "ordered"])}},
                {"k-e": {"k": 2, "e": rng.choice([0, 3])}},
            ]
        (found,) = [rng.choice(kinds)]
        if not buckets and "l-diversity" in found and rng.random() < 0.25:
            found["l-diversity"]["missing"] = rng.choice(["value", "ignore"])
        if attribute is not None:
            next(iter(found.values()))["attribute"] = attribute
        return found

    def _of_people(self) -> dict[str, Any]:
        rng = self.rng
        shares = {"alpha": rng.choice([0.4, 0.6]), "beta": rng.choice([0.5, 0.7])}
        return rng.choice(
            [
                {"ir-k": {"k": 2}},
                {"ir-kl": {"k": 2, "l": 2}},
                {"eir-l": {"l": rng.choice([2, 3])}},
                {"ir-alpha-beta": shares},
                {"eir-alpha-beta": shares},
            ]
        )

    def _levels(self, secrets: bool) -> dict[str, Any]:
        rng = self.rng
        thresholds, pairs = rng.choice(
            [
                ([[0.8, 0.2]], [[3, 1]]),
                ([[0.8, 0.2], [0.6, 0.4]], [[4, 1], [3, 2]]),
                ([[0.9, 0.1], [0.6, 0.5]], [[5, 1], [4, 2]]),
            ]
        )
        levels: list[Any] = [*pairs]
        if secrets and rng.random() < 0.5:
            place = rng.randrange(len(levels))
            more = self._of_values(None)
            levels[place] = {"k": levels[place], **more}
        model: dict[str, Any] = {"thresholds": thresholds, "levels": levels}
        if rng.random() < 0.3:
            model["strict"] = True
        return {"multi-level-k": model}
