"""Change the code that judges releases, one small thing at a time: does a test notice?

`make mutants` runs it over `verify`, `model` and the judging kernel. A mutant lives in the memory
of one forked process and no file is touched: the process imports the changed module and runs the
tests that mirror it and those that scripts/mutants.toml adds: first the ones that reach the changed
line, the quickest first, and the others only where these notice nothing. What no test notices is
printed, and the end is a failure unless scripts/mutants.toml explains why nothing could notice it.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src" / "shoal"
JUDGES = ("verify", "model", "kernels/requirement.py", "kernels/hitting.py")
# Imported once, before the first fork; nothing of it imports what is changed. Polars starts its
# threads when it first computes, which is in the child.
HEAVY = (
    "numpy", "numba", "polars", "pydantic", "yaml", "pytest", "hypothesis.strategies",
    "shoal.reading.cell", "shoal.reading.encoding", "shoal.reading.label", "shoal.schema",
)  # fmt: skip
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
# Seconds of the processor's time, so that a busy machine ends no mutant; the clock only a hung one.
_LEAST_SECONDS, _TIMES_SLOWER, _TIMES_HUNG = 5.0, 3.0, 20.0


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


class Changed(importlib.machinery.SourceFileLoader):
    """Imports one module from a changed tree in place of its file."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        super().__init__(name, str(path))
        self.code = compile(tree, str(path), "exec")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        return self.code


