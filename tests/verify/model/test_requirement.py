"""Every model on exact small cases, and against slow twins on many random tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import DataError, VerificationError
from shoal.schema import (
    Attribute,
    HierarchySpec,
    Individual,
    Kind,
    Requirement,
    Role,
    Schema,
    Verdict,
)
from shoal.verify import Published, check_table, verify_release
from shoal.verify.model.requirement import CHECKS
from tests.verify import naive


def check(
    classes: dict[str, list[Any]],
    model: str,
    of: Kind = Kind.CATEGORICAL,
    /,
    spec: HierarchySpec | None = None,
    values: tuple[str, ...] | None = None,
    **parameters: Any,
) -> Verdict:
    """One requirement on a table given as its classes' sensitive values."""
    frame = pl.DataFrame(
        {
            "q": [name for name, cells in classes.items() for _ in cells],
            "s": [None if cell is None else str(cell) for v in classes.values() for cell in v],
        },
        schema={"q": pl.String, "s": pl.String},
    )
    schema = Schema(
        (
            Attribute("q", Role.QUASI, Kind.CATEGORICAL),
            Attribute("s", Role.SENSITIVE, of, hierarchy=spec, values=values),
        )
    )
    ((verdict,), _) = check_table(frame, schema, [Requirement(model, parameters)])
    return verdict


def test_k_anonymity() -> None:
    verdict = check({"x": [1, 2, 3], "y": [1]}, "k-anonymity", k=2)
    assert verdict == Verdict("k-anonymity {k: 2}", False, 2, 1, 2, (2,))


def test_distinct_counts_missing_as_a_value() -> None:
    verdict = check({"x": ["a", None], "y": ["a", "a", "b"]}, "l-diversity", l=2)
    assert (verdict.holds, verdict.reached, verdict.attribute) == (True, 2, "s")
    assert not check({"x": ["a", "a"]}, "l-diversity", l=2).holds


@pytest.mark.parametrize(
    ("kind", "reached"), [("distinct", 1), ("frequency", 1.0), ("entropy", 1.0), ("recursive", 1)]
)
def test_a_missing_value_may_not_count(kind: str, reached: float) -> None:
    c = {"c": 2.0} if kind == "recursive" else {}
    classes = {"x": ["a", None, None], "y": ["a", "b"], "z": [None, None]}
    ignored = check(classes, "l-diversity", l=2, kind=kind, missing="ignore", **c)
    assert (ignored.reached, ignored.offending, ignored.worst_class) == (0, (1, 3), 3)
    known = {name: classes[name] for name in "xy"}
    assert check(known, "l-diversity", l=2, kind=kind, missing="ignore", **c).reached == reached
    nothing = check({"x": [None]}, "l-diversity", l=1, kind=kind, missing="ignore", **c)
    assert (nothing.holds, nothing.reached) == (False, 0)


def test_numbers_compare_as_numbers() -> None:
    classes = {"x": ["1", "1.0", "1e0"]}
    assert check(classes, "l-diversity", Kind.NUMERIC, l=1).reached == 1
    assert check(classes, "l-diversity", l=1).reached == 3


def test_frequency() -> None:
    verdict = check(
        {"x": ["a", "a", "b", "c"], "y": ["a", "b", "c"]}, "l-diversity", l=3, kind="frequency"
    )
    assert (verdict.holds, verdict.reached, verdict.offending) == (False, 2.0, (1,))


@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 10, 49])
def test_entropy_of_equal_values_is_whole(n: int) -> None:
    verdict = check({"x": list(range(n)) * 3}, "l-diversity", l=n, kind="entropy")
    assert (verdict.holds, verdict.reached) == (True, n)


def test_entropy_below() -> None:
    verdict = check({"x": ["a", "a", "b"]}, "l-diversity", l=2, kind="entropy")
    assert not verdict.holds
    assert verdict.reached == pytest.approx(3 / 4 ** (1 / 3))


