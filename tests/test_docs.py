"""The docs run, and what is generated is up to date."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def _blocks(page: Path) -> list[tuple[str, str]]:
    """The Python of a page, block by block, each with the result that stands right below it."""
    fence = re.compile(r"```python\n(.*?)```\n(?:\n```(?:text)?\n(.*?)```)?", re.S)
    return fence.findall(page.read_text(encoding="utf-8"))


RUN = (
    "tutorial",
    "hierarchies",
    "mks3wd",
    "identity",
    "graph",
    "lgb",
    "mhsa",
    "query",
    "suggest",
    "explain",
    "stream",
)
PAGES = [*(DOCS / f"{name}.md" for name in RUN), ROOT / "README.md"]


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


def test_pages_import_public_names_alone() -> None:
    private = re.compile(r"(?:from|import) +shoal(?:\.\w+)*\._|from +shoal +import +_(?!_)")
    pages = [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb"), ROOT / "README.md"]
    assert [p.name for p in pages if private.search(p.read_text(encoding="utf-8"))] == []


def test_links_between_pages_lead_somewhere() -> None:
    lost = []
    for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                lost.append((page.name, target))
    assert lost == []
