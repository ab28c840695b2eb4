"""Seeds of a plan: numbers, and files whose text appears in no message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.plan.seed import SeedFile
from tests.plan.cases import SMALL

SECRET = "correct horse battery staple"


@pytest.mark.parametrize("seed", [0, 7, 2**63, 2**128 - 1])
def test_a_number_is_taken_as_it_is(seed: int) -> None:
    plan = Plan.parse({**SMALL, "seed": seed})
    assert plan.seed == seed
    assert Plan.parse(plan.to_yaml()).seed == seed


def test_a_file_is_named_and_leaves_no_trace_in_the_digest() -> None:
    plan = Plan.parse({**SMALL, "seed": {"file": "own/seed"}})
    assert plan.seed == SeedFile("own/seed")
    assert Plan.parse(plan.to_dict()) == plan
    assert Plan.parse(plan.to_yaml()) == plan
    assert plan.digest() == Plan.parse(SMALL).digest()


@pytest.mark.parametrize(
    ("seed", "where", "text"),
    [
        (-1, "seed", "got -1 instead"),
        (2**128, "seed", "below 2^128"),
        (1.5, "seed", "got 1.5 instead"),
        (True, "seed", "got true instead"),
        ("7", "seed", "write 'seed: {file: PATH}'"),
        ([7], "seed", "got a list of 1 instead"),
        ({}, "seed.file", "The 'file' parameter of seed is required"),
        ({"file": ""}, "seed.file", "must be a text that is not empty"),
        ({"file": 7}, "seed.file", "must be a text"),
        ({"fil": "x"}, "seed.fil", "Did you mean 'file'?"),
    ],
)
def test_what_is_no_seed_is_refused(seed: Any, where: str, text: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan.parse({**SMALL, "seed": seed})
    assert where in [problem.where for problem in caught.value.problems]
    assert text in str(caught.value)


def test_the_text_is_read_without_blanks_around_it(tmp_path: Path) -> None:
    (tmp_path / "seed").write_text(f"\n  {SECRET}\n")
    assert SeedFile("seed").read(tmp_path) == SECRET
    assert SeedFile(str(tmp_path / "seed")).read(Path("elsewhere")) == SECRET


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "does not exist"),
        (b"", "at least 16 bytes"),
        (SECRET[:15].encode(), "at least 16 bytes"),
        (b" " * 100 + SECRET[:15].encode(), "at least 16 bytes"),
        (SECRET.encode() * 5000, "at most 65,536"),
        (bytes(range(256)), "must be text in UTF-8"),
    ],
)
def test_an_unfit_file_is_an_error_without_its_text(
    content: bytes | None, text: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "seed").write_bytes(content)
    with pytest.raises(PlanError, match=text) as caught:
        SeedFile("seed").read(tmp_path)
    [problem] = caught.value.problems
    assert problem.where == "seed.file"
    assert "openssl rand -hex 16 > seed" in problem.hint
    assert "correct" not in str(caught.value)


def test_a_folder_is_no_seed_file(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="Cannot read the seed file"):
        SeedFile(".").read(tmp_path)
    with pytest.raises(PlanError, match="its path is not valid"):
        SeedFile("a\0b").read(tmp_path)
