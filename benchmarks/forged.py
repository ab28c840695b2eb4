"""Forged releases: which mutations does an audit find, by kind and by method?

`python -m benchmarks.forged --n 2000` writes good releases of ten methods, changes one thing at a
time, forges digests, counts, verdicts and report to match, and prints as Markdown how many of the
mutations an audit says does not hold: from the files alone, with the original, with the plan too,
and with the private folder. The last finds any change by the digest of the manifest alone. Attacks
are not run: they could only find more.

A mutation is harmful where it changes a promise or the truth of a cell. That is decided by the true
row map, with that digest left aside; another order of the rows is not, since every row is as true
as before. `strict` are the harmful ones with which `--original --strict` ends with 1: what does not
hold, and what is open. None should be missing; those that are get listed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl

import shoal
from shoal._command.audit.statement import state_again
from shoal.reading.manifest import Manifest
from shoal.reading.table import read_table
from shoal.report import release_report

Table = pl.DataFrame
Mutation = Callable[[Path, random.Random], bool]
_LABELS, _KEPT = ("age", "town", "seen"), ("ill", "pay")
_LADDER = {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 4}}
_AGE = {"role": "quasi", "kind": "numeric"}
_BASE: dict[str, Any] = {
    "attributes": {
        "age": _AGE,
        "town": {"role": "quasi", "kind": "categorical"},
        "ill": "sensitive",
        "pay": "insensitive",
    },
    "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}],
    "seed": 1,
}
_FLAT = {**_BASE["attributes"], "age": _LADDER, "town": {"role": "quasi", "hierarchy": "flat"}}
_LEVELS = {"multi-level-k": {"thresholds": [[0.8, 0.2]], "levels": [[4, 2]]}}
_SECRET = {
    "attributes": {
        "age": _AGE,
        "town": {"role": "semi-sensitive", "flag": "hide"},
        "hide": "flag",
        "ill": "sensitive",
        "pay": "insensitive",
    },
    "privacy": [
        {"k-anonymity": {"k": 3}},
        {"l-diversity": {"attribute": "town", "l": 2}},
        {"l-diversity": {"attribute": "ill", "l": 2}},
    ],
}
_ILLS = {"mild": ["flu", "gout"], "grave": ["pox", "mumps", "scurvy"]}
_PEOPLE = {"individual": "who", "attributes": {**_BASE["attributes"], "who": "identifier"}}
_SYMBOLS = {"role": "sensitive", "flag": "veil", "hierarchy": {"tree": {"*": _ILLS}}}
_FLAGGED = {**_BASE["attributes"], "veil": "flag", "ill": _SYMBOLS}
PLANS: dict[str, dict[str, Any]] = {
    "mondrian": {},
    "k-member": {},
    "adjacency": {},
    "weighted-graph": {},
    "ka": {"attributes": _FLAT},
    "ece-mks3wd": {"attributes": {**_FLAT, "f": "sensitivity"}, "privacy": [_LEVELS]},
    "top-down": {"attributes": _FLAT},
    "danonyir": {**_PEOPLE, "privacy": [{"ir-k": {"k": 2}}, {"eir-l": {"l": 2}}]},
    "lgb-mdp": _SECRET,
    "qi-mhsa": {"attributes": _FLAGGED},
    "qi-mhsa in two tables": {"method": {"qi-mhsa": {"tables": "split"}}},
}


def people(n: int = 90) -> Table:
    """A table that suits every plan."""
    draw = np.random.default_rng(7)
    who = np.arange(n) // 2
    return pl.DataFrame(
        {
            "who": [f"p{i}" for i in who],
            "age": draw.integers(18, 80, n)[who],
            "town": draw.choice([*"uvwxyz"], n)[who],
            "ill": draw.choice(["flu", "gout", "pox", "mumps", "scurvy"], n),
            "pay": draw.integers(1, 5, n),
            "f": draw.random(n).round(2),
            "hide": draw.choice(["yes", "no"], n),
            "veil": draw.choice([0, 1, 2], n, p=[0.6, 0.3, 0.1]),
        }
    )


def table(change: Callable[[Table, random.Random], Table | None]) -> Mutation:
    """A mutation of the published table; it does not count where nothing changes."""

    def mutate(folder: Path, draw: random.Random) -> bool:
        path = folder / "data.csv"
        before = read_table(path)
        after = change(before, draw)
        if after is None or after.equals(before):
            return False
        after.write_csv(path)
        return True

    return mutate


def _set(table: Table, name: str, row: int, text: str | None) -> Table:
    cells = table[name].to_list()
    cells[row] = text
    return table.with_columns(pl.Series(name, cells, dtype=pl.String))


def _pick(table: Table, names: tuple[str, ...], draw: random.Random) -> str | None:
    there = [n for n in names if n in table.columns and table[n].drop_nulls().n_unique() > 1]
    return draw.choice(there) if there else None


def other_label(table: Table, draw: random.Random, *, whole: bool = False) -> Table | None:
    """A label of one row, or of everybody who has it, becomes another one of its column."""
    name = _pick(table, _LABELS, draw)
    if name is None:
        return None
    texts = table[name].drop_nulls().unique().sort().to_list()
    old, new = draw.sample(texts, 2)
    if whole:
        return table.with_columns(pl.col(name).replace(old, new))
    return _set(table, name, table[name].to_list().index(old), new)


def narrow(table: Table, draw: random.Random) -> Table | None:
    """A range becomes one of its ends, for all who have it."""
    ranges = [t for t in table["age"].drop_nulls().unique().sort() if t.startswith("[")]
    if not ranges:
        return None
    old = draw.choice(ranges)
    return table.with_columns(pl.col("age").replace(old, old[1:].partition(",")[0]))


def other_value(table: Table, draw: random.Random, *, empty: bool = False) -> Table | None:
    """An unchanged cell becomes another value of its column, or empty."""
    name = _pick(table, _KEPT, draw)
    if name is None:
        return None
    row = draw.randrange(table.height)
    values = [None] if empty else [t for t in table[name].unique().sort() if t != table[name][row]]
    return _set(table, name, row, draw.choice(values))


def exchange(table: Table, draw: random.Random) -> Table | None:
    """Two rows of different classes exchange what is sensitive."""
    if "ill" not in table.columns:
        return None
    one, other = draw.sample(range(table.height), 2)
    if table["age"][one] == table["age"][other]:
        return None
    cells = table["ill"].to_list()
    cells[one], cells[other] = cells[other], cells[one]
    return table.with_columns(pl.Series("ill", cells, dtype=pl.String))


def repeat(table: Table, draw: random.Random) -> Table:
    """A row stands twice."""
    row = draw.randrange(table.height)
    return pl.concat([table, table[row : row + 1]])


def drop(table: Table, draw: random.Random) -> Table:
    """A row is gone."""
    row = draw.randrange(table.height)
    return pl.concat([table[:row], table[row + 1 :]])


def drop_class(table: Table, draw: random.Random) -> Table:
    """All rows of an age are gone."""
    return table.filter(pl.col("age").ne_missing(table["age"][draw.randrange(table.height)]))


def reorder(table: Table, draw: random.Random) -> Table:
    """The rows stand in another order."""
    return table.sample(fraction=1.0, shuffle=True, seed=draw.randrange(2**31))


def renumber(table: Table, draw: random.Random) -> Table | None:
    """Every row has a person of its own."""
    if "Id_num" not in table.columns:
        return None
    return table.with_columns(
        pl.Series("Id_num", [str(i + 1) for i in range(table.height)], dtype=pl.String)
    )


def sort(table: Table, draw: random.Random) -> Table:
    """The rows stand in the order of their columns."""
    names = list(table.columns)
    return table.sort(draw.sample(names, len(names)), nulls_last=True)


def other_held(folder: Path, draw: random.Random) -> bool:
    """A value that stands in a bucket, or in a second table, becomes another one."""
    there = sorted(p for p in folder.glob("*.csv") if p.stem != "data")
    if not there:
        return False
    path = draw.choice(there)
    table = read_table(path)
    name = "value" if "value" in table.columns else "ill"
    row = draw.randrange(table.height)
    values = [t for t in table[name].unique().sort() if t != table[name][row]]
    _set(table, name, row, draw.choice(values)).write_csv(path)
    return True


def other_bucket(table: Table, draw: random.Random) -> Table | None:
    """Two rows point to each other's buckets."""
    name = next((n for n in table.columns if n.endswith("_BID")), None)
    if name is None:
        return None
    cells = table[name].to_list()
    one, other = draw.sample(range(len(cells)), 2)
    cells[one], cells[other] = cells[other], cells[one]
    return table.with_columns(pl.Series(name, cells, dtype=pl.String))


