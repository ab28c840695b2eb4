"""A hierarchy for a quasi-identifier: what its values may be published as."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from shoal._command.init.column import ColumnProfile
from shoal._command.init.nature import Nature
from shoal._command.init.quote import quoted
from shoal._command.init.term import (
    is_about_an_amount,
    is_about_codes,
    natures_of,
    words_of,
)
from shoal.errors import ShoalError
from shoal.hierarchy import Hierarchy
from shoal.report.scale import round_step
from shoal.schema import Attribute, Kind, Role
from shoal.table import encode_column

_LONGEST_CODE = 10
_MANY_CODES = 100
# In widths from zero: beyond this, floats hardly tell the edges of intervals apart.
_FARTHEST = 2.0**50
_CLOSE = 0.85
# Over less than two decades, a decade is hardly coarser than everything.
_DECADES = 20 * 365.25
_FEW = 12
_FEW_BY_NAME = 30
_ENDINGS = (".csv", ".txt")


@dataclass(frozen=True)
class HierarchyChoice:
    """A hierarchy as written in a plan, the kind that it needs, and a note for the reader.

    An empty text is no hierarchy: numbers are published as ranges, categories as sets.
    """

    text: str
    kind: Kind
    note: str = ""
    is_file: bool = False

    @property
    def words(self) -> str:
        """How values are published, in a few words."""
        if self.is_file:
            return "groups of the file"
        if not self.text:
            return "sets of values" if self.kind is Kind.CATEGORICAL else "ranges"
        form = self.text.strip("{").split(":")[0]
        return {"mask": "masked codes", "dates": "months, years", "width": "round ranges"}[form]


def hierarchy_choices(
    column: ColumnProfile, files: Sequence[Path] = (), base: Path | None = None
) -> list[HierarchyChoice]:
    """What a quasi-identifier may be published by; each fits every value of the column.

    A file that is named like the column and has all of its values is the only choice, and so is a
    mask for many codes of one length. Otherwise the first is no hierarchy, and then what the column
    is suited for: masks for fewer codes, months and years for dates, round widths for numbers.
    """
    found, note = _from_file(column, files, base)
    if found:
        return [found]
    plain = replace(no_hierarchy(column), note=note)
    built = ""
    if plain.kind is Kind.CATEGORICAL:
        built = _mask(column)
    elif plain.kind is Kind.DATE:
        built = _dates(column)
    elif plain.kind is Kind.NUMERIC:
        built = _width(column)
    if not built:
        return [plain]
    # A set of a few among many codes counts as hardly any loss, whatever is lost: a rehearsal would
    # always prefer it.
    many = plain.kind is Kind.CATEGORICAL and column.n_distinct > _MANY_CODES
    return [replace(plain, text=built)] if many else [plain, replace(plain, text=built)]


def no_hierarchy(column: ColumnProfile) -> HierarchyChoice:
    """The column published as ranges or sets, by its kind; few whole numbers are categories."""
    coded = Nature.POSTAL in natures_of(column.name) or _is_coded(column)
    return HierarchyChoice("", Kind.CATEGORICAL if coded else column.kind)


def _mask(column: ColumnProfile) -> str:
    """A mask for postal codes, and for digits that are no number because of leading zeros."""
    padded = column.kind is Kind.CATEGORICAL and column.n_distinct > 2 and column.shape.digits
    is_code = padded or Nature.POSTAL in natures_of(column.name)
    if is_code and 2 <= column.shape.n_characters <= _LONGEST_CODE:
        return f"{{mask: {column.shape.n_characters}}}"
    return ""


def _is_coded(column: ColumnProfile) -> bool:
    """Few whole numbers that repeat, under a name that is not that of an age or a count."""
    is_amount = is_about_an_amount(column.name)
    if column.kind is not Kind.NUMERIC or not column.whole or is_amount:
        return False
    most = _FEW_BY_NAME if is_about_codes(column.name) else _FEW
    return column.n_distinct <= most and column.variety <= 0.5


def _dates(column: ColumnProfile) -> str:
    is_long = (column.high or 0) - (column.low or 0) > _DECADES
    return "{dates: [day, month, year, decade]}" if is_long else "{dates: [day, month, year]}"


def _width(column: ColumnProfile) -> str:
    """About twenty intervals of a round width, then half as many, until about four are left."""
    if column.low is None or column.high is None or column.n_distinct <= 2:
        return ""
    width = nice_width((column.high - column.low) / 20, column.whole)
    if not width or max(abs(column.low), abs(column.high)) / width > _FARTHEST:
        return ""
    n_levels = 1 + max(0, math.ceil(math.log2((column.high - column.low) / width / 4)))
    return f"{{width: {_plain(width)}, levels: {min(n_levels, 6)}}}"


def nice_width(least: float, whole: bool = False) -> float:
    """The smallest of … 0.1, 0.2, 0.5, 1, 2, 5, 10 … that is at least this; 0 if there is none.

    >>> nice_width(3.4), nice_width(0.013), nice_width(0.3, whole=True), nice_width(0.0)
    (5.0, 0.02, 2.0, 0.0)
    """
    if not math.isfinite(least) or least < 1e-12:
        return 0.0
    width = round_step(least)
    if not math.isfinite(width):
        return 0.0
    # An interval with a single whole number would group nothing.
    return max(width, 2.0) if whole else width


def _plain(width: float) -> str:
    return str(int(width)) if width >= 1 else repr(width)


def hierarchy_files(folder: Path | None) -> list[Path]:
    """The files of a folder that may be hierarchies, by name."""
    if folder is None:
        return []
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in _ENDINGS and p.is_file())


def _from_file(
    column: ColumnProfile, files: Sequence[Path], base: Path | None
) -> tuple[HierarchyChoice | None, str]:
    note = ""
    for path in _alike(column.name, files):
        kind = _kind_with(column, path)
        if kind is not None:
            name = quoted(os.path.relpath(path, base or Path.cwd()), path=True)
            return HierarchyChoice(name, kind, is_file=True), ""
        note = note or f"{path.name!r} does not fit its values"
    return None, note


def _alike(name: str, files: Sequence[Path]) -> list[Path]:
    """The files whose name ends like the column's or is nearly the same, the most alike first."""
    own = words_of(name)
    scored = [(_likeness(own, words_of(path.stem)), path) for path in files] if own else []
    return [p for score, p in sorted(scored, key=lambda s: -s[0]) if score >= _CLOSE]


def _likeness(own: tuple[str, ...], words: tuple[str, ...]) -> float:
    if words == own:
        return 2.0
    if words[-len(own) :] == own or words[: len(own)] == own:
        return 1.0 + len(own) / len(words)
    if any("".join(words[i:]) == "".join(own) for i in range(len(words))):
        return 1.0
    return SequenceMatcher(None, "".join(own), "".join(words)).ratio()


def _kind_with(column: ColumnProfile, path: Path) -> Kind | None:
    """The kind under which the file has every value of the column, if there is one."""
    try:
        spec = Hierarchy.file(path).spec
    except ShoalError:
        return None
    for kind in dict.fromkeys((column.kind, Kind.CATEGORICAL)):
        attribute = Attribute(column.name, Role.QUASI, kind, hierarchy=spec)
        try:
            encode_column(column.values, attribute)
        except ShoalError:
            continue
        return kind
    return None
