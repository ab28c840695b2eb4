"""Plan files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.file import LONGEST, read_file
from tests.plan.cases import SMALL


def test_a_json_file_with_tabs_and_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(SMALL, indent="\t").encode())
    assert Plan.load(path) == Plan.parse(SMALL, tmp_path)


def test_a_plan_that_is_not_there_has_a_near_name(tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text("")
    for name, hint in [
        ("relase.yaml", "Did you mean 'release.yaml'?"),
        ("x", "The folder contains release.yaml."),
        ("nowhere/x.yaml", "The folder 'nowhere' does not exist."),
    ]:
        with pytest.raises(PlanError) as caught:
            Plan.load(tmp_path / name)
        assert caught.value.problems[0].hint == hint
    with pytest.raises(PlanError, match="is a folder"):
        Plan.load(tmp_path)


def test_a_plan_that_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_bytes(b"seed: 1\nsource: M\xfcller.csv\n")
    with pytest.raises(PlanError, match=r"line 2: The plan must be UTF-8"):
        Plan.load(tmp_path / "plan.yaml")


def test_a_path_with_a_null_character_is_refused() -> None:
    with pytest.raises(PlanError, match="must not contain a null character"):
        Plan.load("a\0b.yaml")


def test_a_plan_has_a_longest_length(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(b"#" * LONGEST)
    assert len(read_file(path)) == LONGEST
    path.write_bytes(b"#" * (LONGEST + 1))
    with pytest.raises(PlanError, match=r"at most 2,097,152 bytes, but 'plan\.yaml' has more"):
        read_file(path)