@pytest.mark.parametrize(
    ("counts", "c", "reached"),
    [
        ([4, 3, 2, 1], 1.0, 2),  # 4 < 3+2+1, but not 4 < 2+1
        ([1, 2, 3, 4], 1.0, 2),  # however the values come
        ([4, 3, 2, 1], 2.0, 3),  # 4 < 2 (2+1), but not 4 < 2 · 1
        ([2, 2], 1.0, 1),  # 2 < 2 is not so
        ([11, 10], 1.1, 1),  # 11 < 1.1 · 10 is not so, though 1.1 * 10 > 11 in floats
        ([7], 1.0, 0),  # not even 7 < 7
        ([7], 1.5, 1),
        ([3, 3, 3], 0.2, 0),
    ],
)
def test_recursive(counts: list[int], c: float, reached: int) -> None:
    cells = [value for value, n in enumerate(counts) for _ in range(n)]
    verdict = check({"x": cells}, "l-diversity", l=reached + 1, kind="recursive", c=c)
    assert (verdict.holds, verdict.reached) == (False, reached)
    if reached:
        assert check({"x": cells}, "l-diversity", l=reached, kind="recursive", c=c).holds


def test_alpha_k() -> None:
    verdict = check({"x": ["a", "a", "b"], "y": ["a", "b"]}, "alpha-k", alpha=0.6, k=2)
    assert (verdict.holds, verdict.offending, verdict.worst_class) == (False, (1,), 1)
    assert verdict.asked == {"alpha": 0.6, "k": 2}
    assert verdict.reached == {"alpha": pytest.approx(2 / 3), "k": 2}
    assert check({"x": ["a", "b", "c"]}, "alpha-k", alpha=1 / 3, k=3).holds
    assert check({"x": ["a"] * 3 + list("bcdefgh")}, "alpha-k", alpha=0.3, k=10).holds


def test_p_sensitive() -> None:
    classes: dict[str, list[Any]] = {"x": ["a", "b", "b"], "y": ["a", "b", None]}
    verdict = check(classes, "p-sensitive", p=3)
    assert verdict == Verdict("p-sensitive {p: 3}", False, 3, 2, 1, (1,), "s")
    assert check(classes, "p-sensitive", p=2).holds is True


def test_closeness_of_li_et_al_2007() -> None:
    """Section 5: salaries 3k … 11k in classes of three."""
    salaries = {"x": [3, 4, 5], "y": [6, 8, 11], "z": [7, 9, 10]}
    verdict = check(salaries, "t-closeness", Kind.NUMERIC, t=0.375)
    assert (verdict.holds, verdict.worst_class) == (True, 1)
    assert verdict.reached == pytest.approx(0.375)
    verdict = check(salaries, "t-closeness", Kind.NUMERIC, t=0.167)
    assert verdict.offending == (1, 3)
    verdict = check(salaries, "t-closeness", Kind.NUMERIC, t=0.166)
    assert verdict.offending == (1, 2, 3)


DISEASES = HierarchySpec(
    "file",
    rows=(
        ("flu", "respiratory infection", "respiratory", "*"),
        ("pneumonia", "respiratory infection", "respiratory", "*"),
        ("bronchitis", "respiratory infection", "respiratory", "*"),
        ("pulmonary oedema", "vascular lung", "respiratory", "*"),
        ("pulmonary embolism", "vascular lung", "respiratory", "*"),
        ("gastric ulcer", "stomach", "digestive", "*"),
        ("stomach cancer", "stomach", "digestive", "*"),
        ("colitis", "colon", "digestive", "*"),
        ("colon cancer", "colon", "digestive", "*"),
    ),
)


