"""People with several rows: the identity-reserved models, and repeated rows that are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import VerificationError
from shoal.schema import Attribute, Individual, Kind, Requirement, Role, Schema, Verdict
from shoal.verify import Published, check_table, verify_release
from shoal.verify.model.hitting import fewest_values
from tests.papers.identity.cases import PATIENTS
from tests.verify import naive

SCHEMA = Schema(
    (
        Attribute("who", Role.IDENTIFIER),
        Attribute("q", Role.QUASI, Kind.CATEGORICAL),
        Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL, missing=("?",)),
    ),
    Individual("who"),
)
FIVE = {
    "ir-k": {"k": 2},
    "ir-kl": {"k": 2, "l": 2},
    "ir-alpha-beta": {"alpha": 0.5, "beta": 0.5},
    "eir-l": {"l": 2},
    "eir-alpha-beta": {"alpha": 0.5, "beta": 0.5},
}


def check(classes: dict[str, dict[str, str]], model: str, **parameters: Any) -> Verdict:
    """One requirement on classes of people, whose rows are the letters of a word."""
    rows = [
        (who, q, value)
        for q, people in classes.items()
        for who, word in people.items()
        for value in word
    ]
    frame = pl.DataFrame(rows, schema=["who", "q", "s"], orient="row")
    ((verdict,), _) = check_table(frame, SCHEMA, [Requirement(model, parameters)])
    return verdict


# The models ------------------------------------------------------------------------------------

EVEN = {"x": {"1": "ab", "2": "a", "3": "c"}, "y": {"4": "bc", "5": "d"}}


def test_ir_k_counts_people() -> None:
    assert check(EVEN, "ir-k", k=2).holds
    verdict = check(EVEN, "ir-k", k=3)
    assert verdict == Verdict("ir-k {k: 3}", False, 3, 2, 2, (2,))


def test_ir_kl() -> None:
    verdict = check(EVEN, "ir-kl", k=3, l=3)
    assert (verdict.holds, verdict.offending, verdict.attribute) == (False, (2,), "s")
    assert (verdict.asked, verdict.reached) == ({"k": 3, "l": 3}, {"k": 2, "l": 3})
    assert check(EVEN, "ir-kl", k=2, l=3).holds
    assert not check(EVEN, "ir-kl", k=2, l=4).holds


def test_alpha_beta_by_rows_and_by_people() -> None:
    # x: 4 rows of 3 people, of whom two have 'a'; y: 3 rows of 2 people.
    by_rows = check(EVEN, "ir-alpha-beta", alpha=0.5, beta=0.5)
    assert (by_rows.offending, by_rows.reached) == ((2,), {"alpha": 2 / 3, "beta": 0.5})
    by_people = check(EVEN, "eir-alpha-beta", alpha=0.7, beta=0.5)
    assert (by_people.offending, by_people.reached) == ((1,), {"alpha": 2 / 3, "beta": 2 / 3})
    assert by_people.asked == {"alpha": 0.7, "beta": 0.5}


def test_a_share_equal_to_its_limit_holds() -> None:
    ten = {"x": {str(i): "a" if i < 3 else chr(98 + i) for i in range(10)}}
    assert check(ten, "eir-alpha-beta", alpha=0.1, beta=0.3).holds
    assert not check(ten, "eir-alpha-beta", alpha=0.1, beta=0.3 - 1e-12).holds
    assert not check(ten, "eir-alpha-beta", alpha=0.1 - 1e-12, beta=0.3).holds
    assert check({"x": {"1": "a"}}, "eir-alpha-beta", alpha=1, beta=1).holds


def test_the_class_that_fails_in_both_ways_is_worst() -> None:
    classes = {"x": {"1": "aaaa", "2": "b", "3": "c"}, "y": {"4": "ab", "5": "a"}}
    verdict = check(classes, "eir-alpha-beta", alpha=0.6, beta=0.9)
    assert (verdict.worst_class, verdict.offending) == (2, (1, 2))
    verdict = check({"x": {"1": "abc"}, "y": {"2": "a", "3": "a"}}, "ir-kl", k=2, l=2)
    assert (verdict.worst_class, verdict.reached) == (1, {"k": 1, "l": 1})


def test_the_worst_class_has_the_largest_person_then_the_commonest_value() -> None:
    verdict = check(EVEN, "eir-alpha-beta", alpha=1, beta=1)
    assert (verdict.holds, verdict.worst_class) == (True, 2), "2/3 of y are the rows of one person"
    alike = {"x": {"1": "a", "2": "b"}, "y": {"3": "a", "4": "a"}, "z": {"5": "c", "6": "d"}}
    assert check(alike, "eir-alpha-beta", alpha=1, beta=1).worst_class == 2


def test_a_value_in_two_rows_of_a_person_is_one_person_with_it() -> None:
    verdict = check({"x": {"1": "aab", "2": "c"}}, "ir-alpha-beta", alpha=1, beta=0.25)
    assert (verdict.holds, verdict.reached["beta"]) == (True, 0.25)


@pytest.mark.parametrize(
    ("people", "fewest"),
    [
        (["a", "b", "c"], 3),
        (["ab", "ac", "ad"], 1),
        (["ab", "cd", "ac"], 2),
        (["ab", "bc", "ca"], 2),  # pairwise not disjoint, and no value in common
        (["ab", "bc", "cd", "da", "ac", "bd"], 3),
        (["a", "ab", "bc", "cd"], 2),  # 'a' is certain, 'c' does for the rest
        (["ac", "ace", "af", "ce", "eg", "d", "de", "df"], 3),  # the paper's example of BHS
        # Two values of the set that is branched on, and not its commonest.
        (["acd", "cdg", "abf", "aegh", "adfg", "cdef", "bcfg", "adeh", "bcdg"], 2),
    ],
)
def test_eir_l_is_the_minimum_hitting_set_counted_up_to_l(people: list[str], fewest: int) -> None:
    classes = {"x": {str(i): word for i, word in enumerate(people)}}
    for least in range(1, 6):
        verdict = check(classes, "eir-l", l=least)
        assert (verdict.holds, verdict.reached) == (least <= fewest, min(least, fewest))


def test_a_fraction_asks_for_the_next_whole() -> None:
    classes = {"x": {"1": "a", "2": "b"}}
    assert check(classes, "eir-l", l=1.5).holds
    assert not check(classes, "eir-l", l=2.5).holds


@pytest.mark.parametrize("least", [1e300, 10**300])
def test_nobody_reaches_more_values_than_there_are(least: float) -> None:
    verdict = check({"x": {"1": "a", "2": "b", "3": "ab"}}, "eir-l", l=least)
    assert (verdict.holds, verdict.reached, verdict.asked) == (False, 2, least)


def test_a_missing_value_is_a_value() -> None:
    frame = pl.DataFrame(
        {"who": ["1", "2", "3"], "q": ["x"] * 3, "s": [None, "?", "a"]},
        schema=dict.fromkeys(("who", "q", "s"), pl.String),
    )
    ((verdict,), _) = check_table(frame, SCHEMA, [Requirement("eir-l", {"l": 2})])
    assert (verdict.holds, verdict.reached) == (True, 2)


@pytest.mark.parametrize("model", FIVE)
def test_people_must_be_known(model: str) -> None:
    frame = pl.DataFrame({"who": ["1"], "q": ["x"], "s": ["a"]})
    asked = [Requirement(model, FIVE[model])]
    with pytest.raises(
        VerificationError, match=(f"^{model} must know which rows belong to the same person")
    ):
        check_table(frame, replace(SCHEMA, individual=None), asked)


@pytest.mark.parametrize(
    ("model", "parameters", "finding"),
    [
        ("ir-k", {}, "'k' parameter of ir-k must be a number of at least 1, got None"),
        ("ir-kl", {"k": 2}, "'l' parameter"),
        ("ir-alpha-beta", {"alpha": 0.5}, "'beta' parameter"),
        ("ir-alpha-beta", {"alpha": 0.5, "beta": 1.1}, "got 1.1 instead"),
        ("eir-alpha-beta", {"alpha": 0, "beta": 1}, "above 0 and at most 1, got 0 instead"),
        ("eir-l", {"l": 0}, "got 0 instead"),
        ("eir-l", {"l": 2, "attribute": "gone"}, "an attribute 'gone'"),
    ],
)
def test_refusals(model: str, parameters: dict[str, Any], finding: str) -> None:
    with pytest.raises(VerificationError, match=finding):
        check(EVEN, model, **parameters)


@pytest.mark.parametrize("model", FIVE)
def test_no_rows_prove_nothing(model: str) -> None:
    frame = pl.DataFrame(schema=dict.fromkeys(("who", "q", "s"), pl.String))
    ((verdict,), _) = check_table(frame, SCHEMA, [Requirement(model, FIVE[model])])
    assert (verdict.holds, verdict.reached, verdict.note) == (False, None, "no rows")


def test_every_sensitive_attribute_gets_a_verdict() -> None:
    schema = replace(SCHEMA, attributes=(*SCHEMA.attributes, Attribute("t", Role.SENSITIVE)))
    frame = pl.DataFrame({"who": ["1", "2"], "q": ["x", "x"], "s": ["a", "b"], "t": ["c", "c"]})
    asked = [Requirement(model, parameters) for model, parameters in FIVE.items()]
    verdicts, _ = check_table(frame, schema, asked)
    assert [v.attribute for v in verdicts] == [None, *["s", "t"] * 4]
    assert [v.holds for v in verdicts] == [True, *[True, False] * 4]
    (one,), _ = check_table(frame, schema, [Requirement("eir-l", {"l": 2, "attribute": "s"})])
    assert (one.holds, one.attribute) == (True, "s")


# Slow twins ------------------------------------------------------------------------------------

TABLES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 6), st.sampled_from("abcdef")),
    min_size=1,
    max_size=24,
)


def expected(rows: naive.Rows, parameters: dict[str, Any]) -> dict[str, tuple[Any, bool]]:
    """What every model reaches in one class, and whether it holds there."""
    k, least, alpha, beta = (parameters[name] for name in ("k", "l", "alpha", "beta"))
    people = naive.values_of_people(rows)
    n_values = len(set().union(*people.values()))
    fewest = naive.fewest_shown(people)
    largest = naive.largest_person(rows)
    by_rows, by_people = (naive.commonest_value(rows, of_people=of) for of in (False, True))
    return {
        "ir-k": (len(people), len(people) >= k),
        "ir-kl": ((len(people), n_values), len(people) >= k and n_values >= least),
        "ir-alpha-beta": ((largest, by_rows), largest <= alpha and by_rows <= beta),
        "eir-l": (min(fewest, least), fewest >= least),
        "eir-alpha-beta": ((largest, by_people), largest <= alpha and by_people <= beta),
    }


NAMES = {
    "ir-k": ("k",),
    "ir-kl": ("k", "l"),
    "ir-alpha-beta": ("alpha", "beta"),
    "eir-l": ("l",),
    "eir-alpha-beta": ("alpha", "beta"),
}
LIMITS = st.fixed_dictionaries(
    {
        "k": st.integers(1, 5),
        "l": st.integers(1, 5),
        "alpha": st.sampled_from([0.2, 0.25, 0.4, 0.5, 1.0]),
        "beta": st.sampled_from([0.25, 1 / 3, 0.5, 0.6, 1.0]),
    }
)


def compare(
    verdicts: Sequence[Verdict], classes: dict[int, naive.Rows], parameters: dict[str, Any]
) -> None:
    """Verdicts of the five models against what the slow twins find in numbered classes."""
    found = {number: expected(rows, parameters) for number, rows in classes.items()}
    for model, verdict in zip(FIVE, verdicts, strict=True):
        failing = tuple(sorted(n for n, of in found.items() if not of[model][1]))
        assert (verdict.offending, verdict.holds) == (failing, not failing)
        reached = [of[model][0] for of in found.values()]
        worst = max if "beta" in model else min
        if len(NAMES[model]) == 1:
            assert verdict.reached == worst(reached)
            assert found[verdict.worst_class or 0][model][0] == verdict.reached
        else:
            ends = map(worst, zip(*reached, strict=True))
            assert verdict.reached == dict(zip(NAMES[model], ends, strict=True))
            assert not failing or verdict.worst_class in failing


def requirements(parameters: dict[str, Any]) -> list[Requirement]:
    return [Requirement(m, {n: parameters[n] for n in names}) for m, names in NAMES.items()]


@settings(max_examples=300, deadline=None)
@given(TABLES, LIMITS)
def test_twins(rows: list[tuple[int, int, str]], parameters: dict[str, Any]) -> None:
    """Somebody may stand in several classes here: each class is judged by itself."""
    frame = pl.DataFrame(
        {
            "q": [str(q) for q, _, _ in rows],
            "who": [p for _, p, _ in rows],
            "s": [s for *_, s in rows],
        }
    )
    verdicts, numbers = check_table(frame, SCHEMA, requirements(parameters))
    classes: dict[int, Any] = {}
    for number, (_, who, value) in zip(numbers.tolist(), rows, strict=True):
        classes.setdefault(number, []).append((who, value))
    compare(verdicts, classes, parameters)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sets(st.integers(0, 7), min_size=2, max_size=4), min_size=3, max_size=7),
    st.integers(1, 6),
)
def test_search_twin(sets: list[set[int]], least: int) -> None:
    rows = [(str(who), "x", str(value)) for who, values in enumerate(sets) for value in values]
    frame = pl.DataFrame(rows, schema=["who", "q", "s"], orient="row")
    ((verdict,), _) = check_table(frame, SCHEMA, [Requirement("eir-l", {"l": least})])
    assert verdict.reached == min(least, naive.fewest_shown(dict(enumerate(sets))))  # type: ignore[arg-type]


def test_many_classes_at_once() -> None:
    draw = np.random.default_rng(5)
    rows = [
        (who, who // 4, value)
        for who in range(1200)
        for value in draw.choice(9, size=draw.integers(1, 5), replace=False).tolist()
    ]
    frame = pl.DataFrame(rows, schema=["who", "q", "s"], orient="row")
    asked = [Requirement("eir-l", {"l": least}) for least in (2, 3, 4)]
    verdicts, numbers = check_table(frame.with_columns(pl.all().cast(pl.String)), SCHEMA, asked)
    fewest = {}
    for number in range(1, int(numbers.max()) + 1):
        own = [(p, v) for (p, _, v), n in zip(rows, numbers, strict=True) if n == number]
        fewest[number] = naive.fewest_shown(naive.values_of_people(own))
    assert set(fewest.values()) == {1, 2, 3, 4}
    for least, verdict in zip((2, 3, 4), verdicts, strict=True):
        assert verdict.offending == tuple(n for n, found in fewest.items() if found < least)


def test_all_halves_of_many_values() -> None:
    """Every five of ten values are somebody's: five values miss somebody, and six nobody."""
    classes = {"x": {str(i): "".join(c) for i, c in enumerate(combinations("abcdefghij", 5))}}
    assert check(classes, "eir-l", l=6).holds
    verdict = check(classes, "eir-l", l=7)
    assert (verdict.holds, verdict.reached) == (False, 6)


