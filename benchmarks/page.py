"""The docs page of the results: tables, growth, and two plots."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from benchmarks.cost import cost_text

Rows = list[dict[str, Any]]
# What varies in a group of runs by every method.
_SCALES = {"growth": "rows", "width": "quasi-identifiers", "depth": "k"}


def write_page(results: dict[str, Any], docs: Path) -> None:
    """docs/benchmarks.md, and its pictures."""
    parts = [
        "# Benchmarks",
        "Made by `make bench` (`make bench ARGS='--most 10000000'` for the largest tables); never "
        "edited by hand. Ratios are within one run: the same machine gives times that differ by a "
        "factor of two from day to day.",
        "## Machine",
        _table([results.get("machine", {})]),
    ]
    titles = {
        "imports": "Importing",
        "compile": "Compiling",
        "adult": "Adult: 30,162 rows, 9 quasi-identifiers, ARX hierarchies",
        "auto": "auto and other methods: Adult, and 11 and 16 quasi-identifiers of the census",
        "kernel": "Methods alone, synthetic rows with 8 quasi-identifiers, k = 10",
        "shards": "Shards: their loss, whole runs and their method, tables larger than memory",
        "whole": "Whole runs that write and verify, synthetic rows, k = 10",
        "ladders": "Ladders: 6 quasi-identifiers, 4 levels, 5 granularity levels",
        "magic": "MKS3WD on MAGIC, whole runs",
        "identity": "Identity: DAnonyIR (eir-l, l = 6) against brute force, its growth, whole runs",
        "hitting": "Identity: eir-l of 2,000 people with 8 of 60 values each",
        "graph": "Graph methods on the paper's 1,427 rows, and compared with many restarts on 200",
        "graph-adult": "Graph methods on Adult (as above)",
        "graph-large": "weighted-graph and mondrian on synthetic rows, k = 10",
        "lgb": "LGB: lgb-mdp and mondrian on the census (204,309 rows) and Adult, 20 % secret",
        "lgb-buckets": "LGB: bucketing compared with one sort",
        "lgb-growth": "LGB: the methods alone on the census, k = 10",
        "lgb-loss": "LGB: what releases of 31,055 rows of the census lose",
        "lgb-query": "LGB: one query on the release of the census",
        "mhsa": "QI-MHSA and Top-Down on Adult: 45,222 rows, 5 quasi-identifiers, l = 3",
        "mhsa-growth": "QI-MHSA and Top-Down alone on rows like Adult's, k = 5, l = 3",
        "repair": "Repair: classes of four that must merge, 4 quasi-identifiers, and a sort",
        "bound": "The certified bound on Adult",
        "polish": "Polish on Adult, and the bound",
        "hilbert": "hilbert on synthetic rows",
        "rivals": "Other tools on Adult, each in an environment of its own, and our methods",
        "ratio": "Polished releases and the certified bound, k = 5",
        "growth": "Growth with rows, synthetic, 8 quasi-identifiers, k = 10",
        "width": "Growth with quasi-identifiers, synthetic, 50,000 rows, k = 10",
        "depth": "Growth with k, synthetic, 50,000 rows, 8 quasi-identifiers",
        "update": "Updates: a hundredth more against full runs, a hundred in a row, m-invariance",
        "stream": "Streams: rows a second, memory, and what windows lose compared with one run",
        "database": "Reading a table from PostgreSQL",
        "spark": "Spark on two threads compared with this machine and with polarfrost",
        "speed": "What was slow once: growth on tables that are hard for a method",
        "report": "Reports",
        "studio": "The studio: milliseconds of each page, the median and the slowest of nine",
        "linkage": "Linkage by containment of all people of a release (`shoal.attack`), k = 5",
        "init": "`shoal init`",
        "first-hour": "`shoal init`, then `shoal run` as it is",
    }
    for group, title in titles.items():
        rows = results.get(group)
        if rows:
            parts += [f"## {title}", _table(rows)]
            parts += _growth(rows) if group in ("kernel", "whole", "ladders") else []
            parts += _spark_growth(rows) if group == "spark" else []
            if group in _SCALES:
                parts += _scaled(rows, group, _SCALES[group], docs)
    parts += _plots(results, docs)
    _write_first_hour(results.get("first-hour", []), docs / "init.md")
    _write_between(docs / "spark.md", "cost", cost_text(results, _table))
    (docs / "benchmarks.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _write_first_hour(rows: Rows, page: Path) -> None:
    """Put the table of first plans between the marks on its page."""
    if not rows:
        return
    shown = [
        {
            name: row.get(name)
            for name in (
                "table", "rows", "columns", "quasi-identifiers", "secrets", "left to decide",
                "expected", "loss", "most lost", "* cells", "warnings", "init s", "run s",
            )
        }
        for row in rows
    ]  # fmt: skip
    _write_between(page, "first hour", [_table(shown)])


def _write_between(page: Path, name: str, parts: list[str]) -> None:
    """Put paragraphs between the marks of a name on a page."""
    if not parts or not page.exists():
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    after = rest.split(end)[1]
    text = "\n\n".join((f"{before}{begin}", *parts, f"{end}{after}"))
    page.write_text(text, encoding="utf-8")


def _table(rows: Rows) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(row.get(name)) for name in names)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str("" if value is None else value)


def _growth(rows: Rows) -> list[str]:
    """The exponent of time against rows between the smallest and the largest table."""
    found = []
    for form in dict.fromkeys(row.get("format") for row in rows):
        same = [row for row in rows if row.get("format") == form and "failed" not in row]
        if len(same) < 2:
            continue
        first, last = same[0], same[-1]
        span = math.log(last["rows"] / first["rows"])
        grown = [
            f"{name} {math.log(last[name] / first[name]) / span:.2f}"
            for name in first
            if name.endswith(" s") and first[name] and last.get(name)
        ]
        of = f" ({form})" if form else ""
        found.append(f"Growth exponents from {first['rows']:,} to {last['rows']:,} rows{of}: "
                     + ", ".join(grown) + ".")  # fmt: skip
    return found


def _spark_growth(rows: Rows) -> list[str]:
    """The exponent of time against rows from each size of a method to the next."""
    found = []
    done = [row for row in rows if "spark s" in row]
    for method in dict.fromkeys(row["method"] for row in done):
        own = sorted((row for row in done if row["method"] == method), key=lambda r: r["rows"])
        for one, next_one in pairwise(own):
            span = math.log(next_one["rows"] / one["rows"])
            grown = ", ".join(
                f"{name} {math.log(next_one[name] / one[name]) / span:.2f}"
                for name in ("local s", "spark s")
            )
            found.append(
                f"Growth exponents of {method} from {one['rows']:,} to {next_one['rows']:,} rows: "
                f"{grown}."
            )
    return found


def _scaled(rows: Rows, group: str, varied: str, docs: Path) -> list[str]:
    """The exponents of time and loss of every method, and a plot of each."""
    done = [row for row in rows if "run s" in row]
    lines: Rows = []
    for method in dict.fromkeys(row["method"] for row in done):
        own = sorted((row for row in done if row["method"] == method), key=lambda r: r[varied])
        if len(own) < 2:
            continue
        first, last = own[0], own[-1]
        span = math.log(last[varied] / first[varied])
        line: dict[str, Any] = {
            "method": method, "from": first[varied], f"to {varied}": last[varied],
        }  # fmt: skip
        for what in ("run s", "glm"):
            grown = last[what] / first[what] if first[what] > 0 else math.nan
            line[f"exponent of {what}"] = math.log(grown) / span if grown > 0 else None
        lines.append(line)
    if not lines:
        return []
    values = sorted({row[varied] for row in done})
    for what in ("run s", "glm"):
        scale = alt.Scale(type="log" if what == "run s" else "linear", nice=False)
        largest = sorted(done, key=lambda row: (row[varied], row[what]), reverse=True)
        # The legend in the order of the right ends of the lines; there are more than ten of them.
        order = list(dict.fromkeys(row["method"] for row in largest))
        chart = (
            alt.Chart(pl.DataFrame(done).select("method", varied, what))
            .mark_line(point=True)
            .encode(
                x=alt.X(
                    f"{varied}:Q",
                    scale=alt.Scale(type="log", nice=False),
                    axis=alt.Axis(values=values),
                ),
                y=alt.Y(f"{what}:Q", scale=scale),
                color=alt.Color("method:N", sort=order, scale=alt.Scale(scheme="tableau20")),
            )
            .properties(width=420, height=320)
        )
        chart.save(docs / "images" / f"bench-{group}-{what.split()[0]}.svg")
    return [
        _table(lines),
        f"![Time by {varied}](images/bench-{group}-run.svg) "
        f"![Loss by {varied}](images/bench-{group}-glm.svg)",
    ]


def _plots(results: dict[str, Any], docs: Path) -> list[str]:
    parts = []
    adult = [row for row in results.get("adult", []) if "glm" in row]
    if adult:
        chart = (
            alt.Chart(pl.DataFrame(adult).select("method", "k", "glm"))
            .mark_bar()
            .encode(x="glm:Q", y=alt.Y("method:N", sort="x"), row="k:O")
            .properties(width=420, title="Loss glm on Adult (less is better)")
        )
        chart.save(docs / "images" / "bench-adult.svg")
        parts.append("![Loss on Adult](images/bench-adult.svg)")
    kernel = [row for row in results.get("kernel", []) if "rows" in row]
    if len(kernel) > 1:
        names = [name for name in kernel[0] if name.endswith(" s")]
        long = pl.DataFrame(kernel).select("rows", *names).unpivot(index="rows")
        chart = (
            alt.Chart(long)
            .mark_line(point=True)
            .encode(
                x=alt.X("rows:Q", scale=alt.Scale(type="log")),
                y=alt.Y("value:Q", scale=alt.Scale(type="log"), title="seconds"),
                color=alt.Color("variable:N", title=None),
            )
            .properties(width=420, title="Time against rows")
        )
        chart.save(docs / "images" / "bench-growth.svg")
        parts.append("![Time against rows](images/bench-growth.svg)")
    return parts