def test_hierarchical_distances_of_li_et_al_2007() -> None:
    """Flu and bronchitis are 1/3 apart, flu and pulmonary embolism 2/3, flu and colitis 1."""
    for other, distance in (("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("colitis", 1)):
        verdict = check({"x": ["flu"], "y": [other]}, "t-closeness", spec=DISEASES, t=0)
        assert verdict.reached == pytest.approx(distance / 2)


def test_closeness_is_default_by_kind() -> None:
    classes = {"x": ["a", "b"], "y": ["c", "d"]}
    assert check(classes, "t-closeness", t=1).reached == pytest.approx(0.5)
    order = ("a", "b", "c", "d")
    ordinal = check(classes, "t-closeness", Kind.ORDINAL, values=order, t=1).reached
    assert ordinal == pytest.approx((0.25 + 0.5 + 0.25) / 3)
    jumbled = check(classes, "t-closeness", Kind.ORDINAL, values=("a", "c", "b", "d"), t=1).reached
    assert jumbled == pytest.approx((0.25 + 0 + 0.25) / 3)
    dates = {"x": ["2020-01-01", "2019-12-31"], "y": ["2020-01-02", None]}
    dated = check(dates, "t-closeness", Kind.DATE, t=1).reached
    assert dated == pytest.approx((0.25 + 0.5 + 0.25) / 3)


def test_several_tops_get_a_root() -> None:
    spec = HierarchySpec("file", rows=(("a", "low"), ("b", "low"), ("c", "high")))
    assert check({"x": ["a"], "y": ["b"]}, "t-closeness", spec=spec, t=1).reached == 0.25
    assert check({"x": ["a"], "y": ["c"]}, "t-closeness", spec=spec, t=1).reached == 0.5
    assert check({"x": ["a"], "y": [None]}, "t-closeness", spec=spec, t=1).reached == 0.5
    single = HierarchySpec("file", rows=(("a",), ("b",)))
    assert check({"x": ["a"], "y": ["b"]}, "t-closeness", spec=single, t=1).reached == 0.5


def test_a_missing_value_hangs_under_the_root() -> None:
    assert check({"x": ["flu"], "y": [None]}, "t-closeness", spec=DISEASES, t=1).reached == 0.5
    row = HierarchySpec("file", rows=(*DISEASES.rows, ("", *DISEASES.rows[0][1:])))
    verdict = check({"x": ["flu"], "y": [None]}, "t-closeness", spec=row, t=1)
    assert verdict.reached == pytest.approx(1 / 6)


def test_a_constant_column_divides_by_nothing() -> None:
    constant = {"x": [5, 5], "y": [5]}
    for distance in ("equal", "ordered"):
        verdict = check(constant, "t-closeness", Kind.NUMERIC, t=0, distance=distance)
        assert (verdict.holds, verdict.reached) == (True, 0.0)
    verdict = check(constant, "k-e", Kind.NUMERIC, k=1, e=0)
    assert (verdict.holds, verdict.reached) == (True, {"k": 1, "e": 0.0})
    assert not check(constant, "k-e", Kind.NUMERIC, k=1, e=0.1).holds


def test_k_e_ignores_missing() -> None:
    classes = {"x": [1, 4, None], "y": [None, None], "z": [0, 9]}
    verdict = check(classes, "k-e", Kind.NUMERIC, k=2, e=3)
    assert verdict.reached == {"k": 0, "e": 0.0}
    assert (verdict.offending, verdict.worst_class) == ((2,), 2)


# On either side of every limit -----------------------------------------------------------------

AAB = 3 / 4 ** (1 / 3)  # exp(entropy) of two a and one b


@pytest.mark.parametrize(
    ("cells", "kind", "just", "more"),
    [
        (["a", "a", "b"], "distinct", 2, np.nextafter(2.0, 3)),
        (["a", "a", "b"], "frequency", 1.5, np.nextafter(1.5, 2)),
        (["a", "a", "b"], "entropy", AAB * (1 + 5e-10), AAB * (1 + 2e-9)),
        (["a", "a", "b"], "recursive", 2, np.nextafter(2.0, 3)),
    ],
)
def test_diversity_at_its_edge(cells: list[Any], kind: str, just: float, more: float) -> None:
    """Only entropy, which is a sum of logarithms, has a tolerance: a billionth of l."""
    c = {"c": 2.5} if kind == "recursive" else {}
    assert check({"x": cells}, "l-diversity", l=just, kind=kind, **c).holds is True
    assert check({"x": cells}, "l-diversity", l=more, kind=kind, **c).holds is False


def test_the_tolerance_of_entropy_is_a_share_of_l() -> None:
    many = [*range(30), 0]
    l = check({"x": many}, "l-diversity", l=1, kind="entropy").reached  # noqa: E741
    assert check({"x": many}, "l-diversity", l=l + 2e-8, kind="entropy").holds is True
    assert check({"x": many}, "l-diversity", l=l + 4e-8, kind="entropy").holds is False


def test_closeness_at_its_edge() -> None:
    """Class x is 1/2 from the table; sums of floats may be off by a billionth, not by two."""
    half = {"x": ["a"], "y": ["b"]}
    assert check(half, "t-closeness", t=0.5).holds is True
    assert check(half, "t-closeness", t=0.5 - 5e-10).holds is True
    assert check(half, "t-closeness", t=0.5 - 1e-9).holds is True
    assert check(half, "t-closeness", t=0.5 - 2e-9).holds is False


def test_sizes_shares_and_spreads_at_their_edges() -> None:
    """Counts, one division of counts and one difference are compared as they are."""
    three = {"x": [1, 4, 1]}
    assert check(three, "k-anonymity", k=3).holds is True
    assert check(three, "k-anonymity", k=np.nextafter(3.0, 4)).holds is False
    assert check(three, "alpha-k", alpha=2 / 3, k=3).holds is True
    assert check(three, "alpha-k", alpha=np.nextafter(2 / 3, 0), k=3).holds is False
    assert check(three, "alpha-k", alpha=2 / 3, k=np.nextafter(3.0, 4)).holds is False
    assert check(three, "k-e", Kind.NUMERIC, k=2, e=3).holds is True
    assert check(three, "k-e", Kind.NUMERIC, k=2, e=np.nextafter(3.0, 4)).holds is False
    assert check(three, "k-e", Kind.NUMERIC, k=np.nextafter(2.0, 3), e=3).holds is False


def test_the_worst_class_fails_in_most_ways_then_by_most() -> None:
    """Each of x, y, z fails once or twice; ties go to the share, the size, the spread."""
    alpha = {"x": ["a", "b", "c"], "y": ["a", "a"], "z": ["a", "a", "b", "b"]}
    verdict = check(alpha, "alpha-k", alpha=0.4, k=3)
    assert (verdict.offending, verdict.worst_class) == ((2, 3), 2)
    assert verdict.reached == {"alpha": 1.0, "k": 2}
    assert check(alpha, "alpha-k", alpha=1, k=2).worst_class == 2
    same = {"x": ["a", "b", "a", "b"], "y": ["a", "b"]}
    assert check(same, "alpha-k", alpha=1, k=1).worst_class == 2
    spread = {"x": [1, 9, 5], "y": [1, 2, 3], "z": [1, 7, 4]}
    verdict = check(spread, "k-e", Kind.NUMERIC, k=3, e=7)
    assert (verdict.offending, verdict.worst_class) == ((2, 3), 2)
    verdict = check({"x": [1, 9], "y": [1, 2, 3], "z": [1, 3]}, "k-e", Kind.NUMERIC, k=3, e=7)
    assert (verdict.offending, verdict.worst_class) == ((1, 2, 3), 3)
    closest = check({"x": ["a"], "y": ["a", "b"], "z": ["b", "b", "b"]}, "t-closeness", t=1)
    assert closest.worst_class == 1


# What cannot be checked never holds ------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "parameters", "finding"),
    [
        ("p-sensitivity", {"p": 3}, "no independent check of the model 'p-sensitivity'"),
        ("k-anonymity", {}, "'k' parameter of k-anonymity must be a number of at least 1"),
        ("k-anonymity", {"k": 0}, "got 0 instead"),
        ("k-anonymity", {"k": float("nan")}, "got nan instead"),
        ("k-anonymity", {"k": "2"}, "got '2' instead"),
        ("k-anonymity", {"k": True}, "got True instead"),
        ("l-diversity", {"l": 2, "kind": "other"}, "kind 'other'"),
        ("l-diversity", {"l": 2, "kind": ["distinct"]}, r"kind \['distinct'\]"),
        ("l-diversity", {"l": 2, "missing": "other"}, "missing: 'other'"),
        ("l-diversity", {"l": 2, "kind": "recursive"}, "'c' parameter"),
        ("l-diversity", {"l": 1, "personal": "own"}, "a personal l outside of buckets"),
        ("l-diversity", {"l": 2, "attribute": "nobody"}, "an attribute 'nobody'"),
        ("alpha-k", {"alpha": 1.5, "k": 2}, "'alpha' parameter"),
        ("t-closeness", {"t": -1}, "'t' parameter"),
        ("t-closeness", {"t": 1, "distance": "hierarchical"}, "hierarchy file or tree"),
        ("t-closeness", {"t": 1, "distance": "euclid"}, "distance 'euclid'"),
        ("k-e", {"k": 2, "e": 1}, "numeric attribute"),
    ],
)
def test_refusals(model: str, parameters: dict[str, Any], finding: str) -> None:
    with pytest.raises(VerificationError, match=finding):
        check({"x": ["a", "b"]}, model, **parameters)


def test_values_without_a_place() -> None:
    with pytest.raises(VerificationError, match="Every value of 's' must be in its hierarchy"):
        check({"x": ["gout"]}, "t-closeness", spec=DISEASES, t=1)
    with pytest.raises(VerificationError, match="natural order"):
        check({"x": ["a"]}, "t-closeness", Kind.ORDINAL, values=("b",), t=1)
    with pytest.raises(VerificationError, match="1 cell is not a finite number"):
        check({"x": ["a", "1"]}, "t-closeness", Kind.NUMERIC, t=1)
    twice = HierarchySpec("file", rows=(("a", "x", "*"), ("a", "y", "*")))
    with pytest.raises(VerificationError, match="two different rows for one leaf"):
        check({"x": ["a"]}, "t-closeness", spec=twice, t=1)


def test_no_sensitive_attribute_is_not_a_pass() -> None:
    schema = Schema((Attribute("q", Role.QUASI),))
    with pytest.raises(VerificationError, match="needs a sensitive attribute"):
        check_table(pl.DataFrame({"q": ["a"]}), schema, [Requirement("l-diversity", {"l": 1})])


def test_an_empty_table_proves_nothing() -> None:
    for model, parameters in (
        ("k-anonymity", {"k": 1}),
        ("l-diversity", {"l": 1}),
        ("alpha-k", {"alpha": 1.0, "k": 1}),
        ("t-closeness", {"t": 1.0}),
    ):
        verdict = check({}, model, **parameters)
        assert (verdict.holds, verdict.reached) == (False, None)


def test_a_further_model_plugs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        CHECKS, "one-class", lambda classes, r: iter([Verdict(str(r), len(classes) == 1, 1)])
    )
    assert check({"x": ["a"]}, "one-class").holds
    assert not check({"x": ["a"], "y": ["a"]}, "one-class").holds