# The paper's tables ----------------------------------------------------------------------------

HOSPITAL = Schema(
    (
        Attribute("name", Role.IDENTIFIER),
        Attribute("gender", Role.QUASI, Kind.CATEGORICAL),
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("postcode", Role.QUASI, Kind.CATEGORICAL),
        Attribute("disease", Role.SENSITIVE, Kind.CATEGORICAL),
    ),
    Individual("name"),
)


def publish(labels: dict[int, tuple[str, str, str]], class_of: dict[str, int]) -> Any:
    """Verify the patients under the labels of their class, in the order of the classes."""
    classes = np.array([class_of[name] for name in PATIENTS["name"]])
    origin = np.argsort(classes, kind="stable")
    names = PATIENTS["name"].gather(origin).to_list()
    first = list(dict.fromkeys(names))
    shown = [labels[c] for c in classes[origin]]
    data = pl.DataFrame(
        {
            "Id_num": [str(first.index(name) + 1) for name in names],
            **{c: [s[i] for s in shown] for i, c in enumerate(("gender", "age", "postcode"))},
            "disease": PATIENTS["disease"].gather(origin),
        }
    )
    asked = [
        Requirement("ir-kl", {"k": 3, "l": 3}),
        Requirement("ir-alpha-beta", {"alpha": 0.4, "beta": 0.6}),
        Requirement("eir-l", {"l": 3}),
        Requirement("eir-alpha-beta", {"alpha": 0.4, "beta": 0.6}),
    ]
    return verify_release(Published({"data": data}, PATIENTS, origin, classes, HOSPITAL, asked))


