"""Is a release folder what shoal writes, all of it and nothing else?

Digests prove nothing against somebody who forges them too. So whatever follows from the tables and
the manifest is made again, and what no run could have written is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel

from shoal.errors import Problem
from shoal.method import METHODS
from shoal.reading.folder import SUFFIXES
from shoal.reading.manifest import (
    MANIFEST,
    Manifest,
    ManifestColumn,
    ManifestFile,
    Stated,
    read_json,
)
from shoal.report import release_report
from shoal.schema import Layout, Requirement, Role
from shoal.version import __version__

REPORT = "report.html"
OTHER_VERSION = "another version of shoal wrote it, so it cannot be made again for comparison"
# What makes a browser run or load something. No report of shoal has any of it. Browsers read tags
# that are not well formed in ways of their own, so these are refused as well.
_TAG = re.compile(
    r"""<(/?[a-z][a-z0-9]*)((?:\s+[a-z_:][-\w:.]*(?:="[^"<>]*")?)*)\s*/?>""", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""([a-z_:][-\w:.]*)(?:="([^"]*)")?""", re.IGNORECASE)
_LIKE_TAG = re.compile(r"<[a-z/]", re.IGNORECASE)
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style", re.IGNORECASE | re.DOTALL)
_CSS_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?|\\", re.IGNORECASE)
_CSS_LOADS = re.compile(r"@import|image-set\(|url\((?!\s*[\"']?#)", re.IGNORECASE)
_ACTIVE_TAGS = {
    *("script", "noscript", "template", "iframe", "frame", "frameset", "object", "embed", "applet"),
    *("portal", "form", "input", "button", "link", "base", "img", "image", "picture", "source"),
    *("video", "audio", "track", "animate", "animatemotion", "animatetransform", "set"),
    *("foreignobject", "math"),
}  # fmt: skip
_ADDRESSES = {
    *("href", "xlink:href", "src", "srcset", "srcdoc", "data", "poster", "background", "action"),
    *("formaction", "ping", "cite", "manifest", "longdesc", "http-equiv"),
}  # fmt: skip
# Attributes of text, which may be that of a column: all others may be read as styles.
_WORDS = {"title", "alt", "content", "aria-label"}
# What methods publish besides one plain table, and symbols that a class has in common. auto makes
# what its choice makes without options.
_FORMS = {
    "lgb-mdp": (Layout.SPLIT, Layout.JOINED),
    "lgb-ncp": (Layout.SPLIT, Layout.JOINED),
    "qi-mhsa": (Layout.PLAIN, Layout.LINKED),
    "auto": (Layout.PLAIN, Layout.SPLIT),
}
_BY_CLASS: Mapping[str, tuple[str, ...]] = {
    "qi-mhsa": ("interval", "one-sided"),
    "auto": ("interval",),
}
_ALL_BY_CLASS = frozenset(symbols for own in _BY_CLASS.values() for symbols in own)
# A table that a cluster wrote is a folder of parts.
_PART = re.compile(r"\.parquet/part-\d{5,}\.parquet\Z")


