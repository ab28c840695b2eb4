"""`python -m benchmarks`: run the cases, each in a process of its own, and write what was found.

python -m benchmarks                     all groups, up to 1,000,000 rows
python -m benchmarks --most 10000000     with the largest tables too
python -m benchmarks adult compile       some groups only
python -m benchmarks growth --resume     go on after a run that was interrupted
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.auto import WITH, WITHOUT
from benchmarks.cases import METHODS
from benchmarks.firsthour import TABLES
from benchmarks.lgb import METHODS as WAYS
from benchmarks.lgb import RULES
from benchmarks.mhsa import METHODS as FLAGGED
from benchmarks.page import write_page
from benchmarks.papergraph import METHODS as GRAPHS
from benchmarks.ratio import TABLES as RATIOS
from benchmarks.repair import REQUIRED
from benchmarks.rival import OURS, TOOLS
from benchmarks.scale import DEPTHS, ROWS, WIDTHS
from benchmarks.scale import METHODS as SCALED
from benchmarks.stream import DELAYS
from benchmarks.update import METHODS as UPDATED

RESULTS = Path(__file__).parent / "results.json"
PARTIAL = Path(__file__).parent / "partial.json"
COMPILED = (
    "ka", "mondrian", "k-member", "weighted-graph", "danonyir", "geneir", "lgb-mdp", "lgb-ncp",
    "auto", "hilbert", "top-down", "adjacency", "sd-mks3wd", "se-mks3wd", "ece-mks3wd", "qi-mhsa",
    "mondrian polish", "danonyir diverse", "weighted-graph diverse",
)  # fmt: skip
SIZES = (100_000, 1_000_000, 10_000_000)
# Seconds after which a case is shown as not done.
_LONGEST = {"scale.measure": 120.0}


def plan_of(most: int) -> dict[str, list[tuple[str, list[Any]]]]:
    """Which cases each group runs."""
    sizes = [n for n in SIZES if n <= most]
    return {
        "imports": [("imports", [])],
        "compile": [("compile", [method]) for method in COMPILED],
        "adult": [("adult", [method, k]) for k in (5, 10) for method in METHODS],
        "auto": [
            *(("auto.adult", [k]) for k in (5, 10)),
            *(
                ("auto.census", [n_quasi, hierarchies, method])
                for hierarchies, methods in ((False, WITHOUT), (True, WITH))
                for n_quasi in (11, 16)
                for method in methods
            ),
        ],
        "kernel": [("kernel", [n]) for n in sizes],
        "whole": [("whole", [n, form]) for form in ("csv", "parquet") for n in sizes],
        "shards": [
            ("shards.loss", [min(most, 2_000_000), 200_000]),
            *(("shards.one_shard", [n, form]) for form in ("csv", "parquet") for n in sizes[-1:]),
            *(
                ("shards.larger", [n, 1_000_000, workers])
                for n in (2_000_000, 10_000_000, 100_000_000)
                for workers in (1, 2)
                if n <= 10 * most and (workers == 1 or n < 100_000_000)
            ),
        ],
        "ladders": [("ladders", [n]) for n in sizes if n <= 1_000_000],
        "magic": [("magic", [])],
        "identity": [
            *(("identity.against_brute_force", [which]) for which in ("informs", "alike")),
            *(("identity.growth", [n]) for n in (5_000, 20_000, 50_000, 200_000)),
            *(("identity.whole", [which]) for which in ("informs", "diabetes")),
            ("identity.hitting", []),
        ],
        "hitting": [("identity.many_values", [least]) for least in (8, 10, 12)],
        "graph": [
            *(("papergraph.paper", [method, k]) for k in (2, 5, 10, 20) for method in GRAPHS),
            *(("graph.closeness", [200, k, 3, 40]) for k in (3, 5, 10)),
        ],
        "graph-adult": [
            ("papergraph.whole", [method, k])
            for k in (5, 10)
            for method in (*GRAPHS[2:], {"ka": {"climb": "lattice"}})
        ],
        "graph-large": [
            ("papergraph.large", [method, n])
            for n in sizes
            if n <= 1_000_000
            for method in ({"weighted-graph": {"weight": "loss"}}, "mondrian")
        ],
        "lgb": [("lgb.against_mondrian", [which]) for which in ("census", "adult")],
        "lgb-buckets": [
            ("lgb.buckets", [rule, n])
            for rule in RULES
            for n in (100_000, 300_000, 1_000_000)
            if n <= most
        ],
        "lgb-growth": [
            ("lgb.growth", [method, n])
            for method in WAYS
            for n in (31_055, 204_309, 1_000_000)
            if n <= most
        ],
        "lgb-loss": [("lgb.loss", [method, k]) for k in (5, 8, 10) for method in WAYS],
        "lgb-query": [("lgb.query", [])],
        "mhsa": [("mhsa.loss", [method, k]) for k in (5, 10, 25) for method in FLAGGED],
        "mhsa-growth": [
            ("mhsa.growth", [method, n])
            for method in ("qi-mhsa", "top-down")
            for n in (45_222, 200_000, 1_000_000)
            if n <= most
        ],
        "repair": [
            ("repair.merges", [required, n])
            for required in REQUIRED
            for n in (10_000, 40_000, 160_000)
        ],
        "bound": [("bound.adult", [k]) for k in (5, 10)],
        "hilbert": [("hilbert.large", [n]) for n in sizes],
        "polish": [("polish.adult", [k, 10]) for k in (5, 10)],
        "ratio": [("ratio.polished", [which]) for which in RATIOS],
        "growth": [("scale.measure", [method, n]) for method in SCALED for n in ROWS if n <= most],
        "width": [("scale.measure", [method, 50_000, n]) for method in SCALED for n in WIDTHS],
        "depth": [
            ("scale.measure", [method, 50_000, 8, k])
            for method in SCALED
            for k in DEPTHS
            # Two levels of personal k need room below the largest.
            if k > 3 or "mks3wd" not in str(method)
        ],
        "rivals": [
            *(("rival.ours", [*chosen, k]) for k in (5, 10, 25) for chosen in OURS),
            *(("rival.peer", [tool, k]) for k in (5, 10, 25) for tool in TOOLS),
        ],
        "speed": [
            ("speed.close_buckets", []),
            ("speed.stronger_level", []),
            ("speed.shared_value", []),
            *(("speed.divided", [order]) for order in ("content", "input")),
            *(("speed.large_lattice", [budget]) for budget in (20, 200)),
        ],
        "update": [
            *(("update.insert", [n, way]) for n in sizes if n <= 1_000_000 for way in UPDATED),
            ("update.drift", [min(most, 20_000), 100]),
            ("update.invariance", [min(most, 100_000), 20]),
            ("update.buckets", [min(most, 100_000), 20]),
        ],
        "stream": [
            *(("stream.throughput", [n]) for n in sizes[-2:]),
            *(("stream.loss", [200_000, delay]) for delay in DELAYS),
        ],
        "database": [("database.postgresql", [n]) for n in sizes if n <= 1_000_000],
        "spark": [
            *(
                ("spark.growth", [n, method])
                for n in (200_000, 2_000_000, 20_000_000)
                if n <= most
                for method in ("mondrian", "lgb-mdp")
            ),
            *(("spark.peer", [n]) for n in (20_000, 200_000, 2_000_000) if n <= most),
        ],
        "linkage": [("linkage.measure", [n]) for n in (0, 30_000, 100_000, 1_000_000) if n <= most],
        "report": [("report", [min(most, 1_000_000)])],
        "studio": [("studio.pages", [min(most, 1_000_000)])],
        "init": [("init.measure", [min(most, 1_000_000)]), ("init.wide", [2_000, 2_000])],
        "first-hour": [("firsthour.first_hour", [table]) for table in TABLES],
    }


def run_case(name: str, arguments: list[Any]) -> dict[str, Any]:
    """One case in a fresh interpreter; a name without a module is one of `cases`."""
    module, _, function = name.rpartition(".")
    module = module or "cases"
    code = (
        f"import json, sys; from benchmarks import {module}; "
        f"print(json.dumps({module}.{function}(*json.loads(sys.argv[1])), default=float))"
    )
    longest = _LONGEST.get(name)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, json.dumps(arguments)],
            capture_output=True,
            text=True,
            timeout=longest,
        )
    except subprocess.TimeoutExpired:
        return {"case": f"{name} {arguments}", "failed": f"not done after {longest:g} s"}
    if done.returncode:
        sys.stderr.write(done.stderr)
        return {"case": name, "failed": done.stderr.strip().splitlines()[-1:]}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def machine() -> dict[str, Any]:
    """What the numbers depend on, without naming the machine."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    libraries = ("polars", "numpy", "numba", "pyarrow")
    return {
        "cores": os.cpu_count(),
        "memory GiB": round(pages / 2**30, 1),
        "processor": _processor(),
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def run_groups(
    groups: list[str], most: int, *, resume: bool = False
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The chosen groups, case by case, told as they go: each with its rows so far.

    What was done is kept on the way.
    """
    done = json.loads(PARTIAL.read_text()) if resume and PARTIAL.exists() else {}
    for group, cases in plan_of(most).items():
        if groups and group not in groups:
            continue
        rows = []
        for name, arguments in cases:
            print(f"{group}: {name} {arguments}", file=sys.stderr, flush=True)
            key = json.dumps([group, name, arguments])
            row = done.get(key) or run_case(name, arguments)
            done[key] = row
            PARTIAL.write_text(json.dumps(done))
            print(group, json.dumps(row, default=float), flush=True)
            rows.append(row)
            yield group, rows


def main() -> None:
    """Run what the command line names, and write the results and their page."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--most", type=int, default=1_000_000, help="the largest number of rows")
    parser.add_argument("--resume", action="store_true", help="keep what an earlier run has done")
    arguments = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for group, rows in run_groups(arguments.groups, arguments.most, resume=arguments.resume):
        results[group] = rows
        results["machine"] = machine()
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    PARTIAL.unlink(missing_ok=True)
    write_page(results, Path(__file__).parents[1] / "docs")


if __name__ == "__main__":
    main()
