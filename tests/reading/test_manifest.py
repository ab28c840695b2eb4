"""The manifest is written and read by one model, which refuses what it does not understand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import DataError
from shoal.reading.manifest import (
    MANIFEST,
    Manifest,
    ManifestColumn,
    ManifestFile,
    Stated,
    read_json,
)
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Layout, Requirement, Role

SAID = Manifest(
    version="1.0",
    time="2024-05-01T10:00:00+00:00",
    plan="0123",
    method="lgb-mdp",
    ranges="snapped",
    form=Layout.SPLIT,
    columns=(
        ManifestColumn(name="Id_num", role="person"),
        ManifestColumn(name="größe", role=Role.QUASI, kind=Kind.NUMERIC, hierarchy="width"),
        ManifestColumn(name="zip", role=Role.SEMI_SENSITIVE),
        ManifestColumn(name="ill", role=Role.SENSITIVE, symbols="by-flag"),
        ManifestColumn(name="note", role=Role.INSENSITIVE),
    ),
    requirements=(Requirement("k-anonymity", {"k": 3}), Requirement("alpha-k", {"alpha": 0.5})),
    verdicts=(
        Stated(requirement="k-anonymity {k: 3}", holds=True, asked=3, reached=4),
        Stated(requirement="alpha-k {alpha: 0.5}", attribute="ill", asked={"alpha": 0.5}),
    ),
    measures={"glm": 0.25, "dm": 40},
    loss_by_attribute={"größe": 0.5},
    cells_by_attribute={"größe": {"original": 0.5, "hidden": 0.5}},
    conflict="mode",
    counts={"rows": 4, "published": 4},
    files={"data.csv": ManifestFile(sha256="ab", rows=4), "report.html": ManifestFile(sha256="cd")},
)
KEYS = (
    "format tool version time plan method ranges form columns conflict requirements verdicts "
    "measures loss_by_attribute cells_by_attribute singled_out counts files"
)


def write(folder: Path, text: str | bytes = "") -> Path:
    path = folder / MANIFEST
    path.write_bytes(text if isinstance(text, bytes) else (text or SAID.text()).encode())
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path)
    found = Manifest.read(tmp_path)
    assert found == SAID
    assert found.text() == SAID.text()


def test_the_file_says_no_more_than_it_must(tmp_path: Path) -> None:
    text = write(tmp_path).read_text(encoding="utf-8")
    document = json.loads(text)
    assert " ".join(document) == KEYS
    assert document["format"] == 1
    assert document["columns"][0] == {"name": "Id_num", "role": "person"}
    assert document["verdicts"][1] == {
        "requirement": "alpha-k {alpha: 0.5}",
        "attribute": "ill",
        "asked": {"alpha": 0.5},
        "offending": 0,
    }
    assert document["files"]["report.html"] == {"sha256": "cd"}
    assert '"dm": 40\n' in text
    assert "größe" in text
    assert text.endswith("}\n")


def test_columns_have_roles() -> None:
    def names(columns: tuple[ManifestColumn, ...]) -> list[str]:
        return [column.name for column in columns]

    plain = SAID.model_copy(update={"form": Layout.PLAIN})
    linked = SAID.model_copy(update={"form": Layout.LINKED})
    assert names(SAID.quasi) == ["größe", "zip"]
    assert names(SAID.secret) == ["zip", "ill"]
    assert plain.secret == linked.secret == ()
    assert names(SAID.flagged) == ["ill"]
    assert names(SAID.in_the_open) == names(linked.in_the_open) == ["note"]
    bare = tuple(c.model_copy(update={"symbols": None}) for c in SAID.columns)
    assert names(plain.model_copy(update={"columns": bare}).in_the_open) == ["ill", "note"]
    assert SAID.person == "Id_num"
    assert not SAID.model_copy(update={"columns": bare[1:]}).counts_people
    assert [c.name for c in SAID.columns if c.is_plain] == ["Id_num", "note"]


def test_the_attributes_are_as_the_columns_say() -> None:
    schema = SAID.as_schema()
    assert schema.individual == Individual("Id_num", "mode")
    assert schema.attributes == (
        Attribute("Id_num", Role.IDENTIFIER),
        Attribute("größe", Role.QUASI, Kind.NUMERIC, hierarchy=HierarchySpec("width")),
        Attribute("zip", Role.SEMI_SENSITIVE),
        Attribute("ill", Role.SENSITIVE),
        Attribute("note", Role.INSENSITIVE),
    )


def test_a_manifest_of_an_earlier_version_may_say_less(tmp_path: Path) -> None:
    least = {"format": 1, "columns": [], "requirements": [], "verdicts": [], "ranges": "tight"}
    write(tmp_path, json.dumps({**least, "unheard of": 1}))
    found = Manifest.read(tmp_path)
    assert (found.form, found.counts, found.files, found.plan) == (Layout.PLAIN, {}, {}, "")


def change(**entries: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **entries})


def drop(key: str) -> Callable[[str], str]:
    return lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != key})


BROKEN: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "half": (lambda text: text[:-3], "cannot be read"),
    "no text": (lambda text: b"\xff\xfe{}", "cannot be read"),
    "a list": (lambda text: "[]", "cannot be read"),
    "too deep": (lambda text: "[" * 100_000, "cannot be read"),
    "a key twice": (lambda text: text.replace('"tool"', '"format"'), "cannot be read"),
    "a key twice inside": (lambda text: text.replace('"ill",', '"ill", "role": "quasi",', 1),
                           "cannot be read"),
    "not a number": (change(singled_out=float("nan")), "cannot be read"),
    "no format": (drop("format"), "cannot be read"),
    "format as text": (change(format="1"), "names no format"),
    "format zero": (change(format=0), "names no format"),
    "format true": (change(format=True), "names no format"),
    "a later format": (change(format=2), "is of format 2, but this version reads up to 1"),
    "no columns": (drop("columns"), "columns: "),
    "no requirements": (drop("requirements"), "requirements: "),
    "no verdicts": (drop("verdicts"), "verdicts: "),
    "no ranges": (drop("ranges"), "ranges: "),
    "an unknown layout": (change(form="S3CRET"), "form: "),
    "an unknown role": (change(columns=[{"name": "a", "role": "S3CRET"}]), "columns.0.role"),
    "a verdict that is no verdict": (change(verdicts=[{"requirement": "k", "holds": 1}]),
                                     "verdicts.0.holds"),
    "a count that is none": (change(counts={"rows": "S3CRET"}), "counts.rows"),
    "a file that is none": (change(files={"data.csv": 1}), "files.data.csv"),
    "a column twice": (change(columns=[{"name": "a", "role": "quasi"}] * 2), "a column twice"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_manifest_is_refused(name: str, tmp_path: Path) -> None:
    spoil, words = BROKEN[name]
    write(tmp_path, spoil(SAID.text()))
    with pytest.raises(DataError) as caught:
        Manifest.read(tmp_path)
    assert words in str(caught.value)
    assert "S3CRET" not in str(caught.value)


def test_every_broken_place_is_named(tmp_path: Path) -> None:
    write(tmp_path, change(ranges="none", form="none")(SAID.text()))
    with pytest.raises(DataError) as caught:
        Manifest.read(tmp_path)
    assert [problem.where for problem in caught.value.problems] == ["ranges", "form"]


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no manifest\.json"):
        Manifest.read(tmp_path)
    with pytest.raises(DataError, match="There is no folder"):
        Manifest.read(tmp_path / "nowhere")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 400, "NaN", "Infinity"])
def test_every_number_of_strict_json_is_finite(tmp_path: Path, number: str) -> None:
    """Some readers take 1e999 for infinity, others for a very large number."""
    with pytest.raises(ValueError, match=r"too large|NaN"):
        read_json(write(tmp_path, f'{{"a": {number}}}'))


def test_strict_json_is_still_json(tmp_path: Path) -> None:
    assert read_json(write(tmp_path, '{"a": [1, 2.5, null, {"a": "b"}]}')) == {
        "a": [1, 2.5, None, {"a": "b"}]
    }