# Tables as they are ----------------------------------------------------------------------------


def test_table_as_it_is() -> None:
    schema = Schema(
        (
            Attribute("who", Role.IDENTIFIER),
            Attribute("age", Role.QUASI, Kind.NUMERIC, missing=("?",)),
            Attribute("s", Role.SENSITIVE),
            Attribute("t", Role.SENSITIVE),
        ),
        Individual("who"),
    )
    frame = pl.DataFrame(
        {
            "who": ["a", "a", "b", "c", "d", "e"],
            "age": ["30", "30.0", "[1, 2]", None, "?", "3e1"],
            "s": list("xyxyxz"),
            "t": list("xxxyxx"),
        }
    )
    verdicts, numbers = check_table(
        frame, schema, [Requirement("k-anonymity", {"k": 2}), Requirement("l-diversity", {"l": 2})]
    )
    assert numbers.tolist() == [1, 1, 2, 3, 3, 1]
    assert [v.attribute for v in verdicts] == [None, "s", "t"]
    assert [v.offending for v in verdicts] == [(2,), (2,), (1, 2)]


def test_a_table_without_its_columns() -> None:
    schema = Schema((Attribute("q", Role.QUASI), Attribute("s", Role.SENSITIVE)))
    with pytest.raises(DataError, match=r"'q'.*\n.*'s'"):
        check_table(pl.DataFrame({"x": [1]}), schema, [])


