"""Write the generated pages of the docs; `--check` only reports whether they are up to date.

python scripts/docs.py [--check]
"""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer

from shoal.attack import ATTACKS, Attack
from shoal.cli.app import app
from shoal.measure import MEASURES
from shoal.method import METHODS
from shoal.model import MODELS
from shoal.papers import PAPERS, SYSTEMS
from shoal.plan import Plan
from shoal.schema.advice import CODES, Severity
from shoal.schema.specification import Specification

DOCS = Path(__file__).parents[1] / "docs"
_GIVEN = {
    "the original": "--original DATA",
    "a register": "--register FILE",
    "another release": "--original DATA --with FOLDER",
}
MADE = "<!-- Made by `make docs`; do not edit. -->"


def pages() -> dict[str, str]:
    """Every generated page by its path below docs/."""
    found = {
        "plan.md": plan_page(),
        "commands.md": command_page(),
        "papers.md": papers_page(),
        "warnings.md": warning_page(),
    }
    families: list[tuple[str, str, dict[str, Any]]] = [
        ("models", "Models: what must hold", MODELS),
        ("methods", "Methods: how to get there", METHODS),
        ("measures", "Measures: what it cost", MEASURES),
        ("attacks", "Attacks: what an adversary gains", ATTACKS),
    ]
    for folder, title, registry in families:
        found[f"{folder}/README.md"] = index_page(title, registry)
        for name, kind in registry.items():
            found[f"{folder}/{name}.md"] = page_of(kind)
    return found


def index_page(title: str, registry: dict[str, type[Specification]]) -> str:
    """The index of a family."""
    rows = [(f"[{name}]({name}.md)", kind.summary()) for name, kind in registry.items()]
    return "\n".join([MADE, f"# {title}", "", _table(("name", "what it is"), rows)]) + "\n"


def page_of(kind: type[Specification]) -> str:
    """One model, method, measure or attack: definition, parameters, source, limits."""
    text = inspect.cleandoc(kind.__doc__ or "").split(">>>")[0].rstrip()
    parts = [MADE, f"# {kind.name}", text]
    fields = kind.describe()["parameters"]
    if fields:
        rows = [
            (f"`{name}`", _parameter_default(field), field["meaning"])
            for name, field in fields.items()
        ]
        parts += ["## Parameters", _table(("parameter", "default", "meaning"), rows)]
    if issubclass(kind, Attack):
        parts += ["## Needs", f"`shoal audit FOLDER {_GIVEN[kind.needs]}{kind.more}`"]
        parts += ["## A small case", kind.case] if kind.case else []
    if kind.limits:
        parts += ["## Limits", kind.limits]
    parts += ["## Source", "\n".join(f"- {citation.reference}" for citation in kind.cite)]
    return "\n\n".join(parts) + "\n"


def _parameter_default(field: dict[str, Any]) -> str:
    if field["required"]:
        return "required"
    return "left out" if field["default"] is None else f"`{field['default']}`"


def plan_page() -> str:
    """The plan reference, from the plan's own schema."""
    rows = [
        (f"`{entry['key']}`", entry["type"], _default(entry), entry["meaning"])
        for entry in Plan.reference()
    ]
    intro = (
        "One text file (YAML 1.2, or JSON) says what the data is, what must hold, how to get there "
        "and where to write it. Unknown keys are errors; all problems of a plan are reported "
        "together, with their lines. Paths are relative to the plan."
    )
    table = _table(("key", "type", "default", "meaning"), rows)
    return "\n\n".join([MADE, "# The plan", intro, table]) + "\n"


def papers_page() -> str:
    """The five papers item by item, from docs/papers, and the other works cited."""
    parts = [
        MADE,
        "# The papers",
        "Every numbered definition, equation, algorithm, theorem and example of the five papers, "
        "and what else of them is run: what implements it, and how to use it. Where the code "
        "departs from a paper, the page of that system and [decisions](decisions.md) say how and "
        "why.",
    ]
    for paper in SYSTEMS:
        items = tomllib.loads((DOCS / "papers" / f"{paper.key}.toml").read_text(encoding="utf-8"))
        rows = [_item_row(item, *entry) for item, entry in items.items()]
        table = _table(("item", "what", "symbol", "how to use it"), rows)
        own = f"{paper.reference} How to use it: [{paper.key}.md]({paper.key}.md)."
        parts += [f"## {paper.name}", own, table]
    works = [f"- {paper.reference}" for paper in PAPERS.values() if paper not in SYSTEMS]
    return "\n\n".join([*parts, "## Other works", "\n".join(works)]) + "\n"


def _item_row(item: str, what: str, symbols: str, reach: str) -> tuple[str, ...]:
    if not symbols:
        return item, what, "", f"not implemented: {reach}"
    return item, what, ", ".join(f"`{s}`" for s in symbols.split()), reach


def command_page() -> str:
    """The help of every command, as the program prints it."""
    group = typer.main.get_group(app)
    parts = [MADE, "# Commands", _help("shoal", group)]
    for name, command in group.commands.items():
        parts += [f"## {name}", _help(f"shoal {name}", command)]
    return "\n\n".join(parts) + "\n"


def warning_page() -> str:
    """The codes of advice, and when each is given."""
    intro = (
        "A release that satisfies every requirement may still need a second look before it is "
        "handed out. `release.warnings` lists the reasons, the most severe first; `shoal run`, the "
        "`warnings` of its `--json` and the private report show the same list. Each has a `code`, "
        "which is stable, a `severity` and a `text`. The public report states the same facts, as "
        "far as the published files show them."
    )
    severities = inspect.cleandoc(Severity.__doc__ or "").partition("\n\n")[2]
    rows = [(f"`{code}`", severity, when) for code, (severity, when) in CODES.items()]
    table = _table(("code", "severity", "given where"), rows)
    return "\n\n".join([MADE, "# Warnings", intro, severities, table]) + "\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell may contain |, as in the size of a set."""
    lines = [header, *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    texts = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([texts[0], "|" + "---|" * len(header), *texts[1:]])


def _help(path: str, command: Any) -> str:
    context = command.make_context(path, [], resilient_parsing=True)
    context.terminal_width = context.max_content_width = 90
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"```\n{text}\n```"


def _default(entry: dict[str, Any]) -> str:
    return "required" if entry.get("required") else str(entry.get("default") or "")


def main() -> int:
    """Write or check the pages; return 1 if `--check` finds one out of date."""
    stale = []
    for name, text in pages().items():
        path = DOCS / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print("out of date:" if "--check" in sys.argv else "written:", ", ".join(stale))
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
