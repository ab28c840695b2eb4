"""The docs run, and what is generated is up to date."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pkgutil
import re
import shlex
from pathlib import Path

import pytest
import typer

from shoal._command.experiment.grid import read_grid
from shoal.cli import main
from shoal.cli.app import app
from shoal.plan import Plan

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def _blocks(page: Path) -> list[tuple[str, str]]:
    """The Python of a page, block by block, each with the result that stands right below it."""
    fence = re.compile(r"```python\n(.*?)```\n(?:\n```(?:text)?\n(.*?)```)?", re.S)
    return fence.findall(page.read_text(encoding="utf-8"))


# Its one block needs a cluster. Pages of reproduce/ are made from stories, which have their test.
NOT_RUN = {"spark"}
PAGES = [page for page in sorted(DOCS.glob("*.md")) if _blocks(page) and page.stem not in NOT_RUN]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_says_what_its_code_prints(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks, names = _blocks(page), {}
    assert any(result for _, result in blocks)
    for code, result in blocks:
        exec(compile(code, page.name, "exec"), names)  # noqa: S102
        assert capsys.readouterr().out.splitlines() == result.splitlines(), code


def test_a_console_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    page, names = DOCS / "query.md", {}
    for code, _ in _blocks(page):
        exec(compile(code, page.name, "exec"), names)  # noqa: S102
    shown = re.findall(r"```console\n\$ shoal (.*?)\n(.*?)```", page.read_text("utf-8"), re.S)
    assert shown
    for command, result in shown:
        capsys.readouterr()
        assert main(shlex.split(command)) == 0
        printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
        assert "\n".join(printed).strip().splitlines() == result.splitlines()


def _commands(page: Path) -> list[list[str]]:
    """The commands of a page, in blocks and in the text, without what explains them."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:sh|console|text)?\n(.*?)^```", text, re.S | re.M)
    lines = [line for block in blocks for line in block.splitlines()]
    shown = [m[1] for line in lines if (m := re.search(r"(?:^|[$|] )(shoal [a-z].*)", line))]
    shown += re.findall(r"`(shoal [a-z][^`\n]*)`", text)
    return [shlex.split(re.split(r"\s#|\s{3,}", line)[0]) for line in shown]


WITH_COMMANDS = [page for page in [*DOCS.glob("*.md"), ROOT / "README.md"] if _commands(page)]


@pytest.mark.parametrize("page", sorted(WITH_COMMANDS), ids=lambda p: p.stem)
def test_commands_on_a_page_are_there_with_their_options(page: Path) -> None:
    commands = typer.main.get_group(app).commands
    for _, name, *words in _commands(page):
        options = {o for p in commands[name].params for o in (*p.opts, *p.secondary_opts)}
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert given <= {*options, "--help"}, (name, words)


# What a block that is part of a plan leaves to the reader.
REST = {
    "attributes": "attributes: {name: identifier, age: quasi, ill: sensitive}\n",
    "privacy": "privacy: [k-anonymity: {k: 5}]\n",
}
GRID = DOCS / "reproduce.md"


def _yaml(page: Path) -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.S)


def _whole(text: str) -> str:
    return text + "".join(REST[key] for key in REST if not re.search(rf"^{key}:", text, re.M))


WITH_PLANS = [page for page in sorted(DOCS.glob("*.md")) if page != GRID and _yaml(page)]


@pytest.mark.parametrize("page", WITH_PLANS, ids=lambda p: p.stem)
def test_plans_on_a_page_can_be_read(page: Path, tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("Ulm;south\nKiel;north\n", encoding="utf-8")
    for text in _yaml(page):
        plan = Plan.parse(_whole(text), tmp_path)
        assert set(re.findall(r"^(\w+):", text, re.M)) <= set(plan.to_dict()), text


def test_the_grid_on_a_page_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(_whole(""), encoding="utf-8")
    (tmp_path / "people.csv").write_text("name,age,ill\nA,30,flu\n", encoding="utf-8")
    [text] = _yaml(GRID)
    grid = tmp_path / "grid.yaml"
    grid.write_text(text, encoding="utf-8")
    assert len(read_grid(grid).grid.trials) == 4 * 3 * 5


def test_generated_pages_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("docs_script", ROOT / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    stale = [
        name
        for name, text in script.pages().items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run make docs"


def test_a_row_of_a_table_has_as_many_cells_as_its_header() -> None:
    odd = []
    for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        for table in re.findall(r"(?:^\|.*\n?)+", text, re.M):
            rows = table.splitlines()
            # A bar that belongs to the text is escaped.
            widths = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
            odd += [(page.name, r) for r, w in zip(rows, widths, strict=True) if w != widths[0]]
    assert odd == []


def test_pages_import_public_names_alone() -> None:
    private = re.compile(r"(?:from|import) +shoal(?:\.\w+)*\._|from +shoal +import +_(?!_)")
    pages = [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb"), ROOT / "README.md"]
    assert [p.name for p in pages if private.search(p.read_text(encoding="utf-8"))] == []


def test_calls_in_the_text_of_a_page_fit_what_they_call() -> None:
    pages = [*DOCS.rglob("*.md"), ROOT / "README.md"]
    calls = {
        c for p in pages for c in re.findall(r"`shoal\.([\w.]+\([^`]*\))`", p.read_text("utf-8"))
    }
    assert calls
    for call in calls:
        found = ast.parse(call.replace("…", "..."), mode="eval").body
        assert isinstance(found, ast.Call)
        function = pkgutil.resolve_name(f"shoal:{ast.unparse(found.func)}")
        given = {keyword.arg: None for keyword in found.keywords if keyword.arg}
        # Raises where the function does not take these.
        inspect.signature(function).bind(*found.args, **given)


def test_links_between_pages_lead_somewhere() -> None:
    lost = []
    for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                lost.append((page.name, target))
    assert lost == []