# Slow twins ------------------------------------------------------------------------------------

CELLS = st.one_of(st.none(), st.integers(0, 6))
TABLES = st.lists(st.tuples(st.integers(0, 3), CELLS, st.integers(0, 5)), min_size=1, max_size=30)
TREE = HierarchySpec(
    "tree",
    rows=tuple(
        (str(v), f"pair {v // 2}", "odd" if v == 5 else "even", "top" if v < 6 else "other")
        for v in range(7)
    ),
)


def published(
    rows: list[tuple[int, int | None, int]],
    kind: Kind,
    spec: HierarchySpec | None,
    requirement: Requirement,
    n_published: int,
) -> Verdict:
    """The verdict on a release of the first rows; the rest is suppressed."""
    original = pl.DataFrame(
        {
            "who": [str(p) for _, _, p in rows],
            "q": [str(c) for c, _, _ in rows],
            "s": [None if v is None else str(v) for _, v, _ in rows],
        },
        schema=dict.fromkeys(("who", "q", "s"), pl.String),
    )
    schema = Schema(
        (
            Attribute("who", Role.IDENTIFIER),
            Attribute("q", Role.QUASI, Kind.CATEGORICAL),
            Attribute("s", Role.SENSITIVE, kind, hierarchy=spec),
        )
    )
    data = original.head(n_published).select("q", "s").reverse()
    origin = np.arange(n_published)[::-1].copy()
    # Two class numbers for rows with equal labels: they are one class all the same.
    classes = np.array([10 * (c + 1) + i % 2 for i, (c, _, _) in enumerate(rows)])
    classes[n_published:] = -1
    (verdict,) = verify_release(
        Published({"data": data}, original, origin, classes, schema, [requirement])
    )
    return verdict


