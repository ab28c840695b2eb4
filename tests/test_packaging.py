"""The package installs from its locks, builds without git, and tells one version everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
RUNTIME = PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["build"]
LOCKS = {
    "requirements.lock": RUNTIME,
    "requirements-dev.lock": RUNTIME + EXTRAS["dev"] + EXTRAS["studio"] + EXTRAS["sklearn"],
    "requirements-spark.lock": RUNTIME + EXTRAS["spark"],
}


def pins(lock: str) -> dict[str, str]:
    text = (ROOT / lock).read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+)", text, flags=re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_host_and_no_path(lock: str) -> None:
    lines = (ROOT / lock).read_text().splitlines()
    assert not [line for line in lines if re.search(r"://|(^|[ =])/|^-", line)]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_meets_what_the_project_declares(lock: str) -> None:
    pinned = pins(lock)
    for text in LOCKS[lock]:
        wanted = Requirement(text)
        assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)]), text


def test_all_locks_hold_the_same_versions() -> None:
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()
    spark, dev = pins("requirements-spark.lock"), pins("requirements-dev.lock")
    assert {name for name in spark if name not in dev} == {"pyspark", "py4j"}
    assert {name: spark[name] for name in spark if name in dev}.items() <= dev.items()


def test_the_citation_has_the_version_of_the_project() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {PROJECT['project']['version']}\n" in citation


def test_the_wheel_builds_without_git(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", PROJECT["project"].get("readme", "LICENSE")):
        shutil.copy(ROOT / name, tree / name)
    build = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([sys.executable, *build, "-w", tmp_path, tree], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = {name for name in ZipFile(wheel).namelist() if name.startswith("shoal/")}
    assert held == {
        path.relative_to(tree / "src").as_posix()
        for path in (tree / "src").rglob("*")
        if path.is_file()
    }
