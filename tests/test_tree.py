"""Tests mirror the tree: `src/shoal/a/b.py` has `tests/a/test_b.py`."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import shoal

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "shoal"

# Data, protocols and signatures without behaviour of their own.
WITHOUT_BEHAVIOUR = {
    "cli/option.py",
    "schema/portable.py",
    "version.py",
}


def lacking() -> set[str]:
    """The modules without a test file of their name."""
    modules = {path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")}
    return {
        module.as_posix()
        for module in modules
        if not module.stem.startswith("__")
        and not (ROOT / "tests" / module.parent / f"test_{module.stem}.py").is_file()
    }


def test_every_module_has_a_test_file_of_its_name() -> None:
    assert lacking() == WITHOUT_BEHAVIOUR


# The few words of the code base that are no public names.
WORDS = {"Schema", "Table", "Partition", "Model", "Method", "Measure", "Attack", "Engine"}


def test_a_public_class_name_means_one_thing() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")]
    named = Counter(n.name for tree in trees for n in tree.body if isinstance(n, ast.ClassDef))
    assert {name for name in WORDS | set(shoal.__all__) if named[name] > 1} == set()


# Buffers of a kernel: each is local to its module, and says what it has room for.
WORKSPACE = "Room"


def test_a_class_name_means_one_thing() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        # The verifier shares nothing with what it verifies, and may use the same words.
        if module.startswith("verify/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    del homes[WORKSPACE]
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_no_alias_of_a_type_has_the_name_of_a_class() -> None:
    classes, aliases = set(), []
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE).as_posix()
        if module.startswith("verify/"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                aliases += [(t.id, module) for t in targets if isinstance(t, ast.Name)]
    assert [(name, module) for name, module in aliases if name in classes] == []