def expect(
    verdict: Verdict,
    reached: dict[int, float],
    good: dict[int, bool],
    worst: Any,
    rows: list[Any],
    n_published: int,
) -> None:
    number = {
        c: min(10 * (c + 1) + i % 2 for i, row in enumerate(rows[:n_published]) if row[0] == c)
        for c in reached
    }
    assert verdict.reached == pytest.approx(worst(reached.values()), abs=1e-9)
    assert verdict.offending == tuple(sorted(number[c] for c in reached if not good[c]))
    assert verdict.holds == all(good.values())
    (at,) = [c for c in reached if number[c] == verdict.worst_class]
    assert reached[at] == pytest.approx(worst(reached.values()), abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(TABLES, st.data())
def test_diversity_twins(rows: list[Any], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(rows)))
    kind, bound = (
        data.draw(st.sampled_from(["distinct", "frequency", "entropy", "recursive"])),
        data.draw(st.integers(1, 5)),
    )
    c = data.draw(st.sampled_from([0.5, 1.0, 1.1, 3.0]))
    twin: dict[str, Any] = {
        "distinct": lambda v: len(set(v)),
        "frequency": naive.frequency_l,
        "entropy": naive.entropy_l,
        "recursive": lambda v: naive.recursive_l(v, c),
    }
    classes: dict[int, list[Any]] = {}
    for q, s, _ in rows[:n]:
        classes.setdefault(q, []).append(s)
    reached = {q: twin[kind](v) for q, v in classes.items()}
    good = {q: r >= bound - 1e-9 for q, r in reached.items()}
    parameters = {"l": bound, "kind": kind, "c": c if kind == "recursive" else None}
    if data.draw(st.booleans()):
        parameters["missing"] = "ignore"
        known = {q: [s for s in v if s is not None] for q, v in classes.items()}
        reached = {q: twin[kind](v) if v else 0 for q, v in known.items()}
        good = {q: r >= bound - 1e-9 for q, r in reached.items()}
    verdict = published(rows, Kind.CATEGORICAL, None, Requirement("l-diversity", parameters), n)
    expect(verdict, reached, good, min, rows, n)