class Reach:
    """A pytest plugin that notes which lines of a file each test runs, and its seconds."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.lines: set[int] = set()
        self.found: dict[str, tuple[float, list[int]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self.lines = set()
        start = time.perf_counter()
        sys.settrace(self._trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.found[item.nodeid] = (time.perf_counter() - start, sorted(self.lines))

    def _trace(self, frame: FrameType, event: str, value: Any) -> Any:
        return self._note if frame.f_code.co_filename == self.path else None

    def _note(self, frame: FrameType, event: str, value: Any) -> Any:
        self.lines.add(frame.f_lineno)
        return self._note


class Chosen:
    """A pytest plugin that runs some tests first, in the order given, and the others after them."""

    def __init__(self, first: Sequence[str]) -> None:
        self.order = {name: i for i, name in enumerate(first)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self.order.get(item.nodeid, len(self.order)))


@dataclass
class Module:
    """A module with its tree, its mutants, its tests, and the seconds that they may take."""

    name: str
    tests: list[str]
    seconds: float = 0.0
    reach: Mapping[str, tuple[float, list[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.path = SOURCE / self.name
        text = self.path.read_text()
        self.tree = ast.parse(text)
        self.mutants = list(find_mutants(self.name, self.tree, text.splitlines()))

    def start(self, mutant: Mutant | None) -> int:
        """Fork a process that runs the tests on a mutant, and end it when its time is over."""
        pid = os.fork()
        if pid:
            return pid
        code = 3
        try:
            signal.setitimer(signal.ITIMER_PROF, self.seconds)
            signal.setitimer(signal.ITIMER_REAL, self.seconds * _TIMES_HUNG)
            if mutant is not None:
                mutant.apply()
                silence = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silence, 1)
                os.dup2(silence, 2)
            dotted = ".".join(("shoal", *Path(self.name).with_suffix("").parts))
            sys.meta_path.insert(0, Changed(dotted.removesuffix(".__init__"), self.path, self.tree))
            if mutant is None:
                code = self._trace()
            else:
                code = _run_tests(self.tests, Chosen(self.reaching(mutant.number)))
        finally:
            os._exit(code)

    def measure(self) -> bool:
        """Whether the tests pass on the module as it is; sets how long they may take."""
        with tempfile.TemporaryDirectory() as place:
            self.notes = Path(place) / "reach.json"
            _, status, used = os.wait4(self.start(None), 0)
            self.reach = json.loads(self.notes.read_text()) if status == 0 else {}
        self.seconds = max(_LEAST_SECONDS, _TIMES_SLOWER * (used.ru_utime + used.ru_stime))
        return status == 0

    def _trace(self) -> int:
        reach = Reach(self.path)
        code = _run_tests(self.tests, reach)
        self.notes.write_text(json.dumps(reach.found))
        return code

    def reaching(self, line: int) -> list[str]:
        """The tests that run a line, the quickest first."""
        return sorted(
            (name for name, (_, lines) in self.reach.items() if line in lines),
            key=lambda name: self.reach[name][0],
        )


def _run_tests(tests: Sequence[str], plugin: object) -> int:
    options = ["-x", "-q", "--no-header", "--tb=no", "--assert=plain", "-p", "no:cacheprovider"]
    options += ["-o", "addopts=", "--import-mode=importlib", "-m", "not slow and not system"]
    # Kernels that hash overflow on purpose; only the interpreter warns of it.
    options += ["-W", "ignore:overflow encountered:RuntimeWarning"]
    return int(pytest.main([*options, *tests], plugins=[plugin]))


def find_modules(wanted: Sequence[str], further: Mapping[str, list[str]]) -> list[Module]:
    """The modules that judge, or those whose path has one of these words in it."""
    paths = [
        path
        for judge in JUDGES
        for path in ([SOURCE / judge] if judge.endswith(".py") else (SOURCE / judge).rglob("*.py"))
    ]
    modules = []
    for name in sorted(path.relative_to(SOURCE).as_posix() for path in paths):
        mirror = Path("tests", name).with_name(f"test_{Path(name).name}")
        tests = [mirror.as_posix()] if (PROJECT / mirror).exists() else []
        if not wanted or any(word in name for word in wanted):
            modules.append(Module(name, tests + further.get(name, [])))
    return [module for module in modules if module.mutants]


def choose(mutants: list[Mutant], part: str, sample: int, seed: int) -> list[Mutant]:
    """Part i/n of them all, of which a seeded sample."""
    i, n = (int(number) for number in part.split("/"))
    chosen = mutants[i - 1 :: n]
    if sample and sample < len(chosen):
        kept = set(random.Random(seed).sample(range(len(chosen)), sample))
        chosen = [mutant for j, mutant in enumerate(chosen) if j in kept]
    return chosen


def run(modules: Sequence[Module], chosen: Sequence[Mutant], jobs: int) -> Iterator[Mutant]:
    """Run mutants, as many at once as there are jobs, and yield those that no test notices."""
    by_name = {module.name: module for module in modules}
    running: dict[int, Mutant] = {}
    for i, mutant in enumerate([*chosen, *[None] * jobs]):
        if len(running) >= jobs or (mutant is None and running):
            pid, status = os.wait()
            ended = running.pop(pid)
            if status == 0:
                yield ended
        if mutant is not None:
            running[by_name[mutant.module].start(mutant)] = mutant
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{i + 1}/{len(chosen)} {mutant.module}\x1b[K")


def explains(entry: Mapping[str, str], mutant: Mutant) -> bool:
    """Whether an entry of `equivalent` is about this mutant; what it leaves out may be anything."""
    return (
        entry.get("module") in (None, mutant.module)
        and entry["line"] in mutant.line
        and entry.get("change") in (None, mutant.change)
    )


def main() -> int:
    """Run what is asked for; 1 where a mutant survives that nothing explains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="words of module paths; left out: all")
    parser.add_argument("--part", default="1/1", help="i/n: every n-th mutant, from the i-th")
    parser.add_argument("--sample", type=int, default=0, help="this many of them; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    given = parser.parse_args()
    os.chdir(PROJECT)
    notes = tomllib.loads((PROJECT / "scripts" / "mutants.toml").read_text())
    modules = find_modules(given.modules, notes["tests"])
    mutants = [mutant for module in modules for mutant in module.mutants]
    chosen = choose(mutants, given.part, given.sample, given.seed)
    if given.list:
        print(*chosen, sep="\n")
        return 0
    _prepare()
    used = {mutant.module for mutant in chosen}
    modules = [module for module in modules if module.name in used]
    broken = [module.name for module in modules if not module.tests or not module.measure()]
    if broken:
        print("These have no tests, or tests that fail as they are:", *broken, sep="\n")
        return 1
    survivors = []
    n_explained = 0
    for mutant in run(modules, chosen, given.jobs):
        if any(explains(entry, mutant) for entry in notes["equivalent"]):
            n_explained += 1
        else:
            survivors.append(mutant)
            print(mutant, flush=True)
    n_killed = len(chosen) - n_explained - len(survivors)
    print(
        f"{len(chosen)} of {len(mutants)} mutants run: {n_killed} killed, {n_explained} explained, "
        f"{len(survivors)} survived."
    )
    return 1 if survivors else 0


def _prepare() -> None:
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "POLARS_MAX_THREADS": "1"}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(PROJECT / "src"), str(PROJECT)]
    for name in HEAVY:
        importlib.import_module(name)


if __name__ == "__main__":
    sys.exit(main())
