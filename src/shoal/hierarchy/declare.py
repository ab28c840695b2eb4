"""From the parameters of a hierarchy as given to its checked specification."""

from __future__ import annotations

import datetime
import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, pairwise
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, TypeGuard

from shoal.errors import PlanError, Problem
from shoal.hierarchy.row import Row, conflicts, pad
from shoal.hierarchy.text import DATE_UNITS
from shoal.schema import HierarchySpec

MOST_LEVELS = 50
LONGEST_MASK = 1000
DEEPEST_TREE = 101


def declare_intervals(cuts: object) -> HierarchySpec:
    """At least one cut; cuts are finite and strictly increasing."""
    if not _is_list(cuts) or not cuts:
        raise PlanError(_fault("intervals", "a list of at least one cut", cuts))
    problems: list[Problem] = []
    numbers = [_number(f"intervals[{place}]", cut, problems) for place, cut in enumerate(cuts)]
    if not problems and any(a >= b for a, b in pairwise(numbers)):
        problems.append(_fault("intervals", "strictly increasing", list(cuts)))
    _refuse(problems)
    return HierarchySpec("intervals", cuts=tuple(numbers))


def declare_width(width: object, levels: object, origin: object = 0) -> HierarchySpec:
    """A width above 0, a number of levels from 1 to 50, a finite origin."""
    if levels is None:
        text = "The 'levels' parameter of the hierarchy is required."
        raise PlanError(Problem(text, hint="For example {width: 5, levels: 3}."))
    problems: list[Problem] = []
    spec = HierarchySpec(
        "width",
        width=_number("width", width, problems, above=0),
        levels=_count("levels", levels, problems, MOST_LEVELS),
        origin=_number("origin", origin, problems),
    )
    _refuse(problems)
    return spec


def declare_mask(n_hidden: object) -> HierarchySpec:
    """How many characters may be hidden, at least one."""
    problems: list[Problem] = []
    spec = HierarchySpec("mask", mask=_count("mask", n_hidden, problems, LONGEST_MASK))
    _refuse(problems)
    return spec


def declare_dates(units: object) -> HierarchySpec:
    """Units from minute to decade, each coarser than the one before."""
    known = ", ".join(DATE_UNITS)
    must = f"a list of units from {known}, each coarser than the one before"
    if not _is_list(units) or not units:
        raise PlanError(_fault("dates", must, units))
    problems = [
        _fault(f"dates[{place}]", f"one of {known}", unit)
        for place, unit in enumerate(units)
        if unit not in DATE_UNITS
    ]
    places = [DATE_UNITS.index(unit) for unit in units if unit in DATE_UNITS]
    if any(a >= b for a, b in pairwise(places)):
        problems.append(_fault("dates", must, list(units)))
    _refuse(problems)
    return HierarchySpec("dates", units=tuple(units))


def declare_rows(rows: object, path: str = "") -> HierarchySpec:
    """Rows of cells, leaf first; a shorter row is padded with its own top."""
    if not _is_list(rows) or not rows:
        raise PlanError("The 'rows' parameter of the hierarchy must be a list of at least one row.")
    checked = [_cells(row) for row in rows]
    _refuse(
        [
            Problem(f"Row {place} must be a list of texts or numbers.", "rows")
            for place, row in enumerate(checked, start=1)
            if not row
        ]
    )
    name = PurePath(path).name or "rows"
    return HierarchySpec("file", rows=_agree(checked, name, "row"), path=path)


def declare_tree(tree: object) -> HierarchySpec:
    """A nested mapping from the roots down to the leaves."""
    if not isinstance(tree, Mapping) or not tree:
        raise PlanError(
            "The 'tree' parameter of the hierarchy must be a mapping with at least one root."
        )
    problems: list[Problem] = []
    paths = list(_paths(tree, (), frozenset(), problems))
    _refuse(problems)
    return HierarchySpec("tree", rows=_agree(paths, "tree", "path"))


