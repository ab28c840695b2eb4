"""The verifier shares nothing with what it verifies."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import shoal.verify

ALLOWED = {"shoal.schema", "shoal.schema.wording", "shoal.errors"}
OWN = ("shoal.verify", "shoal.reading.")
LIBRARIES = {"scipy", "numpy", "polars"}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
    return names


def test_imports() -> None:
    modules = sorted(Path(shoal.verify.__file__).parent.rglob("*.py"))
    assert len(modules) > 30
    for path in modules:
        for name in imported(path):
            top = name.partition(".")[0]
            known = name in ALLOWED or name.startswith(OWN) or top in LIBRARIES
            assert known or top in sys.stdlib_module_names, f"{path.name} imports {name}"