def check_folder(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """What no run would have written: keys, files, forms of the method, verdicts stated twice."""
    yield from _unknown_keys(read_json(folder / MANIFEST))
    yield from _check_files(manifest)
    yield from _check_forms(manifest)
    yield from _check_twice(manifest)


def _unknown_keys(document: Any) -> Iterator[Problem]:
    """Keys that no manifest has: a reader may take them for claims that were checked."""
    entries: list[tuple[str, Any, type[BaseModel]]] = [("", document, Manifest)]
    for name, entry in (("columns", ManifestColumn), ("verdicts", Stated)):
        entries += [(f"{name}.{i}.", d, entry) for i, d in enumerate(document.get(name, ()))]
    entries += [(f"files.{n}.", d, ManifestFile) for n, d in document.get("files", {}).items()]
    found = [
        f"{place}{key}"
        for place, part, entry in entries
        if isinstance(part, dict)
        for key in part
        if key not in entry.model_fields
    ]
    found += [
        f"requirements.{i}.{key}"
        for i, part in enumerate(document.get("requirements", ()))
        for key in part
        if key not in ("model", "parameters")
    ]
    for place in found:
        yield Problem(
            f"The manifest must have known keys only, but it has another: {place!r}.", MANIFEST
        )


def _check_files(manifest: Manifest) -> Iterator[Problem]:
    """The tables of the form and a report, each in one file of one kind."""
    stems = ["data", *(["sensitive"] if manifest.form is Layout.LINKED else [])]
    may = [f"buckets-{c.name}" for c in manifest.secret] if manifest.form is Layout.SPLIT else []
    allowed = {f"{stem}.{suffix}" for stem in (*stems, *may) for suffix in SUFFIXES} | {REPORT}
    for name in manifest.files:
        if _PART.sub(".parquet", name) not in allowed:
            yield Problem("The manifest lists a file that no release of its form has.", name)
    kinds = {Path(name).suffix for name in manifest.files} - {".html"}
    if len(kinds) > 1:
        yield Problem("The tables must all be of one file format, but they are not.")
    if REPORT not in manifest.files:
        yield Problem("The release must have a report, but the manifest lists none.", REPORT)


def _check_forms(manifest: Manifest) -> Iterator[Problem]:
    """Layouts and symbols that the method cannot have."""
    method = manifest.method
    if method not in METHODS:
        return
    if manifest.form not in _FORMS.get(method, (Layout.PLAIN,)):
        yield Problem(f"{method} makes no release of the form {str(manifest.form)!r}.", MANIFEST)
    for column in manifest.columns:
        if column.symbols is None:
            continue
        if column.role is not Role.SENSITIVE or manifest.keeps_secrets:
            yield Problem(f"Column {column.name!r} can show no symbols.", MANIFEST)
        elif column.symbols in _ALL_BY_CLASS - set(_BY_CLASS.get(method, ())):
            text = f"{method} shows no symbols of the form {column.symbols!r}"
            yield Problem(f"{text}, but the manifest says so of {column.name!r}.", MANIFEST)
        elif column.symbols in _ALL_BY_CLASS and column.hierarchy is None:
            text = f"Column {column.name!r} has no hierarchy to show symbols of"
            yield Problem(f"{text} the form {column.symbols!r}.", MANIFEST)


def _check_twice(manifest: Manifest) -> Iterator[Problem]:
    """Two verdicts on one requirement that say different things."""
    seen: dict[tuple[str, str | None], Stated] = {}
    for stated in manifest.verdicts:
        first = seen.setdefault((stated.requirement, stated.attribute), stated)
        if first != stated:
            text = f"The manifest has two different verdicts on {stated.requirement}."
            yield Problem(text, stated.attribute or "")


def check_report(
    folder: Path, manifest: Manifest, tables: Mapping[str, pl.DataFrame]
) -> tuple[bool | None, list[Problem]]:
    """Whether the report is the one that follows from manifest and tables, and what it is not.

    None: another version wrote it. A report that could run something or load anything is refused
    whoever wrote it.
    """
    path = folder / REPORT
    if not path.is_file():
        return False, [Problem("The release must have a report, but there is none.", REPORT)]
    try:
        written = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False, [Problem("The report cannot be read as text.", REPORT)]
    text = "The report is not the one that follows from the manifest and the tables."
    if manifest.version == __version__:
        try:
            # A report is written before the digests of files are known, as one of them is its own.
            again = release_report(manifest.model_copy(update={"files": {}}), tables)
        except Exception as error:  # A forged manifest may not fit the tables in any way.
            text = f"No report follows from the manifest and the tables ({type(error).__name__})."
        else:
            if again == written:
                return True, []
    if _is_active(written):
        text = "The report could run a program or load something from elsewhere."
        return False, [Problem(text, REPORT, hint="Do not open it.")]
    if manifest.version != __version__:
        return None, []
    return False, [Problem(text, REPORT)]


def _is_active(page: str) -> bool:
    """Whether a page has anything but text, drawings and styles that stand in it."""
    if _LIKE_TAG.search(_TAG.sub("", page)):
        return True
    styles = [found[1] for found in _STYLE.finditer(page)]
    for tag in _TAG.finditer(page):
        if tag[1].lower() in _ACTIVE_TAGS:
            return True
        for name, value in _ATTRIBUTE.findall(tag[2]):
            address = name.lower() in _ADDRESSES and not value.startswith("#")
            if name.lower().startswith("on") or address:
                return True
            if name.lower() not in _WORDS:
                styles.append(unescape(value))
    return any(_CSS_LOADS.search(_CSS_ESCAPE.sub(_character, style)) for style in styles)


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1] or "0", 16)
    return chr(code) if 0 < code <= 0x10FFFF else ""


def compare_requirements(
    manifest: Manifest, required: tuple[Requirement, ...], whence: str
) -> Iterator[Problem]:
    """Requirements that only the manifest has, or only the plan or the private folder."""
    said, meant = ({str(r) for r in rs} for rs in (manifest.requirements, required))
    for name in sorted(said - meant):
        yield Problem(f"The manifest requires {name}, but {whence} does not.", MANIFEST)
    for name in sorted(meant - said):
        yield Problem(
            f"{whence.capitalize()} requires {name}, but the manifest does not.", MANIFEST
        )