def test_table_3_is_identity_reserved_and_everybody_has_hypertension() -> None:
    second = {"Mike", "Tim", "Jane"}
    class_of = {name: 2 if name in second else 1 for name in PATIENTS["name"]}
    # The published 1007* and 1008*, as sets.
    labels = {
        1: ("F", "[30, 39]", "{10070, 10073, 10076, 10077}"),
        2: ("*", "[30, 39]", "{10085, 10086, 10087}"),
    }
    kl, ab, eir_l, eir_ab = publish(labels, class_of)
    assert (kl.holds, kl.reached) == (True, {"k": 3, "l": 3})
    assert (ab.holds, ab.reached) == (True, {"alpha": 0.4, "beta": 0.6})
    assert (eir_l.holds, eir_l.reached, eir_l.offending) == (False, 1, (2,))
    assert (eir_ab.holds, eir_ab.reached["beta"], eir_ab.offending) == (False, 1.0, (2,))


def test_table_4_is_enhanced() -> None:
    first = {"Jane", "Ella", "Lucy"}
    class_of = {name: 1 if name in first else 2 for name in PATIENTS["name"]}
    labels = {
        1: ("F", "[33, 34]", "{10070, 10073, 10087}"),
        2: ("{F, M}", "[36, 38]", "{10076, 10077, 10085, 10086}"),
    }
    kl, ab, eir_l, eir_ab = publish(labels, class_of)
    assert all(v.holds for v in (kl, ab, eir_l, eir_ab))
    assert (eir_l.reached, eir_ab.reached) == (3, {"alpha": 0.4, "beta": 0.5})


