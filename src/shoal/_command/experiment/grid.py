"""A grid of plans as a file: one plan, what is varied in it, and what is measured."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from shoal._command.experiment.figure import Figure, Panel
from shoal._command.experiment.reading import meaning
from shoal._command.experiment.trial import Grid, Trial
from shoal.errors import PlanError, Problem, ShoalError
from shoal.plan import Plan
from shoal.plan.document import Document, read_mapping, read_text
from shoal.plan.file import read_file
from shoal.source import read

_KEYS = ("plan", "data", "vary", "seeds", "measures", "figures")
_FIGURE = ("title", "x", "y", "series", "panel")
_OWN_NAMES = ("seed", "error")
_MOST = 100_000
_PLACE = "Write it like privacy[0].k-anonymity.k, in quotes."
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True)
class Axis:
    """What is varied: its places in the plan, and the values by their names."""

    name: str
    at: tuple[tuple[str | int, ...], ...]
    values: Mapping[Any, Any]


@dataclass(frozen=True)
class Design:
    """A grid file that has been read."""

    grid: Grid
    figures: tuple[Figure, ...]


def read_grid(given: str | Path | Mapping[str, Any]) -> Design:
    """Read a grid file or mapping; raises one PlanError that lists every problem."""
    if isinstance(given, Mapping):
        return _Reader(read_mapping(given), Path.cwd()).design()
    path = Path(given)
    return _Reader(read_text(read_file(path)), path.absolute().parent).design()


def parse_place(text: str) -> tuple[str | int, ...]:
    """The steps to a place in a plan.

    >>> parse_place("privacy[0].k-anonymity.k")
    ('privacy', 0, 'k-anonymity', 'k')
    """
    found = _STEP.findall(text)
    joined = "".join(f".{key}" if key else f"[{index}]" for key, index in found)
    if not found or joined.removeprefix(".") != text:
        raise PlanError("This is not a place in a plan.", _PLACE)
    return tuple(key or int(index) for key, index in found)


def put(plan: Any, place: tuple[str | int, ...], value: Any) -> None:
    """Set a place of a plan; only its last step may be new."""
    *way, last = place
    for step in way:
        plan = plan[step]
    if isinstance(plan, list):
        plan[last] = value  # type: ignore[index]
    elif isinstance(plan, dict):
        plan[str(last)] = value
    else:
        raise TypeError


class _Reader:
    def __init__(self, document: Document, base: Path) -> None:
        self.document, self.base = document, base
        self.problems: list[Problem] = list(document.problems)
        self.data: dict[str, Any] = document.data if isinstance(document.data, dict) else {}

    def design(self) -> Design:
        for key in self.data:
            if key not in _KEYS:
                self._wrong((key,), f"There is no key {key!r}.", f"Keys are {', '.join(_KEYS)}.")
        plan, axes = self._plan(), self._axes()
        seeds, measures = self._seeds(), self._measures()
        figures = self._figures(axes, measures)
        trials = [] if self.problems else self._trials(plan, axes, seeds, measures)
        if self.problems:
            raise PlanError(self.problems)
        source = self.data.get("data") or self._source(trials[0].plan)
        tables = {"data": lambda: read(source, base=self.base)}
        return Design(Grid(tuple(trials), tables), figures)

    def _wrong(self, path: tuple[str | int, ...], text: str, hint: str = "") -> None:
        self.problems.append(self.document.problem(path, text, hint))

    def _plan(self) -> dict[str, Any]:
        given = self.data.get("plan")
        if isinstance(given, str):
            path = self.base / given
            try:
                given, base = read_text(read_file(path)).data, path.absolute().parent
            except PlanError as error:
                self.problems += error.problems
                return {}
        else:
            base = self.base
        if not isinstance(given, dict):
            self._wrong(("plan",), "'plan' must be a file or a plan.")
            return {}
        return _absolute(given, base)

    def _axes(self) -> tuple[Axis, ...]:
        given = self.data.get("vary")
        if not isinstance(given, dict) or not given:
            self._wrong(("vary",), "'vary' must say what differs between the plans.")
            return ()
        return tuple(axis for name, words in given.items() if (axis := self._axis(name, words)))

    def _axis(self, name: str, words: Any) -> Axis | None:
        path = ("vary", name)
        if name in _OWN_NAMES:
            self._wrong(path, f"{name!r} must not be the name of what is varied.")
        if not isinstance(words, dict) or set(words) != {"at", "values"}:
            self._wrong(path, "What is varied must have 'at' and 'values', and nothing else.")
            return None
        at = words["at"] if isinstance(words["at"], list) else [words["at"]]
        values = words["values"]
        if isinstance(values, list):
            values = {v if isinstance(v, (int, float, str)) else str(v): v for v in values}
        if not isinstance(values, dict) or not values:
            self._wrong((*path, "values"), "'values' must be a list, or values by name.")
            return None
        try:
            return Axis(name, tuple(parse_place(str(one)) for one in at), values)
        except PlanError as error:
            self._wrong((*path, "at"), error.problems[0].text, error.problems[0].hint)
            return None

    def _seeds(self) -> list[int]:
        given = self.data.get("seeds", 1)
        seeds = list(range(1, given + 1)) if isinstance(given, int) else given
        if not isinstance(seeds, list) or not seeds or not all(type(s) is int for s in seeds):
            self._wrong(("seeds",), "'seeds' must be a number of at least 1, or a list of seeds.")
            return [1]
        return seeds

    def _measures(self) -> tuple[str, ...]:
        given = self.data.get("measures", ["glm"])
        if not isinstance(given, list) or not given:
            self._wrong(("measures",), "'measures' must be a list of names.")
            return ()
        for place, name in enumerate(given):
            try:
                meaning(str(name))
            except PlanError as error:
                self._wrong(("measures", place), error.problems[0].text, error.problems[0].hint)
        return tuple(map(str, given))

    def _figures(self, axes: tuple[Axis, ...], measures: tuple[str, ...]) -> tuple[Figure, ...]:
        names = [axis.name for axis in axes]
        if not names:
            return ()
        given = self.data.get("figures")
        if given is None:
            rest = dict(zip(("x", "series", "panel"), names, strict=False))
            given = [{**rest, "y": measure} for measure in measures]
        figures = []
        for i, words in enumerate(given if isinstance(given, list) else [given], 1):
            path = ("figures", i - 1)
            if not isinstance(words, dict) or not {"x", "y"} <= set(words) <= set(_FIGURE):
                self._wrong(path, f"A figure has x and y, and may have {', '.join(_FIGURE)}.")
                continue
            for key in ("x", "series", "panel"):
                if key in words and words[key] not in names:
                    self._wrong((*path, key), f"{key!r} must be something that is varied.")
            if words["y"] not in measures:
                self._wrong((*path, "y"), "'y' must be one of the measures.")
            figures.append(_figure(i, words, axes))
        return tuple(figures)

    def _trials(
        self,
        plan: dict[str, Any],
        axes: tuple[Axis, ...],
        seeds: list[int],
        measures: tuple[str, ...],
    ) -> list[Trial]:
        if len(seeds) * prod(len(axis.values) for axis in axes) > _MOST:
            self._wrong(("vary",), f"A grid must have at most {_MOST:,} plans.")
            return []
        trials = []
        for names in product(*(axis.values for axis in axes)):
            one = copy.deepcopy(plan)
            one.pop("output", None)
            for axis, name in zip(axes, names, strict=True):
                self._vary(one, axis, name)
            if not self.problems:
                self._check(one, names)
            place = dict(zip([axis.name for axis in axes], names, strict=True))
            trials += [
                Trial({**one, "seed": seed}, "data", {**place, "seed": seed}, measures)
                for seed in seeds
            ]
        return trials

    def _vary(self, plan: dict[str, Any], axis: Axis, name: Any) -> None:
        try:
            for place in axis.at:
                put(plan, place, copy.deepcopy(axis.values[name]))
        except (KeyError, IndexError, TypeError):
            path = ("vary", axis.name, "at")
            if not any(p.where == "vary." + axis.name + ".at" for p in self.problems):
                self._wrong(path, "The plan has no such place.", _PLACE)

    def _check(self, plan: dict[str, Any], names: tuple[Any, ...]) -> None:
        """Find what is wrong with a plan before any of them runs."""
        try:
            Plan.parse(plan, self.base)
        except ShoalError as error:
            setting = ", ".join(map(str, names))
            self.problems += [
                Problem(p.text, f"{setting}: {p.where}" if p.where else setting, p.hint)
                for p in error.problems
            ]

    @staticmethod
    def _source(plan: Mapping[str, Any]) -> Any:
        if "source" not in plan:
            raise PlanError("Neither the grid nor its plan names a table.", "Add 'data: FILE'.")
        source = plan["source"]
        return tuple(source) if isinstance(source, list) else source


def _figure(number: int, words: Mapping[str, Any], axes: tuple[Axis, ...]) -> Figure:
    values = {axis.name: list(axis.values) for axis in axes}
    x, y, series = words["x"], words["y"], words.get("series", "")
    panels = [
        Panel(str(value), x, x, y, {words["panel"]: value}, series)
        for value in values.get(words.get("panel", ""), [])
    ] or [Panel("", x, x, y, {}, series)]
    title = str(words.get("title") or f"{y} by {x}")
    return Figure(number, title, y, tuple(panels), categories=_has_names(values.get(x, [])))


def _has_names(values: list[Any]) -> bool:
    return not all(isinstance(value, (int, float)) for value in values)


def _absolute(plan: dict[str, Any], base: Path) -> dict[str, Any]:
    """The same plan with the paths of its files relative to nothing."""
    made = copy.deepcopy(plan)
    for words in made.get("attributes", {}).values():
        if isinstance(words, dict):
            file = words.get("hierarchy")
            if isinstance(file, str) and file != "flat":
                words["hierarchy"] = str(base / file)
    source = made.get("source")
    if isinstance(source, str) and "://" not in source:
        made["source"] = str(base / source)
    return made
