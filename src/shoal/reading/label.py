"""The grammar of published text.

`*`, a closed range `[a, b]`, a half-open interval `[a, b[`, the tails `<x`, `<=x`, `>x`, `>=x`, a
set `{a, b}`, a mask `12*`, and a bare value. Which of them a column may use depends on its
attribute. Written from the definition of the published text, not from the code that prints it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reading.cell import Extents
from shoal.reading.encoding import Codes, Flags, Integers, encode_text

Reader: TypeAlias = Callable[[pl.Series], Extents]

STAR = "*"


class Form(IntEnum):
    """How the label of a number or a time is written."""

    BARE = 0
    CLOSED = 1
    HALF_OPEN = 2
    BELOW = 3
    UP_TO = 4
    ABOVE = 5
    FROM = 6


ANY_FORM = frozenset(Form)
_TAILS = {"<": Form.BELOW, "<=": Form.UP_TO, ">": Form.ABOVE, ">=": Form.FROM}
# An end has none of the signs of the grammar, and no blanks around it.
_END = r"[^\s,\[\]<>=](?:[^,\[\]<>=]*[^\s,\[\]<>=])?"
# A range, an interval or a tail.
RANGE = (
    rf"\A(?:\[(?<low>{_END}), (?<high>{_END})(?<close>[\]\[])|(?<tail><=|>=|<|>)(?<end>{_END}))\z"
)


@dataclass(frozen=True)
class Spans:
    """What each distinct label covers, as closed spans; the last entry is the null cell.

    `first` and `second` are the ends as written (of a tail or a bare value, both are the one that
    there is). A star covers all, null covers only the missing value, a malformed label nothing.
    """

    form: NDArray[np.int8]
    first: NDArray[Any]
    second: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]
    star: Flags
    malformed: Flags


def read_spans(texts: pl.Series, read: Reader, allowed: frozenset[Form]) -> Spans:
    """Read distinct labels of numbers or times; `read` understands one end."""
    texts = texts.extend_constant(None, 1) if texts.len() else pl.Series([None], dtype=pl.String)
    parts = texts.str.extract_groups(RANGE).struct.unnest()
    form = _forms(parts)
    left = read(parts["low"].fill_null(parts["end"]).fill_null(texts))
    right = read(parts["high"].fill_null(parts["end"]).fill_null(texts))
    star = (texts == STAR).fill_null(False).to_numpy().astype(np.bool_)
    low, high = _closed_span(form, left, right)
    wrong = left.unreadable | right.unreadable | left.missing | right.missing | (low > high)
    wrong |= ~np.isin(form, sorted(allowed))
    # The empty cell at the end is no label that could be malformed.
    wrong[-1] = False
    covers = ~(star | wrong)
    covers[-1] = False
    # A span from the largest to the least covers nothing.
    least, most = _limits(left.low)
    low, high = np.where(covers, low, most), np.where(covers, high, least)
    return Spans(form, left.low, right.low, low, high, star, wrong & ~star)


def _forms(parts: pl.DataFrame) -> NDArray[np.int8]:
    form = np.full(parts.height, Form.BARE, dtype=np.int8)
    form[(parts["close"] == "]").fill_null(False).to_numpy()] = Form.CLOSED
    form[(parts["close"] == "[").fill_null(False).to_numpy()] = Form.HALF_OPEN
    for sign, tail in _TAILS.items():
        form[(parts["tail"] == sign).fill_null(False).to_numpy()] = tail
    return form


def _limits(ends: NDArray[Any]) -> tuple[float, float]:
    """The least and the largest end of this type."""
    if ends.dtype == np.float64:
        return -np.inf, np.inf
    return np.iinfo(np.int64).min, np.iinfo(np.int64).max


def _next(ends: NDArray[Any], step: int) -> NDArray[Any]:
    """The nearest number or microsecond on one side: turns an open end into a closed one."""
    following: NDArray[Any] = ends + step
    if ends.dtype == np.float64:
        following = np.nextafter(ends, step * np.inf)
    return following


def _closed_span(
    form: NDArray[np.int8], left: Extents, right: Extents
) -> tuple[NDArray[Any], NDArray[Any]]:
    least, most = _limits(left.low)
    low, high = left.low.copy(), right.high.copy()
    high[form == Form.HALF_OPEN] = _next(right.low, -1)[form == Form.HALF_OPEN]
    high[form == Form.BELOW] = _next(left.low, -1)[form == Form.BELOW]
    low[form == Form.ABOVE] = _next(left.high, 1)[form == Form.ABOVE]
    low[np.isin(form, (Form.BELOW, Form.UP_TO))] = least
    high[np.isin(form, (Form.ABOVE, Form.FROM))] = most
    return low, high


_MARKS = re.compile(r'[,{}\[\]"]')
# Most sets have no quotation marks, and are split all at once; a bare star must have some.
_BARE_STAR = r"[{ ]\*[,}]"
_EASY_SET = r'\A\{[^,{}\[\]"]+(?:, [^,{}\[\]"]+)+\}\z'
_MEMBER = re.compile(r'("(?:[^"\\]|\\.)*"|[^,{}\[\]"]+)(, )?', re.DOTALL)


def parse_set(text: str) -> tuple[str, ...] | None:
    """The members of a published set `{a, b}`, else None; a missing member is the empty text.

    Members that contain one of , { } [ ] " or equal * are JSON-quoted, and only those; a set has
    at least two members. Their order is not checked.

    >>> parse_set('{"", "a, b", c}'), parse_set("{a,b}"), parse_set("{a}")
    (('', 'a, b', 'c'), None, None)
    """
    if not looks_like_set(text):
        return None
    inside = text[1:-1]
    members = [] if '"' in inside else inside.split(", ")
    if members:
        whole = all(_is_plain(member) for member in members)
    else:
        whole = _take_members(inside, members)
    return tuple(members) if whole and len(members) > 1 else None


def looks_like_set(text: str) -> bool:
    """Whether a text is in braces."""
    return len(text) >= 2 and text[0] == "{" and text[-1] == "}"


def _is_plain(member: str) -> bool:
    return member not in ("", STAR) and _MARKS.search(member) is None


def _take_members(inside: str, members: list[str]) -> bool:
    """Append the members one after the other; whether they make up the whole."""
    position, again = 0, True
    while again:
        found = _MEMBER.match(inside, position)
        member = None if found is None else _unquote(found[1])
        if found is None or member is None:
            return False
        members.append(member)
        position, again = found.end(), found[2] is not None
    return position == len(inside)


def _unquote(member: str) -> str | None:
    if not member.startswith('"'):
        return member if _is_plain(member) else None
    try:
        value = json.loads(member)
        # Half of a surrogate pair is legal in JSON, but is no text.
        str(value).encode()
    except ValueError:
        return None
    # Needless quotation marks would give one set two texts, and classes are compared by these.
    return value if isinstance(value, str) and not _is_plain(value) else None


@dataclass(frozen=True, eq=False)
class Sets:
    """The sets among distinct labels: their different members, and which set has which.

    The label `owners[i]` has the member `members[codes[i]]`; a missing member is the empty text.
    """

    is_set: Flags
    members: tuple[str, ...]
    owners: Codes
    codes: Codes

    @classmethod
    def read(cls, texts: pl.Series) -> Self:
        """Take the sets among these labels apart; those without quotation marks all at once.

        >>> sets = Sets.read(pl.Series(["{a, b}", "a", None, '{"", b}']))
        >>> sets.is_set.tolist(), sets.sizes.tolist()
        ([True, False, False, True], [2, 0, 0, 2])
        """
        labels = pl.DataFrame({"text": texts, "owner": np.arange(len(texts), dtype=np.int32)})
        labels = labels.filter(pl.col("text").str.starts_with("{"))
        easy = pl.col("text").str.contains(_EASY_SET) & ~pl.col("text").str.contains(_BARE_STAR)
        parts = labels.filter(easy).select(
            "owner", pl.col("text").str.slice(1).str.head(-1).str.split(", ").alias("member")
        )
        parsed = [(owner, parse_set(text)) for text, owner in labels.filter(~easy).iter_rows()]
        rest = pl.DataFrame(
            [(owner, list(members)) for owner, members in parsed if members is not None],
            schema=parts.schema,
            orient="row",
        )
        pairs = pl.concat([parts, rest]).explode("member")
        coded, owners = encode_text(pairs["member"]), pairs["owner"].to_numpy()
        is_set = np.zeros(len(texts), dtype=np.bool_)
        is_set[owners] = True
        return cls(is_set, tuple(coded.texts.to_list()), owners, coded.codes)

    @cached_property
    def sizes(self) -> Integers:
        """How many members each label has; 0 where it is no set."""
        return np.bincount(self.owners, minlength=len(self.is_set))


def covers_masked(mask: str, value: str) -> bool:
    """Whether a value is as long as a mask and equal to it up to the stars at its end.

    >>> covers_masked("2135*", "21357"), covers_masked("2135*", "21344"), covers_masked("2*", "213")
    (True, False, False)
    """
    return len(value) == len(mask) and value.startswith(mask.rstrip(STAR))


def is_sorted(members: tuple[str, ...], order: Mapping[str, int] | None) -> bool:
    """Whether a set is sorted without repeats: by `order`, else by text.

    The missing member may be first or last. A set with a member that `order` lacks is unsorted.

    >>> is_sorted(("", "a", "b"), None), is_sorted(("a", "a"), None)
    (True, False)
    >>> is_sorted(("low", "high"), {"low": 0, "high": 1})
    True
    """
    known = members[1:] if members[0] == "" else members
    known = known[:-1] if known and known[-1] == "" and members[0] != "" else known
    if "" in known or (order is not None and any(member not in order for member in known)):
        return False
    keys = list(known) if order is None else [order[member] for member in known]
    return all(a < b for a, b in pairwise(keys))  # type: ignore[operator]