@settings(max_examples=200, deadline=None)
@given(TABLES, st.data())
def test_closeness_twins(rows: list[Any], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(rows)))
    distance = data.draw(st.sampled_from(["equal", "ordered", "hierarchical"]))
    t = data.draw(st.sampled_from([0.0, 0.13, 0.31, 0.57, 1.0]))
    table = [s for _, s, _ in rows]
    order = sorted({s for s in table if s is not None}) + ([None] if None in table else [])
    classes: dict[int, list[Any]] = {}
    for q, s, _ in rows[:n]:
        classes.setdefault(q, []).append(s)
    above = {int(row[0]): (*row, "root") for row in TREE.rows}
    above[None] = ("", "-", "-", "-", "root")  # type: ignore[index]
    apart = {(a, b): naive.leaf_distance(above[a], above[b]) for a in order for b in order}
    twin: dict[str, Any] = {
        "equal": lambda v: naive.emd_equal(v, table),
        "ordered": lambda v: naive.emd_ordered(v, table, order),
        "hierarchical": lambda v: naive.emd_by_flow(v, table, apart),
    }
    reached = {q: twin[distance](v) for q, v in classes.items()}
    good = {q: r <= t + 1e-8 for q, r in reached.items()}
    kind = Kind.NUMERIC if distance == "ordered" else Kind.CATEGORICAL
    requirement = Requirement("t-closeness", {"t": t, "distance": distance})
    verdict = published(rows, kind, TREE, requirement, n)
    expect(verdict, reached, good, max, rows, n)


@settings(max_examples=100, deadline=None)
@given(TABLES, st.integers(1, 4), st.sampled_from([0.3, 0.5, 1.0]), st.integers(0, 5))
def test_people_share_and_spread_twins(rows: list[Any], k: int, alpha: float, e: int) -> None:
    frame = pl.DataFrame(
        {
            "q": [str(q) for q, _, _ in rows],
            "s": [None if s is None else f"{s}.0" for _, s, _ in rows],
            "who": [str(p) for _, _, p in rows],
        },
        schema=dict.fromkeys(("q", "s", "who"), pl.String),
    )
    schema = Schema(
        (
            Attribute("q", Role.QUASI),
            Attribute("s", Role.SENSITIVE, Kind.NUMERIC),
            Attribute("who", Role.IDENTIFIER),
        ),
        Individual("who"),
    )
    requirements = [
        Requirement("k-anonymity", {"k": k}),
        Requirement("alpha-k", {"alpha": alpha, "k": k}),
        Requirement("k-e", {"k": k, "e": e}),
    ]
    verdicts, numbers = check_table(frame, schema, requirements)
    order = list(dict.fromkeys(q for q, _, _ in rows))
    assert numbers.tolist() == [order.index(q) + 1 for q, _, _ in rows]
    people = {q: len({p for r, _, p in rows if r == q}) for q in order}
    shares = {}
    present = {}
    for q in order:
        cells = [s for r, s, _ in rows if r == q]
        shares[q] = max(Counter(cells).values()) / len(cells)
        present[q] = {s for s in cells if s is not None}
    spread = {q: max(v) - min(v) if v else 0 for q, v in present.items()}
    fails = [
        [q for q in order if people[q] < k],
        [q for q in order if people[q] < k or shares[q] > alpha],
        [q for q in order if len(present[q]) < k or spread[q] < e],
    ]
    for verdict, failing in zip(verdicts, fails, strict=True):
        assert verdict.offending == tuple(sorted(order.index(q) + 1 for q in failing))
        assert verdict.holds == (not failing)
    assert verdicts[0].reached == min(people.values())
    assert verdicts[1].reached == {"alpha": max(shares.values()), "k": min(people.values())}
    assert verdicts[2].reached == {
        "k": min(map(len, present.values())),
        "e": min(spread.values()),
    }
