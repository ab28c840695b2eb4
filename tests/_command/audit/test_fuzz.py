"""Whatever is written into a release folder, an audit answers or says what is wrong with it.

`SHOAL_FUZZ_CASES=5000` tries more. No crash, and nothing outside the folder is read.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import ShoalError
from tests._command.audit.forge import Forged, copied

CASES = int(os.environ.get("SHOAL_FUZZ_CASES", "60"))
ODD = st.sampled_from(
    [None, True, 0, -1, 10**30, 0.5, "", "x", "*", "../../etc/passwd", "data.csv", [], {}, [[]],
     {"x": 1}, "quasi", "sensitive", "person", "split", "linked", "columns", "numeric", "date",
     "tree", "interval", "\ud7ff", "a\nb", "=1+1", "k-anonymity {k: 4}", "t-closeness"]
)  # fmt: skip
QUIET = settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    inside = part.items() if isinstance(part, dict) else enumerate(part)
    found = []
    for key, value in inside:
        found.append((*path, key))
        if isinstance(value, (dict, list)):
            found += places(value, (*path, key))
    return found


def change(document: Any, path: tuple[Any, ...], value: Any, remove: bool) -> None:
    for key in path[:-1]:
        document = document[key]
    if remove:
        del document[path[-1]]
    else:
        document[path[-1]] = value


def answers(folder: Path, *given: Any) -> None:
    for original in given:
        with suppress(ShoalError):
            assert shoal.audit(folder, original).verdict in (True, False, None)


@QUIET
@given(seed=st.integers(0, 2**32), value=ODD, remove=st.booleans(), times=st.integers(1, 3))
def test_any_manifest(
    good: Forged, tmp_path_factory: Any, seed: int, value: Any, remove: bool, times: int
) -> None:
    forged = copied(good, tmp_path_factory.mktemp("fuzz"))
    draw = random.Random(seed)

    def spoil(document: dict[str, Any]) -> None:
        for _ in range(times):
            change(document, draw.choice(places(document)), copy.deepcopy(value), remove)

    forged.manifest(spoil)
    answers(forged.folder, None, good.original)


@QUIET
@given(seed=st.integers(0, 2**32), text=st.text(max_size=8))
def test_any_table(good: Forged, tmp_path_factory: Any, seed: int, text: str) -> None:
    forged = copied(good, tmp_path_factory.mktemp("fuzz"))
    path, draw = forged.folder / "data.csv", random.Random(seed)
    content = path.read_text()
    start = draw.randrange(len(content))
    end = min(len(content), start + draw.choice([0, 1, 3, 50]))
    path.write_bytes((content[:start] + text + content[end:]).encode("utf-8", "replace"))

    def entry(document: dict[str, Any]) -> None:
        document["files"]["data.csv"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

    forged.manifest(entry)
    answers(forged.folder, None, good.original)


def test_no_path_leads_out_of_the_folder(release: Forged) -> None:
    (release.folder.parent / "data.csv").write_text("age\nroot:\n")
    release.manifest(lambda m: m["files"].update({"../data.csv": {"rows": 1}}))
    found = release.audit()
    assert found.verdict is False
    assert "outside the folder" in json.dumps([str(p) for p in found.findings])
