"""The cases. Each is a function that returns one row of results, run in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks import data
from benchmarks.clock import Stages, best, peak, resident

Row = dict[str, Any]
METHODS: list[Any] = [
    "mondrian",
    {"mondrian": {"cut": "balanced"}},
    {"mondrian": {"cut": "median"}},
    {"ka": {"climb": "together"}},
    {"ka": {"climb": "lattice"}},
]


def name_of(method: Any) -> str:
    """A method and its options, short."""
    if isinstance(method, str):
        return method
    ((name, options),) = method.items()
    words = {True: "{}", False: "not {}"}
    shown = [words[v].format(k) if isinstance(v, bool) else str(v) for k, v in options.items()]
    return f"{name} {' '.join(shown)}"


def adult(method: Any, k: int) -> Row:
    """A whole run on Adult: cold (first in its process), warm, and every measure."""
    import shoal

    frame = data.adult()
    plan = {
        "attributes": data.adult_attributes(),
        "privacy": [{"k-anonymity": {"k": k}}],
        "method": method,
        "seed": 1,
    }
    start = time.perf_counter()
    release = shoal.run(plan, frame)
    cold = time.perf_counter() - start
    warm = best(lambda: shoal.run(plan, frame))
    floor = best(lambda: frame.group_by(data.QUASI).len())
    return {
        "method": name_of(method), "k": k, "rows": frame.height, "cold s": cold, "warm s": warm,
        "polars group_by s": floor, **dict(release.measures),
    }  # fmt: skip


def kernel(rows: int) -> Row:
    """The method alone beside one group_by and one sort of the same quasi-identifiers."""
    from shoal.method import KA, Mondrian, Task
    from shoal.model import KAnonymity
    from shoal.model.requirement import Requirements
    from shoal.plan import Plan
    from shoal.table import encode

    frame = data.synthetic(rows)
    privacy = [{"k-anonymity": {"k": 10}}]
    row: Row = {"rows": rows}
    group = best(lambda: frame.group_by(data.SYNTHETIC).len())
    row["polars group_by s"] = group
    row["polars sort s"] = best(lambda: frame.sort(data.SYNTHETIC), 1)
    for method, attributes in (
        (Mondrian(), data.synthetic_attributes()),
        (KA(), data.synthetic_ladder()),
    ):
        table = encode(frame, Plan.of({"attributes": attributes, "privacy": privacy}).schema)
        task = Task(table, Requirements.of([KAnonymity(k=10)], table), 1)
        method.partition(task)
        seconds = best(lambda m=method, t=task: m.partition(t))  # type: ignore[misc]
        row[f"{method.name} s"] = seconds
        row[f"{method.name} / group_by"] = seconds / group
    return row


def whole(rows: int, form: str) -> Row:
    """A whole run that writes: time by stage, and the peak of memory above the input."""
    from shoal._run import run

    frame = data.loaded(rows)
    plan = {
        "attributes": data.synthetic_attributes(),
        "privacy": [{"k-anonymity": {"k": 10}}],
        "method": "mondrian",
        "seed": 1,
    }
    run(plan, frame.head(2000))
    stages = Stages()
    before = resident()
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        output = {"folder": str(Path(folder) / "release"), "format": form}
        release = run({**plan, "output": output}, frame, progress=stages)
        seconds = time.perf_counter() - start
    s = stages.seconds
    making = s["mondrian"] + s["writing"] - s["verifying files"]
    checking = s["verifying"] + s["verifying files"]
    return {
        "rows": rows, "format": form, "whole s": seconds,
        "bytes a row above the input": (peak() - before) / rows,
        **{f"{stage} s": value for stage, value in s.items()},
        "verification / (method + writing)": checking / making,
        "glm": release.measures["glm"],
    }  # fmt: skip


def imports() -> Row:
    """`import shoal` after `import polars`, in fresh interpreters, and what it must not load."""
    code = (
        "import time; a = time.perf_counter(); import polars; b = time.perf_counter(); "
        "import shoal; c = time.perf_counter(); import sys; "
        "print(b - a, c - b, [m for m in ('numba', 'pyspark', 'starlette', 'pandas') "
        "if m in sys.modules])"
    )
    found = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            check=True).stdout.split(maxsplit=2) for _ in range(5)]  # fmt: skip
    return {
        "import polars s": min(float(f[0]) for f in found),
        "import shoal above it s": min(float(f[1]) for f in found),
        "loaded": found[0][2].strip(),
    }


# What a first run compiles for: the name of a method, and what the plan has besides k-anonymity.
_LEVELS = {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[4, 1], [3, 2]]}
_CLIMBS = ("geneir", "ka", "top-down", "sd-mks3wd", "se-mks3wd", "ece-mks3wd")


def _compiled_plan(case: str) -> dict[str, Any]:
    """A plan of a method; `diverse` also requires 2-diversity, `polish` takes steps afterwards."""
    method, _, more = case.partition(" ")
    quasi = {"role": "quasi", "hierarchy": "flat"} if method in _CLIMBS else "quasi"
    privacy: list[dict[str, Any]] = [{"k-anonymity": {"k": 3}}]
    if method.endswith("mks3wd"):
        privacy = [{"multi-level-k": _LEVELS}]
    if method.startswith("lgb-") or more == "diverse":
        privacy.append({"l-diversity": {"l": 2, "attribute": "s"}})
    attributes = {"a": quasi, "b": quasi, "s": "sensitive"}
    if method.endswith("mks3wd"):
        attributes["f"] = "sensitivity"
    plan = {"attributes": attributes, "seed": 1, "method": method, "privacy": privacy}
    return {**plan, "polish": {"steps": 50}} if more == "polish" else plan


def compile(method: str) -> Row:
    """The first run ever of a method (empty cache), the first one of a process, and the next."""
    plan = _compiled_plan(method)
    drop = "" if "f" in plan["attributes"] else ".drop('f')"
    code = (
        "import os, time, polars as pl, shoal\n"
        "f = pl.DataFrame({'a': list(range(50)) * 4, 'b': list('xy') * 100, 's': [1, 2] * 100,"
        f" 'f': [i / 200 for i in range(200)]}}){drop}\n"
        f"p = {plan!r}\n"
        "t, c = time.perf_counter(), time.process_time(); shoal.run(p, f)\n"
        "u, d = time.perf_counter(), time.process_time(); shoal.run(p, f)\n"
        "print(u - t, d - c, time.perf_counter() - u)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "SHOAL_CACHE": cache}
        found = [
            [float(x) for x in subprocess.run([sys.executable, "-c", code], capture_output=True,
                                              text=True, check=True, env=environment
                                              ).stdout.split()] for _ in range(2)
        ]  # fmt: skip
    return {
        "method": method,
        "first run ever s": found[0][0],
        "of it processor s": found[0][1],
        "first run of a process, cached s": found[1][0],
        "second run s": found[1][2],
        "compiling s": found[0][0] - found[1][0],
    }


def report(rows: int) -> Row:
    """The report of a large release: seconds and bytes."""
    from shoal._run import run
    from shoal.folder.manifest import manifest_of
    from shoal.report import release_report

    frame = data.synthetic(rows)
    plan = {
        "attributes": data.synthetic_attributes(),
        "privacy": [{"k-anonymity": {"k": 10}}],
        "seed": 1,
    }
    release = run(plan, frame)
    manifest = manifest_of(release)
    page = ""

    def make() -> None:
        nonlocal page
        page = release_report(manifest, release.coded)

    seconds = best(make, 2)
    return {"rows": rows, "report s": seconds, "report MB": len(page.encode()) / 1e6}


def frame_size(frame: pl.DataFrame) -> float:
    """Bytes a row that a frame takes in memory."""
    return frame.estimated_size() / max(frame.height, 1)


LEVELS = [[10, 1], [9, 2], [8, 3], [7, 4], [6, 5]]
THRESHOLDS = [[1 - t / 10, t / 10] for t in range(1, 6)]
SCHEMES = ("ka", "sd-mks3wd", "se-mks3wd", "ece-mks3wd")


def ladders(rows: int) -> Row:
    """KA and the schemes of MKS3WD: 6 quasi-identifiers, 4 levels, 5 granularity levels."""
    frame = data.sensitive(rows)
    level_1 = frame.select(data.LADDER_QUASI)
    group = best(lambda: level_1.group_by(data.LADDER_QUASI).len())
    row: Row = {"rows": rows, "polars group_by s": group}
    for name in SCHEMES:
        method, task = _ladder_task(name, frame, data.ladder_attributes(), 10)
        method.partition(task)
        row[f"{name} s"] = best(lambda m=method, t=task: m.partition(t))  # type: ignore[misc]
    row["ka / group_by"] = row["ka s"] / group
    for name in SCHEMES[1:]:
        row[f"{name} / ka"] = row[f"{name} s"] / row["ka s"]
    return row


def magic() -> Row:
    """The schemes of MKS3WD on MAGIC (19,020 rows), as in the paper: whole runs, warm."""
    import shoal

    frame, attributes = data.magic()
    row: Row = {"rows": frame.height}
    for name in SCHEMES:
        privacy = (
            [{"k-anonymity": {"k": 10}}]
            if name == "ka"
            else [{"multi-level-k": {"thresholds": THRESHOLDS, "levels": LEVELS}}]
        )
        plan = {"attributes": attributes, "privacy": privacy, "seed": 1}
        plan["method"] = {name: {"climb": "together"}}
        release = shoal.run(plan, frame)
        row[f"{name} s"] = best(lambda p=plan: shoal.run(p, frame))  # type: ignore[misc]
        row[f"{name} ilr"] = release.measures["ilr"]
    return row


def _ladder_task(name: str, frame: pl.DataFrame, attributes: Any, k: int) -> tuple[Any, Any]:
    from shoal.method import METHODS as REGISTERED
    from shoal.method import Task
    from shoal.model import KAnonymity, MultiLevelK
    from shoal.model.requirement import Requirements
    from shoal.plan import Plan
    from shoal.table import encode

    privacy = [{"k-anonymity": {"k": k}}]
    table = encode(frame, Plan.of({"attributes": attributes, "privacy": privacy}).schema)
    model = (
        KAnonymity(k=k) if name == "ka" else MultiLevelK(thresholds=THRESHOLDS, levels=LEVELS)  # type: ignore[arg-type]
    )
    return REGISTERED[name](climb="together"), Task(table, Requirements.of([model], table), 1)