def redeclare(spec: HierarchySpec) -> HierarchySpec:
    """The same specification, checked."""
    again: dict[str, Callable[[], HierarchySpec]] = {
        "file": lambda: declare_rows(spec.rows, spec.path),
        "tree": lambda: HierarchySpec("tree", rows=declare_rows(spec.rows).rows),
        "intervals": lambda: declare_intervals(spec.cuts),
        "width": lambda: declare_width(spec.width, spec.levels, spec.origin),
        "mask": lambda: declare_mask(spec.mask),
        "dates": lambda: declare_dates(spec.units),
        "flat": lambda: HierarchySpec("flat"),
    }
    if spec.form not in again:
        raise PlanError(_fault("form", f"one of {', '.join(again)}", spec.form))
    return again[spec.form]()


def _paths(
    below: object, above: Row, within: frozenset[int], problems: list[Problem]
) -> Iterator[Row]:
    """Every path from a leaf below `above` up to its root."""
    if below is None or (isinstance(below, Mapping | list | tuple) and not below):
        yield above
    # A mapping can be inside itself, by an alias in YAML: its paths would have no end.
    elif id(below) in within:
        problems.append(_cycle(above))
    elif len(above) >= DEEPEST_TREE:
        problems.append(Problem(f"The tree must have at most {DEEPEST_TREE} levels.", "tree"))
    elif isinstance(below, Mapping):
        for name, inner in below.items():
            for path in _step(name, above, problems):
                yield from _paths(inner, path, within | {id(below)}, problems)
    elif _is_list(below):
        for item in below:
            if isinstance(item, Mapping):
                yield from _paths(item, above, within | {id(below)}, problems)
            else:
                yield from _step(item, above, problems)
    else:
        yield from _step(below, above, problems)


def _step(name: object, above: Row, problems: list[Problem]) -> Iterator[Row]:
    """The path one node further down; a node may repeat the label of its parent, but no other."""
    label = _text(name)
    if label is None:
        problems.append(
            Problem(f"A node at depth {len(above) + 1} must be a text or a number.", "tree")
        )
    elif label in dropwhile(label.__eq__, above):
        problems.append(_cycle(above))
    else:
        yield (label, *above)


def _cycle(above: Row) -> Problem:
    return Problem(
        f"A node at depth {len(above) + 1} is its own ancestor.",
        "tree",
        "Give each node a name that differs from those above it.",
    )


def _agree(rows: Iterable[Row], where: str, unit: str) -> tuple[Row, ...]:
    """The rows padded, each once; an error if a label has two parents."""
    padded = pad(rows)
    _refuse(conflicts(padded, range(1, len(padded) + 1), where, unit))
    return tuple(dict.fromkeys(padded))


def _text(cell: object) -> str | None:
    """A cell as text; None if it is neither text, number nor date."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, datetime.date):
        return cell.isoformat()
    if isinstance(cell, Real) and not isinstance(cell, bool):
        return str(cell)
    return None


def _cells(row: object) -> Row:
    """The cells of a row, with None for the missing leaf; no cells if one of them is unfit."""
    cells = ["" if cell is None else _text(cell) for cell in row] if _is_list(row) else []
    fit = tuple(cell for cell in cells if cell is not None)
    return fit if len(fit) == len(cells) else ()


def _is_list(given: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _number(name: str, given: object, problems: list[Problem], above: float = -math.inf) -> float:
    if isinstance(given, Real) and not isinstance(given, bool):
        try:
            number = float(given)
        except OverflowError:
            number = math.inf
        if math.isfinite(number) and number > above:
            return number
    must = "a finite number" if math.isinf(above) else f"a finite number above {above}"
    problems.append(_fault(name, must, given))
    return math.nan


def _count(name: str, given: object, problems: list[Problem], most: int) -> int:
    if isinstance(given, Integral) and not isinstance(given, bool) and 1 <= int(given) <= most:
        return int(given)
    problems.append(_fault(name, f"an integer from 1 to {most}", given))
    return 0


def _fault(name: str, must: str, got: object) -> Problem:
    return Problem(
        f"The '{name}' parameter of the hierarchy must be {must}, got {reprlib.repr(got)} instead."
    )


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        raise PlanError(problems)