def drop_counts(folder: Path, draw: random.Random) -> bool:
    """All rows of an age are gone, and the manifest does not say how many were left out."""
    table(drop_class)(folder, draw)
    return manifest(lambda m, _: [m["counts"].pop(k) for k in ("published", "suppressed")])(
        folder, draw
    )


def manifest(change: Callable[[dict[str, Any], random.Random], Any]) -> Mutation:
    """A mutation of the manifest; it does not count where nothing changes."""

    def mutate(folder: Path, draw: random.Random) -> bool:
        path = folder / "manifest.json"
        document = json.loads(path.read_text())
        before = json.dumps(document)
        change(document, draw)
        path.write_text(json.dumps(document))
        return json.dumps(document) != before

    return mutate


def _claim(m: dict[str, Any], draw: random.Random) -> None:
    stated = [v for v in m["verdicts"] if isinstance(v.get("reached"), int)]
    if stated:
        draw.choice(stated)["reached"] += draw.randint(1, 500)


def _twice(m: dict[str, Any], draw: random.Random) -> None:
    m["verdicts"].insert(0, {**m["verdicts"][0], "reached": 500})


def _symbols(m: dict[str, Any], draw: random.Random) -> None:
    for column in m["columns"]:
        if column["role"] == "sensitive":
            column["symbols"] = draw.choice(["interval", "one-sided"])


