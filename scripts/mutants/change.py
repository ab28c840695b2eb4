"""The small changes of a module: operators, numbers, conditions, and statements left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_PAIRS = ("min max", "minimum maximum", "any all", "logical_or logical_and", "floor ceil")
_NAMES = {a: b for pair in _PAIRS for a, b in (pair.split(), pair.split()[::-1])}
_MESSAGES = ("Problem", "Field", "VerificationError", "DataError", "ValueError")
_LARGEST_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Mutant:
    """One change of one module; `apply` makes it in the tree that it was found in."""

    module: str
    number: int
    line: str
    change: str
    apply: Callable[[], None]

    def __str__(self) -> str:
        return f"src/shoal/{self.module}:{self.number}: {self.change}  in  {self.line}"


def find_mutants(module: str, tree: ast.Module, lines: Sequence[str]) -> Iterator[Mutant]:
    """All changes of a module, by line."""
    skipped = {id(node) for place in ast.walk(tree) for node in _undeciding(place)}
    found = []
    for parent in ast.walk(tree):
        for node, put in _children(parent):
            for change, other in _variants(node) if id(node) not in skipped else ():
                place: Any = node if hasattr(node, "lineno") else getattr(node, "target", parent)
                line = place.lineno
                text = lines[line - 1].strip()
                found.append(Mutant(module, line, text, change, partial(put, other)))
    yield from sorted(found, key=lambda mutant: mutant.number)


def _undeciding(node: ast.AST) -> Iterator[ast.AST]:
    """What decides nothing: messages, annotations, decorators, assertions and `strict=`."""
    parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    parts += getattr(node, "decorator_list", [])
    if isinstance(node, (ast.JoinedStr, ast.Assert)):
        parts.append(node)
    if isinstance(node, ast.keyword) and node.arg == "strict":
        parts.append(node.value)
    if isinstance(node, ast.Raise):
        parts.append(node.exc)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _MESSAGES:
        parts.append(node)
    for part in parts:
        if isinstance(part, ast.AST):
            yield from ast.walk(part)


def _children(parent: ast.AST) -> Iterator[tuple[ast.AST, Callable[[ast.AST], None]]]:
    """Every child with the function that puts another node in its place."""
    for name, value in ast.iter_fields(parent):
        if isinstance(value, ast.AST):
            yield value, partial(setattr, parent, name)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield item, partial(value.__setitem__, i)


def _variants(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What may stand in a node's place, each with a word on it."""
    for change, other in (*_operators(node), *_values(node), *_conditions(node), *_absent(node)):
        if hasattr(node, "lineno"):
            ast.copy_location(other, node)
        yield change, ast.fix_missing_locations(other)


def _with(node: ast.AST, **fields: Any) -> Any:
    other = copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _swap(operator: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    other = _SWAPS.get(type(operator))
    if other is not None:
        yield f"{type(operator).__name__} → {other.__name__}", other()


def _operators(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for change, other in _swap(operator):
                yield change, _with(node, ops=[*node.ops[:i], other, *node.ops[i + 1 :]])
    elif isinstance(node, (ast.BoolOp, ast.BinOp, ast.AugAssign)):
        for change, other in _swap(node.op):
            yield change, _with(node, op=other)
    elif isinstance(node, ast.UnaryOp):
        yield f"{type(node.op).__name__} → nothing", _with(node.operand)


def _values(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        for value in _other_numbers(node.value):
            yield f"{node.value!r} → {value!r}", ast.Constant(value)
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        yield f"{node.id} → {_NAMES[node.id]}", _with(node, id=_NAMES[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
        yield f"{node.attr} → {_NAMES[node.attr]}", _with(node, attr=_NAMES[node.attr])


def _other_numbers(value: float) -> tuple[float, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, float) and 0 < value < _LARGEST_TOLERANCE:
        return (0.0, 0.02)
    return (value + 1,) if value == 0 else (value + 1, value - 1)


def _conditions(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Conditions in which no operator could be changed."""
    plain = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
    if isinstance(node, (ast.If, ast.IfExp, ast.While)) and isinstance(node.test, plain):
        yield "condition → not condition", _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.comprehension):
        for i in range(len(node.ifs)):
            yield "comprehension's if → nothing", _with(node, ifs=node.ifs[:i] + node.ifs[i + 1 :])


def _absent(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Statements that report, refuse, add or skip are left out; a generator stays one."""
    left_out: ast.AST = ast.Pass()
    value = getattr(node, "value", None)
    if isinstance(node, ast.Expr):
        if isinstance(value, ast.Constant):
            return
        if isinstance(value, (ast.Yield, ast.YieldFrom)):
            left_out = ast.Expr(ast.YieldFrom(ast.Tuple([], ast.Load())))
    elif isinstance(node, ast.Return):
        if value is not None:
            return
    elif not isinstance(node, (ast.Raise, ast.AugAssign, ast.Continue, ast.Break)):
        return
    yield f"{type(node).__name__} → nothing", left_out
