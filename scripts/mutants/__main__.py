"""Change the code that judges releases, one small thing at a time: does a test notice?

`make mutants` runs it over `verify`, `model` and the judging kernel. A mutant lives in the memory
of one forked process and no file is touched: the process runs the tests that mirror the changed
module and those that notes.toml adds, as far as they reach the change, the quickest first. What no
test notices is printed, and the end is a failure unless notes.toml explains why nothing could
notice it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scripts.mutants.change import Mutant
from scripts.mutants.trial import Module, end, find_survivors, spread

PROJECT = Path(__file__).parents[2]
SOURCE = PROJECT / "src" / "shoal"
JUDGES = ("verify", "model", "kernels/requirement.py", "kernels/hitting.py")
# Imported once, before the first fork; nothing of it imports what is changed. Polars starts its
# threads when it first computes, which is in the child.
HEAVY = (
    "numpy", "numba", "polars", "pydantic", "yaml", "pytest", "hypothesis.strategies",
    "shoal.reading.cell", "shoal.reading.encoding", "shoal.reading.label", "shoal.schema",
)  # fmt: skip


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
            modules.append(Module(SOURCE / name, name, tests + further.get(name, [])))
    return [module for module in modules if module.mutants]


def choose(mutants: list[Mutant], part: str, sample: int, seed: int) -> list[Mutant]:
    """Part i/n of them all, of which a seeded sample."""
    i, n = (int(number) for number in part.split("/"))
    chosen = mutants[i - 1 :: n]
    if sample and sample < len(chosen):
        kept = set(random.Random(seed).sample(range(len(chosen)), sample))
        chosen = [mutant for j, mutant in enumerate(chosen) if j in kept]
    return chosen


def run(
    modules: Sequence[Module], chosen: Sequence[Sequence[Mutant]], jobs: int
) -> Iterator[tuple[int, list[Mutant] | None, float]]:
    """Judge modules, as many at once as there are jobs: the number of each, who survived, seconds.

    None in place of survivors: the tests of that module fail as it is.
    """
    inner = max(1, jobs // len(modules))
    starts = {}
    with tempfile.TemporaryDirectory() as place:
        # Where tests put their own folders, so that these go as well.
        os.environ["PYTEST_DEBUG_TEMPROOT"] = place

        def judge(i: int) -> int:
            survivors = find_survivors(modules[i], chosen[i], inner)
            Path(place, f"{i}.json").write_text(json.dumps(survivors))
            return 0

        def start(i: int) -> int:
            starts[i] = time.monotonic()
            return os.fork() or end(lambda: judge(i))

        for i, _ in spread(jobs, len(modules), start):
            found = json.loads(Path(place, f"{i}.json").read_text())
            survivors = None if found is None else [chosen[i][j] for j in found]
            yield i, survivors, time.monotonic() - starts[i]


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
    notes = tomllib.loads(Path(__file__).with_name("notes.toml").read_text())
    modules = find_modules(given.modules, notes["tests"])
    mutants = [mutant for module in modules for mutant in module.mutants]
    chosen = choose(mutants, given.part, given.sample, given.seed)
    if given.list:
        print(*chosen, sep="\n")
        return 0
    _prepare()
    wanted: dict[str, list[Mutant]] = {}
    for mutant in chosen:
        wanted.setdefault(mutant.module, []).append(mutant)
    # The largest first, so that the last one to end is a small one.
    modules = [module for module in modules if module.name in wanted]
    modules.sort(key=lambda module: -len(wanted[module.name]))
    n_killed = n_explained = n_survivors = 0
    broken = []
    for i, survivors, seconds in run(modules, [wanted[each.name] for each in modules], given.jobs):
        name = modules[i].name
        if survivors is None:
            broken.append(name)
            continue
        left = [
            mutant
            for mutant in survivors
            if not any(explains(entry, mutant) for entry in notes["equivalent"])
        ]
        n_survivors += len(left)
        n_explained += len(survivors) - len(left)
        n_killed += len(wanted[name]) - len(survivors)
        print(f"{name}: {len(wanted[name])} mutants, {len(left)} survived, {seconds:.0f} s")
        print(*left, sep="\n", end="\n" if left else "", flush=True)
    print(
        f"{len(chosen)} of {len(mutants)} mutants: {n_killed} killed, {n_explained} explained, "
        f"{n_survivors} survived."
    )
    if broken:
        print("These have no tests, or tests that fail as they are:", *sorted(broken), sep="\n")
    return 1 if n_survivors or broken else 0


def _prepare() -> None:
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "POLARS_MAX_THREADS": "1"}
    # The verifier imports scipy, and would have a thread by that alone.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(PROJECT / "src"), str(PROJECT)]
    for name in HEAVY:
        importlib.import_module(name)


if __name__ == "__main__":
    sys.exit(main())