def _key(m: dict[str, Any], draw: random.Random) -> None:
    draw.choice([m, *m["columns"], *m["verdicts"]])["approved"] = True


def _count(m: dict[str, Any], draw: random.Random) -> None:
    m["counts"][draw.choice(sorted(m["counts"]))] += draw.randint(1, 500)


def _loss(m: dict[str, Any], draw: random.Random) -> None:
    place = draw.choice([m["measures"], m["loss_by_attribute"]])
    lossy = sorted(k for k, v in place.items() if v)
    if lossy:
        place[draw.choice(lossy)] *= draw.random()


def _silence(m: dict[str, Any], draw: random.Random) -> None:
    parts = [m["counts"], m["measures"], m["loss_by_attribute"], *m["verdicts"]]
    part = draw.choice([p for p in parts if p])
    part.pop(draw.choice(sorted(key for key in part if key not in ("requirement", "attribute"))))


def report(folder: Path, draw: random.Random) -> bool:
    """The report says more, or does."""
    path = folder / "report.html"
    more = draw.choice(["<script>1</script>", "<p>Certified.</p>"])
    path.write_text(path.read_text().replace("</body>", more + "</body>"))
    return True


def extra(folder: Path, draw: random.Random) -> bool:
    """A further file stands in the folder and in the manifest."""
    (folder / "names.csv").write_text("name\nx\n")
    return manifest(lambda m, _: m["files"].update({"names.csv": {"rows": 1}}))(folder, draw)


# Whether the tables change, so that counts, verdicts and report are forged to match.
KINDS: dict[str, tuple[Mutation, bool]] = {
    "a label of one row": (table(other_label), True),
    "a label of a class": (table(lambda t, d: other_label(t, d, whole=True)), True),
    "a range made one value": (table(narrow), True),
    "a value": (table(other_value), True),
    "an emptied value": (table(lambda t, d: other_value(t, d, empty=True)), True),
    "values exchanged between classes": (table(exchange), True),
    "a row twice": (table(repeat), True),
    "a row dropped": (table(drop), True),
    "a class dropped": (table(drop_class), True),
    "another order": (table(reorder), True),
    "an order by columns": (table(sort), True),
    "a number for every row": (table(renumber), True),
    "a value in a bucket or a second table": (other_held, True),
    "buckets exchanged": (table(other_bucket), True),
    "a class dropped, and counts": (drop_counts, False),
    "a count": (manifest(_count), False),
    "a loss": (manifest(_loss), False),
    "nothing said": (manifest(_silence), False),
    "a claim": (manifest(_claim), False),
    "two verdicts": (manifest(_twice), False),
    "symbols": (manifest(_symbols), False),
    "an unknown key": (manifest(_key), False),
    "the report": (report, False),
    "a further file": (extra, False),
}


# Every row is as true as before.
HARMLESS = ("another order", "an order by columns")


def forge(folder: Path, plan: dict[str, Any]) -> None:
    """All that is stated beside the tables, report and digests, as a run would have stated it."""
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    tables = {p.stem: read_table(p) for p in folder.glob("*.csv")}
    counts, n = document["counts"], tables["data"].height
    counts["suppressed"] += counts["published"] - n
    if counts["suppressed"] < 0:
        counts["rows"], counts["suppressed"] = counts["rows"] - counts["suppressed"], 0
    said = Manifest.model_validate({**document, "files": {}})
    stated = json.loads(state_again(said, tables, shoal.Plan.of(plan)).text())
    document |= {k: v for k, v in stated.items() if k not in ("time", "plan", "files")}
    _vouch(folder, document)


