"""The docs run, and what is generated is up to date."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def _code(page: Path) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S))


PAGES = [
    *(DOCS / f"{name}.md" for name in ("tutorial", "identity", "graph", "lgb", "mhsa")),
    ROOT / "README.md",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = _code(page)
    assert code
    exec(compile(code, page.name, "exec"), {})  # noqa: S102
    assert capsys.readouterr().out


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


def test_links_between_pages_lead_somewhere() -> None:
    lost = []
    for page in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                lost.append((page.name, target))
    assert lost == []
