"""Run the tests of a module on its mutants, each in a forked process of its own.

One process, the nursery, imports the tests once. A mutant inside a function is a fork of it in
which that function has another code object, so that nothing is imported again. What runs when a
module is imported (constants, defaults, class bodies) cannot be exchanged so: such a mutant has a
process that imports the changed module before the tests. So has every mutant of a module whose
tests start threads when they are imported, which no fork would have.
"""

from __future__ import annotations

import ast
import gc
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from scripts.mutants.change import Mutant, find_mutants

# Seconds of the processor's time, so that a busy machine ends no mutant; the clock only a hung one.
_LEAST_SECONDS, _TIMES_SLOWER, _TIMES_HUNG = 5.0, 3.0, 20.0
_SURVIVED, _KILLED, _NEEDS_IMPORT = 0, 1, 77
_OPTIMIZED = 1  # the flag of code of functions, which class bodies and modules lack

Places = Mapping[str, tuple[float, list[int]]]


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


class NeedsImport(Exception):
    """A change of code that has run already, when the module was imported."""


def changed_functions(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions in which two versions of a module or class body differ, outermost alone."""
    if _without_inner(old) != _without_inner(new):
        raise NeedsImport
    for before, after in zip(_inner(old), _inner(new), strict=True):
        if before == after:
            continue
        if before.co_flags & _OPTIMIZED:
            yield before, after
        else:
            yield from changed_functions(before, after)


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _without_inner(code: CodeType) -> CodeType:
    rest = tuple(None if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=rest)


def exchange(path: Path, old: CodeType, new: CodeType) -> None:
    """Give every living function of a module the code that it has in the changed module."""
    living: dict[tuple[str, int], list[FunctionType]] = {}
    for each in gc.get_objects():
        # Not isinstance: there may be proxies of what is gone, and asking these raises.
        if type(each) is FunctionType and each.__code__.co_filename == str(path):
            key = each.__code__.co_qualname, each.__code__.co_firstlineno
            living.setdefault(key, []).append(each)
    for before, after in changed_functions(old, new):
        functions = living.get((before.co_qualname, before.co_firstlineno), [])
        # A lambda or a comprehension that has been used up, or other names from around it.
        if not functions or before.co_freevars != after.co_freevars:
            raise NeedsImport
        for function in functions:
            function.__code__ = after


class Tracer:
    """Notes which lines of a file run, in threads too."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.lines: set[int] = set()

    def __enter__(self) -> Tracer:
        self.lines = set()
        # What runs in a thread from before cannot be seen, so it may be any line.
        if threading.active_count() > 1:
            self.lines.update(range(1, len(Path(self.path).read_text().splitlines()) + 1))
        threading.settrace(self._trace)
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def _trace(self, frame: FrameType, event: str, value: Any) -> Any:
        return self._note if frame.f_code.co_filename == self.path else None

    def _note(self, frame: FrameType, event: str, value: Any) -> Any:
        self.lines.add(frame.f_lineno)
        return self._note


@dataclass
class Module:
    """A module with its tree, its mutants, its tests, and the seconds that they take."""

    path: Path
    name: str
    tests: list[str]
    seconds: float = 0.0
    reach: Places = field(default_factory=dict)
    # The lines that have run when the tests are imported.
    imported: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        text = self.path.read_text()
        self.tree = ast.parse(text)
        self.code = compile(self.tree, str(self.path), "exec")
        self.mutants = list(find_mutants(self.name, self.tree, text.splitlines()))
        self.functions = [
            range(node.lineno, (node.end_lineno or node.lineno) + 1)
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        ]

    @property
    def dotted(self) -> str:
        """The name by which the module is imported."""
        parts = Path(self.name).with_suffix("").parts
        return ".".join(("shoal", *parts)).removesuffix(".__init__")

    def runs_on_import(self, line: int) -> bool:
        """Whether a line has run before the first test does."""
        return line in self.imported or not any(line in lines for lines in self.functions)

    def reaching(self, line: int) -> list[str]:
        """The tests that run a line, the quickest first, then those that run its function.

        Other tests cannot notice a change of that line, unless it runs on import. A statement of
        several lines is noted by some of them alone, which is why the whole function counts.
        """
        if self.runs_on_import(line):
            return sorted(self.reach, key=lambda name: self.reach[name][0])
        around = {each for lines in self.functions if line in lines for each in lines}
        near = {
            name: (line not in lines, seconds)
            for name, (seconds, lines) in self.reach.items()
            if line in lines or not around.isdisjoint(lines)
        }
        return sorted(near, key=near.__getitem__)

    def passes(self, names: Sequence[str], items: Mapping[str, pytest.Item]) -> bool:
        """Whether tests pass, one after the other, each within some times the seconds it needs."""
        for i, name in enumerate(names):
            limit(self.reach[name][0])
            following = items[names[i + 1]] if i + 1 < len(names) else None
            if not _passes(items[name], following):
                return False
        return True


class Nursery:
    """A pytest plugin that runs no test itself: its forks do, one for each mutant."""

    def __init__(
        self, module: Module, mutants: Sequence[Mutant], jobs: int, tell: Callable[[Any], None]
    ) -> None:
        self.module = module
        self.mutants = mutants
        self.jobs = jobs
        self.tell = tell
        self.tracer = Tracer(module.path)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        self.tracer.__enter__()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.tracer.__exit__()
        self.module.imported = self.tracer.lines
        # The threads of a library do not live on in a fork, which would wait for them.
        threaded = len(list(Path("/proc/self/task").iterdir())) > 1
        if session.testsfailed or not self._measure(session.items, threaded):
            return True
        notes = {"reach": self.module.reach, "seconds": self.module.seconds}
        self.tell(notes | {"imported": sorted(self.module.imported)})
        ends = spread(self.jobs, len(self.mutants), self._start(session))
        if threaded:
            ends = ((i, _NEEDS_IMPORT) for i in range(len(self.mutants)))
        for i, status in ends:
            self.tell({"mutant": i, "status": status})
        return True

    def _measure(self, items: Sequence[pytest.Item], here: bool) -> bool:
        """Whether the tests pass as they are; notes what each of them reaches, and the time."""
        if here:
            self.module.reach, good = _trace(self.module.path, items)
            self.module.seconds = time.process_time()
            return good
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(reading)
            end(lambda: self._write_trace(items, writing))
        os.close(writing)
        with os.fdopen(reading) as stream:
            text = stream.read()
        _, status, used = os.wait4(pid, 0)
        if status:
            return False
        self.module.reach = json.loads(text)
        self.module.seconds = used.ru_utime + used.ru_stime
        return True

    def _write_trace(self, items: Sequence[pytest.Item], writing: int) -> int:
        found, good = _trace(self.module.path, items)
        with os.fdopen(writing, "w") as stream:
            json.dump(found, stream)
        return 0 if good else 1

    def _start(self, session: pytest.Session) -> Callable[[int], int]:
        by_name = {item.nodeid: item for item in session.items}

        def judge(mutant: Mutant) -> int:
            if self.module.runs_on_import(mutant.number):
                return _NEEDS_IMPORT
            limit(0)
            mutant.apply()
            new = compile(self.module.tree, str(self.module.path), "exec")
            try:
                exchange(self.module.path, self.module.code, new)
            except NeedsImport:
                return _NEEDS_IMPORT
            names = self.module.reaching(mutant.number)
            return _SURVIVED if self.module.passes(names, by_name) else _KILLED

        def start(i: int) -> int:
            return os.fork() or end(lambda: judge(self.mutants[i]))

        return start


def _trace(path: Path, items: Sequence[pytest.Item]) -> tuple[Places, bool]:
    """What each test reaches of a file with its seconds, and whether all of them pass."""
    found: dict[str, tuple[float, list[int]]] = {}
    good = True
    for item, following in zip(items, [*items[1:], None], strict=True):
        tracer = Tracer(path)
        start = time.perf_counter()
        with tracer:
            good &= _passes(item, following)
        found[item.nodeid] = (time.perf_counter() - start, sorted(tracer.lines))
    return found, good


def _passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    return not any(report.failed for report in runtestprotocol(item, False, following))


def limit(seconds: float) -> None:
    """End this process when it takes much longer than this."""
    most = max(_LEAST_SECONDS, _TIMES_SLOWER * seconds)
    signal.setitimer(signal.ITIMER_PROF, most)
    signal.setitimer(signal.ITIMER_REAL, most * _TIMES_HUNG)


def end(work: Callable[[], int]) -> int:
    """Do the work of a fork and end it, whatever happens."""
    code = 3
    try:
        code = work()
    finally:
        os._exit(code)


def spread(jobs: int, n: int, start: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """Start n processes, some at once, and yield the number of each with how it ended."""
    running: dict[int, int] = {}
    for i in range(n + jobs):
        if running and (i >= n or len(running) >= jobs):
            pid, status = os.wait()
            code = os.waitstatus_to_exitcode(status)
            yield running.pop(pid), code
        if i < n:
            running[start(i)] = i


def find_survivors(module: Module, mutants: Sequence[Mutant], jobs: int) -> list[int] | None:
    """The mutants that no test notices; None where the tests fail without any change."""
    if not module.tests:
        return None
    ends = _grow(module, mutants, jobs)
    if ends is None:
        return None
    later = [i for i, status in ends.items() if status == _NEEDS_IMPORT]
    alive = [i for i, status in ends.items() if status == _SURVIVED]

    def start(j: int) -> int:
        return os.fork() or end(lambda: _import(module, mutants[later[j]]))

    alive += [later[j] for j, status in spread(jobs, len(later), start) if status == _SURVIVED]
    return sorted(alive)


def _grow(module: Module, mutants: Sequence[Mutant], jobs: int) -> dict[int, int] | None:
    """How each mutant ends in the nursery, which is a fork as well: it has imported the module."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        stream = os.fdopen(writing, "w")

        def tell(message: Any) -> None:
            stream.write(json.dumps(message) + "\n")
            stream.flush()

        end(lambda: _run_tests(module.tests, Nursery(module, mutants, jobs, tell)))
    os.close(writing)
    ends: dict[int, int] = {}
    with os.fdopen(reading) as lines:
        for line in lines:
            message = json.loads(line)
            if "reach" in message:
                module.reach, module.seconds = message["reach"], message["seconds"]
                module.imported = set(message["imported"])
            else:
                ends[message["mutant"]] = message["status"]
    os.waitpid(pid, 0)
    return ends if len(ends) == len(mutants) else None


def _import(module: Module, mutant: Mutant) -> int:
    limit(module.seconds)
    mutant.apply()
    sys.meta_path.insert(0, Changed(module.dotted, module.path, module.tree))
    names = module.reaching(mutant.number)
    return _run_tests(module.tests, Chosen(names)) if names else _SURVIVED


class Chosen:
    """A pytest plugin that runs these tests alone, in this order."""

    def __init__(self, names: Sequence[str]) -> None:
        self.place = {name: i for i, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.place]
        items.sort(key=lambda item: self.place[item.nodeid])


def _run_tests(tests: Sequence[str], plugin: object) -> int:
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    options = ["-x", "-q", "--no-header", "--tb=no", "--assert=plain", "-p", "no:cacheprovider"]
    options += ["-o", "addopts=", "--import-mode=importlib", "-m", "not slow and not system"]
    # What one fork writes another would read, were there one file for all that tests print.
    options += ["--capture=no"]
    # Kernels that hash overflow on purpose; only the interpreter warns of it.
    options += ["-W", "ignore:overflow encountered:RuntimeWarning"]
    return int(pytest.main([*options, *tests], plugins=[plugin]))