def _vouch(folder: Path, document: dict[str, Any], *, report: bool = True) -> None:
    """A report that follows from manifest and tables, and true digests."""
    if report:
        said = Manifest.model_validate({**document, "files": {}})
        tables = {p.stem: read_table(p) for p in folder.glob("*.csv")}
        # Of some forged manifests no report can be made: the honest one stays.
        with suppress(Exception):
            (folder / "report.html").write_text(release_report(said, tables), encoding="utf-8")
    for name, entry in document["files"].items():
        entry["sha256"] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if name.endswith(".csv"):
            entry["rows"] = read_table(folder / name).height
    (folder / "manifest.json").write_text(json.dumps(document))


def main() -> None:
    """Run so many mutations, or for so long, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=list(KINDS), choices=KINDS, metavar="KIND")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after these")
    chosen = parser.parse_args()
    start = time.monotonic()
    no_attacks = patch("shoal._command.audit.release.find_gains", return_value=())
    with no_attacks, tempfile.TemporaryDirectory() as name:
        draw, end = random.Random(chosen.seed), start + chosen.seconds
        found = run(Path(name), chosen.n, draw, end, chosen.only)
    print_table("Mutation", {k: found[k] for k in KINDS if k in found})
    print_table("Method", {k: found[k] for k in PLANS if k in found})
    done = sum(found[kind]["n"] for kind in KINDS if kind in found)
    print(f"\n{done} mutations in {time.monotonic() - start:.0f} s, seed {chosen.seed}")


def run(
    place: Path, n: int, draw: random.Random, end: float, kinds: list[str]
) -> dict[str, Counter[str]]:
    """What was found, by kind and by method."""
    original = people()
    good: dict[str, tuple[Path, dict[str, Any], Table, dict[str, bool | None]]] = {}
    for method, changes in PLANS.items():
        plan = {**_BASE, "method": method, **changes}
        declared = set(plan["attributes"])
        frame = original.select(c for c in original.columns if c in declared)
        folder = place / method
        shoal.run(plan, frame).save(folder / "release", private=folder / "private")
        honest = audits(folder / "release", folder / "private", plan, frame)
        assert False not in honest.values(), (method, honest)
        good[method] = (folder, plan, frame, honest)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    done = 0
    while done < n and time.monotonic() < end:
        method, kind = draw.choice(list(PLANS)), draw.choice(kinds)
        folder, plan, frame, honest = good[method]
        mutate, tables = KINDS[kind]
        copy = place / "copy"
        shutil.copytree(folder / "release", copy)
        if mutate(copy, draw):
            done += 1
            if tables:
                forge(copy, plan)
            else:
                document = json.loads((copy / "manifest.json").read_text())
                _vouch(copy, document, report=kind != "the report")
            verdicts = audits(copy, folder / "private", plan, frame)
            harmful = kind not in HARMLESS and truth(copy, folder / "private", frame) is False
            if harmful and verdicts["original"] is True:
                print(f"missed: {kind} of {method}, number {done}", flush=True)
            for key in (kind, method):
                found[key]["n"] += 1
                found[key]["harmful"] += harmful
                found[key]["strict"] += harmful and verdicts["original"] is not True
                for given, verdict in verdicts.items():
                    found[key][given] += verdict is False
                    # Open where the honest release is proved, or open in any case.
                    found[key][f"{given}?"] += verdict is None and honest[given] is True
        shutil.rmtree(copy)
    return found


def audits(
    folder: Path, private: Path, plan: dict[str, Any], frame: Table
) -> dict[str, bool | None]:
    """The verdicts of an audit by what it is given."""
    given: dict[str, dict[str, Any]] = {
        "alone": {},
        "original": {"original": frame},
        "plan": {"original": frame, "plan": plan},
        "private": {"original": frame, "private": private},
    }
    return {name: _verdict(folder, **more) for name, more in given.items()}


def _verdict(folder: Path, **given: Any) -> bool | None:
    """What an audit says; a manifest that cannot be read is refused."""
    try:
        return shoal.audit(folder, **given).verdict
    except shoal.DataError:
        return False


def truth(folder: Path, private: Path, frame: Table) -> bool | None:
    """What the true row map says of the tables, whatever the digest of the manifest."""
    with patch("shoal._command.audit.proof.names_release", return_value=True):
        return _verdict(folder, original=frame, private=private)


def print_table(title: str, found: dict[str, Counter[str]]) -> None:
    """What was found, and after a plus sign what became open that was proved before."""
    given = ("alone", "original", "plan", "private")
    print(f"\n| {title} | n | " + " | ".join(given) + " | harmful | strict |")
    print("|---|--:|" + "--:|" * (len(given) + 2))
    for name, counts in found.items():
        cells = [
            f"{counts[g]}" + (f" + {counts[f'{g}?']}" if counts[f"{g}?"] else "") for g in given
        ]
        cells += [str(counts["harmful"]), str(counts["strict"])]
        print(f"| {name} | {counts['n']} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
