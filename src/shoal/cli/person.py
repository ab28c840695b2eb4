"""What a release gives away of one person, on a terminal: for `shoal audit --person`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from shoal._command.audit import PersonAtRisk

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
    from shoal.cli.progress import Stages

    with Stages(quiet) as stages, stages("looking for one person"):
        from shoal._command.audit import person_risk, published_rows

        found = person_risk(folder, original, private, row)
        records = found.records if json else found.records[:_MOST]
        shown = published_rows(folder, records).to_dicts() if show_values else None
    if json:
        _print_data(found, shown)
    elif not quiet:
        _print_person(found, shown)
    return found


def _print_data(found: PersonAtRisk, shown: list[dict[str, Any]] | None) -> None:
    from shoal.cli import show

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
    show.print_json(document if shown is None else {**document, "rows": shown})


def _print_person(found: PersonAtRisk, shown: list[dict[str, Any]] | None) -> None:
    from rich.text import Text

    from shoal.cli import show

    console = show.out()
    if found.suppressed:
        text = f"Row {found.row} is suppressed: nothing of this person is published."
        console.print(Text(text))
        return
    n = len(found.records)
    rows = "1 published row" if n == 1 else f"{n:,} published rows"
    console.print(Text(f"{rows} can be the person of row {found.row}", style="bold"))
    first = ", ".join(map(str, found.records[:_MOST]))
    more = f" and {n - _MOST:,} more (all with --json)" if n > _MOST else ""
    console.print(Text(f"Records {first}{more}"))
    console.print()
    console.print(_risks(found))
    if shown:
        _print_groups(console, shown)
    console.print()
    sign = show.marks(console)[found.within]
    if found.within:
        console.print(Text(f"{sign} No more can be told than is allowed", style="bold green"))
    else:
        console.print(Text(f"{sign} More can be told than is allowed", style="bold red"))


def _risks(found: PersonAtRisk) -> Table:
    from rich.text import Text

    from shoal.cli import show
    from shoal.report.wording import odds

    table = show.columns("What can be guessed", "Right", "Chance", "Allowed", right=("Chance",))
    secrets = [
        (f"the secret in {show.plain(name)}", learned, found.posterior_limits.get(name))
        for name, learned in found.posteriors.items()
    ]
    for what, risk, limit in [("which row it is", found.identity, found.identity_limit), *secrets]:
        allowed = "no bound asked" if limit is None else odds(limit)
        table.add_row(*map(Text, (what, odds(risk), f"{risk:.1%}", allowed)))
    return table


def _print_groups(console: Console, shown: list[dict[str, Any]]) -> None:
    """What each group of these rows publishes: once, for its rows differ in numbers alone."""
    from rich.text import Text

    from shoal.cli import show

    groups: dict[str, list[dict[str, Any]]] = {}
    for row in shown:
        groups.setdefault(str(row["GID"]), []).append(row)
    console.print()
    console.print(Text("What they publish", style="bold"))
    console.print(show.facts({f"GID {gid}": _words(rows) for gid, rows in groups.items()}))


def _words(rows: list[dict[str, Any]]) -> str:
    first = rows[0]
    names = [n for n in first if n not in ("record", "GID") and not n.endswith("_BID")]
    cells = [f"{name} {first[name]}" for name in names if _public(first, name)]
    secret = [n.removesuffix("_BID") for n in first if n.endswith("_BID") and first[n] is not None]
    hidden = [f"{', '.join(secret)} in buckets"] if secret else []
    return "; ".join([f"{len(rows)} row{'s' if len(rows) > 1 else ''}", *cells, *hidden])


def _public(row: dict[str, Any], name: str) -> bool:
    return row[name] is not None and row.get(f"{name}_BID") is None
