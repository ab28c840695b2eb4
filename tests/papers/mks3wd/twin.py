"""A slow, obvious twin of the three schemes of MKS3WD, over plain lists, written from the paper.

Algorithms 1 to 3, the second as its Example 4 works it out. Ties are in the order of the rows.
"""

from __future__ import annotations

from typing import Any


def _varied(rows: Any, members: list[int], least: int) -> bool:
    """Whether members have at least so many different secrets; without any it does not matter."""
    return least < 2 or len({rows[r]["ill"] for r in members}) >= least


def release_people(
    rows: list[dict[str, Any]],
    method: str,
    a_b: Any,
    pairs: Any,
    boundary: str,
    l: int = 1,  # noqa: E741
) -> Any:
    """Who is released, by row: at which level (from 1) and under which k.

    A row has a vector of values for every level (`v`), a sensitivity (`f`) and, where `l` is above
    1, a secret (`ill`); `a_b` are the thresholds and `pairs` the k of the levels.
    """
    m = len(rows[0]["v"])
    out: dict[int, tuple[int, int]] = {}
    by_f = sorted(range(len(rows)), key=lambda r: -rows[r]["f"])

    def ladder(members: list[int], k: int) -> list[int]:
        left = list(members)
        for c in range(m):
            groups: dict[Any, list[int]] = {}
            for r in left:
                groups.setdefault(rows[r]["v"][c], []).append(r)
            for group in groups.values():
                if len(group) >= k and _varied(rows, group, l):
                    out.update(dict.fromkeys(group, (c + 1, k)))
            left = [r for r in left if r not in out]
        return left

    universe = by_f
    n = len(a_b)
    for t, ((a, b), (high, low)) in enumerate(zip(a_b, pairs, strict=True)):
        pos = [r for r in universe if rows[r]["f"] >= a]
        neg = [r for r in universe if rows[r]["f"] <= b and r not in pos]
        bnd = [r for r in universe if r not in pos and r not in neg]
        if t == n - 1 and boundary == "protect":
            pos, bnd = [r for r in universe if r in pos or r in bnd], []
        low_unsafe = ladder(neg, low)
        unsafe = ladder(pos, high)
        if method == "sd-mks3wd":
            bnd = bnd + unsafe
        elif method == "se-mks3wd":
            s = t + 1
            while unsafe and s < n:
                offered = [r for r in bnd if rows[r]["f"] >= a_b[s][0]]
                if not offered:
                    s += 1
                    continue
                bnd.remove(offered[0])
                unsafe = ladder([*unsafe, offered[0]], high)
        else:
            _extract_classes(rows, out, unsafe, bnd, a_b, t, high, m, l)
        universe = [r for r in by_f if r in bnd or r in low_unsafe]
    return out


def _extract_classes(
    rows: Any,
    out: Any,
    unsafe: list[int],
    bnd: list[int],
    a_b: Any,
    t: int,
    k: int,
    m: int,
    l: int,  # noqa: E741
) -> None:
    """Algorithm 3: complete unsafe groups with whole classes of the undecided."""
    n = len(a_b)

    def full(members: list[int]) -> bool:
        return len(members) >= k and _varied(rows, members, l)

    for c in range(m):
        alike = len({row["v"][c] for row in rows}) == 1
        groups: dict[Any, list[int]] = {}
        for r in unsafe:
            if r not in out:
                groups.setdefault(rows[r]["v"][c], []).append(r)
        for vector, group in groups.items():
            pool = [
                r
                for r in bnd
                if t < n - 1 and rows[r]["f"] >= a_b[-1][0] and rows[r]["v"][c] == vector
            ]
            if not full([*group, *pool]):
                continue
            took: list[int] = []
            for s in range(t + 1, n):
                fresh = [r for r in pool if rows[r]["f"] >= a_b[s][0] and r not in took]
                for r in fresh:
                    if alike and full([*group, *took]):
                        break
                    took.append(r)
                if full([*group, *took]):
                    break
            for r in took:
                bnd.remove(r)
            out.update(dict.fromkeys([*group, *took], (c + 1, k)))
