"""Other tools on Adult, each in an environment of its own, beside our methods in the same run."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks import data
from benchmarks.environment import RIVALS, Unavailable, python_of
from shoal.reading.label import STAR

Row = dict[str, Any]
TOOLS = ("anonypy", "polarfrost", "anonymity-api", "anjana", "python-anonymity", "crowds")
# Our methods, with the hierarchies of ARX or, like some of the others, with ranges and sets.
OURS: list[tuple[Any, bool]] = [
    ("auto", True), ({"ka": {"climb": "lattice"}}, True), ("mondrian", True), ("hilbert", True),
    ("auto", False), ("mondrian", False), ("hilbert", False),
]  # fmt: skip
NUMBERS = ["age"]
SECONDS = 120


def ours(method: Any, hierarchies: bool, k: int) -> Row:
    """One of our methods, warm."""
    import shoal
    from benchmarks.cases import name_of

    frame = data.adult()
    attributes = data.adult_attributes() if hierarchies else dict.fromkeys(data.QUASI, "quasi")
    plan = {
        "attributes": attributes, "privacy": [{"k-anonymity": {"k": k}}],
        "method": method, "seed": 1,
    }  # fmt: skip
    shoal.run(plan, frame)
    start = time.perf_counter()
    release = shoal.run(plan, frame)
    seconds = time.perf_counter() - start
    shown = release.frame.select(data.QUASI).with_columns(pl.lit(1).alias("count"))
    form = "" if hierarchies else ", ranges and sets"
    return {"tool": f"shoal {name_of(method)}{form}", **judge(shown, frame, k), "seconds": seconds}


def peer(tool: str, k: int, seconds: float = SECONDS) -> Row:
    """Another tool, the time of its own call alone; what fails or breaks its promise is said."""
    row: Row = {"tool": tool, "k": k}
    try:
        python = python_of(tool)
    except Unavailable as error:
        return {**row, "result": str(error)}
    frame = data.adult()
    with tempfile.TemporaryDirectory() as folder:
        job = _job(frame, k, Path(folder))
        command = [str(python), str(RIVALS / "peer.py"), tool, str(job)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return {**row, "result": f"not done after {seconds:g} s"}
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["no words"])[-1]
            return {**row, "result": f"fails: {why[:100]}"}
        shown = pl.read_csv(Path(folder) / "published.csv", infer_schema=False)
        took = json.loads(done.stdout.splitlines()[-1])["seconds"]
    if not shown.height:
        return {**row, "result": "publishes an empty table", "seconds": took}
    return {"tool": tool, **judge(shown, frame, k), "seconds": took}


def judge(shown: pl.DataFrame, frame: pl.DataFrame, k: int) -> Row:
    """What a published table keeps of its promise, and what it loses; a lost row loses all."""
    counts = shown.with_columns(pl.col("count").cast(pl.Int64))
    classes = counts.group_by(data.QUASI).agg(pl.col("count").sum())
    least, rows = int(classes["count"].min() or 0), int(classes["count"].sum())
    lost = 0.0
    for name in data.QUASI:
        shares = {label: share_lost(label, name, frame) for label in classes[name].unique()}
        lost += sum(
            shares[label] * n for label, n in classes.select(name, "count").iter_rows()
        )  # fmt: skip
    n = frame.height
    kept = "holds" if least >= k else f"BROKEN: a class of {least}"
    if rows > n:
        kept += f"; {rows - n} rows too many"
    return {
        "k": k, "result": kept, "rows published": rows, "classes": classes.height,
        "smallest class": least,
        "glm": (lost + max(n - rows, 0) * len(data.QUASI)) / n / len(data.QUASI),
    }  # fmt: skip


def share_lost(label: str, name: str, frame: pl.DataFrame) -> float:
    """What a label leaves open, by `glm`: of values, of a range, or of the leaves of its node."""
    values = frame[name].cast(pl.String).unique()
    if label == STAR:
        return 1.0
    if label in values:
        return 0.0
    if label.startswith("{"):
        return label.count(", ") / max(len(values) - 1, 1)
    if label.startswith("["):
        ends = [float(end) for end in label.strip("[]").split(", ")]
        numbers = values.cast(pl.Float64)
        return (ends[1] - ends[0]) / float(numbers.max() - numbers.min())  # type: ignore[operator]
    leaves = {row[0] for row in hierarchy(name) if label in row} & set(values)
    return (len(leaves) - 1) / max(len(values) - 1, 1)


def hierarchy(name: str) -> list[list[str]]:
    """The rows of an ARX hierarchy."""
    path = data.adult_attributes()[name]["hierarchy"]
    return [line.split(";") for line in Path(path).read_text(encoding="utf-8").splitlines() if line]


def _job(frame: pl.DataFrame, k: int, folder: Path) -> Path:
    frame.write_csv(folder / "table.csv")
    job = {
        "table": str(folder / "table.csv"), "output": str(folder / "published.csv"),
        "quasi": data.QUASI, "numbers": NUMBERS, "k": k,
        "words": [name for name in data.QUASI if name not in NUMBERS],
        "hierarchies": {name: hierarchy(name) for name in data.QUASI},
    }  # fmt: skip
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    return path
