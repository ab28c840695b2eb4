"""What a release gives away about one person: `shoal audit --person`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli import show
from shoal.cli.progress import Stages

if TYPE_CHECKING:
    from shoal._command.audit import PersonAtRisk
    from shoal.cli.terminal import Terminal

_MOST = 20


def look_for(
    folder: Path,
    original: str,
    private: Path,
    row: int,
    quiet: bool,
    json: bool,
    show_values: bool,
) -> PersonAtRisk:
    """Look for the person of a row, and print what was found."""
    with Stages(quiet) as stages, stages("looking for one person"):
        from shoal._command.audit import person_risk, published_rows

        found = person_risk(folder, original, private, row)
        records = found.records if json else found.records[:_MOST]
        rows = published_rows(folder, records).to_dicts() if show_values else None
    if json:
        _print_data(found, rows)
    elif not quiet:
        _print_person(found, rows)
    return found


def _print_data(found: PersonAtRisk, rows: list[dict[str, Any]] | None) -> None:
    secrets = {
        name: {"posterior": learned, "allowed": found.posterior_limits.get(name)}
        for name, learned in found.posteriors.items()
    }
    document = {
        "row": found.row,
        "suppressed": found.suppressed,
        "within": found.within,
        "matching": len(found.records),
        "records": list(found.records),
        "identity": {"risk": found.identity, "allowed": found.identity_limit},
        "secrets": secrets,
    }
    show.print_json(document if rows is None else {**document, "rows": rows})


def _print_person(found: PersonAtRisk, rows: list[dict[str, Any]] | None) -> None:
    out = show.out()
    if found.suppressed:
        out.say(f"Row {found.row} is suppressed: nothing about this person is published.")
        return
    n = len(found.records)
    published = show.count(n, "published row")
    out.say(f"{published} can be the person in row {found.row}", "bold")
    first = ", ".join(map(str, found.records[:_MOST]))
    more = f" and {n - _MOST:,} more (all with --json)" if n > _MOST else ""
    out.say(f"Records {first}{more}")
    out.say()
    _print_risks(out, found)
    if rows:
        _print_groups(out, rows)
    out.say()
    amount = "No more" if found.within else "More"
    out.conclude(found.within, f"{amount} is given away than is allowed")


def _print_risks(out: Terminal, found: PersonAtRisk) -> None:
    from shoal.report.wording import odds

    limits = found.posterior_limits
    risks = [("which row it is", found.identity, found.identity_limit)]
    risks += [(f"the secret in {n}", risk, limits.get(n)) for n, risk in found.posteriors.items()]
    rows = [
        (what, odds(risk), show.percent(risk), "no limit" if limit is None else odds(limit))
        for what, risk, limit in risks
    ]
    out.table(("What can be guessed", "Right", "Chance", "Allowed"), rows, right=("Chance",))


def _print_groups(out: Terminal, rows: list[dict[str, Any]]) -> None:
    """Show once what a group publishes, since its rows differ only in their numbers."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(str(row["GID"]), []).append(row)
    out.say()
    out.say("What is published of them", "bold")
    out.facts({f"GID {gid}": _words(group) for gid, group in groups.items()})


def _words(rows: list[dict[str, Any]]) -> str:
    first = rows[0]
    names = [n for n in first if n not in ("record", "GID") and not n.endswith("_BID")]
    cells = [f"{name} {first[name]}" for name in names if _public(first, name)]
    secret = [n.removesuffix("_BID") for n in first if n.endswith("_BID") and first[n] is not None]
    hidden = [f"{', '.join(secret)} in buckets"] if secret else []
    return "; ".join([show.count(len(rows), "row"), *cells, *hidden])


def _public(row: dict[str, Any], name: str) -> bool:
    return row[name] is not None and row.get(f"{name}_BID") is None