# Releases ------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from("abcd")), min_size=1, max_size=24),
    st.lists(st.sampled_from([1, 1, 2, -1]), min_size=7, max_size=7),
    LIMITS,
    st.randoms(use_true_random=False),
)
def test_release_twins(
    rows: list[tuple[int, str]], class_of: list[int], parameters: dict[str, Any], draw: Any
) -> None:
    """Everybody's rows in their class, equal ones once: as the twins find on the merged rows."""
    original = pl.DataFrame(
        {
            "who": [str(p) for p, _ in rows],
            "q": [str(class_of[p]) for p, _ in rows],
            "s": [value for _, value in rows],
        }
    )
    kept = [i for i, (p, _) in enumerate(rows) if class_of[p] > 0]
    draw.shuffle(kept)
    origin = list({rows[i]: i for i in kept}.values())
    order = list(dict.fromkeys(rows[i][0] for i in origin))
    data = pl.DataFrame(
        {
            "Id_num": [str(order.index(rows[i][0]) + 1) for i in origin],
            "q": [str(class_of[rows[i][0]]) for i in origin],
            "s": [rows[i][1] for i in origin],
        },
        schema=dict.fromkeys(("Id_num", "q", "s"), pl.String),
    )
    classes = np.array([class_of[p] for p, _ in rows])
    closeness = Requirement("t-closeness", {"t": 1, "distance": "equal"})
    *verdicts, close = verify_release(
        Published(
            {"data": data},
            original,
            np.array(origin, dtype=np.int64),
            classes,
            SCHEMA,
            [*requirements(parameters), closeness],
        )
    )
    found: dict[int, Any] = {}
    for who, value in dict.fromkeys(rows):
        if class_of[who] > 0:
            found.setdefault(class_of[who], []).append((who, value))
    if not found:
        assert [v.holds for v in (*verdicts, close)] == [False] * 6
        return
    compare(verdicts, found, parameters)
    table = [value for _, value in dict.fromkeys(rows)]
    far = max(naive.emd_equal([v for _, v in own], table) for own in found.values())
    assert close.reached == pytest.approx(far)


def test_a_search_that_runs_out_of_steps_confirms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that fails for certain settles it all the same."""
    hard = {"x": {"1": "ab", "2": "bc", "3": "ca"}}
    fails = {"y": {"4": "a", "5": "a"}}
    assert check(hard, "eir-l", l=2).holds is True
    short = partial(fewest_values, budget=1)
    monkeypatch.setattr("shoal.verify.model.identity.fewest_values", short)
    verdict = check(hard, "eir-l", l=2)
    assert verdict.holds is None
    assert verdict.note == "the search ran out of steps: 1 of 1 classes"
    both = check(hard | fails, "eir-l", l=2)
    assert both.holds is False
    assert (both.reached, both.offending) == (1, (2,))
    nearly = {"y": {"4": "a", "5": "b"}}
    fraction = check(hard | nearly, "eir-l", l=2.5)
    assert (fraction.reached, fraction.offending, fraction.worst_class) == (2, (2,), 2)
