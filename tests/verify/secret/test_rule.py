"""Where a requirement is judged on buckets, and the edges of what people ask for themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Role, Schema
from shoal.verify.secret.rule import (
    BY_BUCKET,
    NO_SECRETS,
    SINGLE,
    SMALL,
    commonest_shares,
    has_meaning,
    judge_buckets,
    judge_crowd,
    kind_of,
    read_personal,
    refuse_unjudged,
    secret_targets,
)
from tests.verify.small import asked, classes_of, said, text

S, T = Attribute("s", Role.SENSITIVE), Attribute("t", Role.SEMI_SENSITIVE, flag="f")
SCHEMA = Schema((Attribute("q", Role.QUASI), S, T, Attribute("f", Role.FLAG)))


def names(model: str, **parameters: Any) -> list[str]:
    return [a.name for a in secret_targets(SCHEMA, asked(model, **parameters))]


def test_values_are_judged_by_bucket_and_sizes_by_class() -> None:
    assert sorted(names("l-diversity", l=2)) == ["s", "t"]
    assert names("l-diversity", l=2, attribute="t") == ["t"]
    assert names("l-diversity", l=2, attribute="q") == []
    for model in ("k-anonymity", "ir-k", "multi-level-k"):
        assert names(model, k=2) == []


@pytest.mark.parametrize(
    ("model", "parameters", "kind", "meaning"),
    [
        ("l-diversity", {}, "distinct", True),
        ("l-diversity", {"kind": "frequency"}, "frequency", True),
        ("l-diversity", {"kind": "entropy"}, "entropy", True),
        ("l-diversity", {"kind": "recursive"}, "recursive", False),
        ("l-diversity", {"missing": "ignore"}, "distinct", False),
        ("l-diversity", {"missing": "value"}, "distinct", True),
        ("t-closeness", {}, None, True),
        ("alpha-k", {}, None, False),
    ],
)
def test_what_has_a_meaning_on_buckets(
    model: str, parameters: dict[str, Any], kind: str | None, meaning: bool
) -> None:
    assert kind_of(asked(model, **parameters)) == kind
    assert has_meaning(asked(model, **parameters)) is meaning


@pytest.mark.parametrize(
    ("requirements", "finding"),
    [
        ([asked("l-diversity", l=2)], ""),
        ([asked("l-diversity", l=2, attribute="s")], "no requirement on the buckets of 't'."),
        ([asked("alpha-k", k=2, alpha=1)], "no independent check of alpha-k on buckets"),
        ([asked("alpha-k", k=2, alpha=1)], "no requirement on the buckets of 's'."),
        ([asked("l-diversity", l=2), asked("l-diversity", l=2, kind="recursive")],
         "no independent check of l-diversity of kind 'recursive' on buckets"),
        ([asked("l-diversity", l=2), asked("multi-level-k", levels=[[2, 1], {"k": [2, 1]}])], ""),
        ([asked("l-diversity", l=2), asked("multi-level-k", levels=[{"k": [2, 1], "x": {}}])],
         "no independent check here of levels with requirements other than k"),
        ([asked("l-diversity", l=2), asked("alpha-k", attribute="q")], ""),
        ([asked("l-diversity", l=2, personal="f")], ""),
        ([asked("l-diversity", l=2), asked("l-diversity", l=2, attribute="q")], ""),
        ([asked("l-diversity", l=2), asked("l-diversity", l=1, attribute="q", personal="f")],
         "no independent check of a personal l outside of buckets"),
    ],
)  # fmt: skip
def test_what_is_not_judged_is_refused(requirements: list[Any], finding: str) -> None:
    found = said(refuse_unjudged(SCHEMA, [S, T], requirements))
    assert (found == "") == (finding == "")
    assert finding in found


def test_each_class_and_all_that_look_alike_must_be_a_crowd() -> None:
    three, together = classes_of({4: "ab", 5: "c"}), classes_of({4: "abc"})
    k2 = asked("k-anonymity", k=2)
    verdict = judge_crowd(together, three, k2)
    assert (verdict.holds, verdict.offending, verdict.note) == (False, (5,), SMALL)
    verdict = judge_crowd(three, three, k2)
    assert (verdict.holds, verdict.note) == (False, "")
    fine = classes_of({4: "ab", 5: "cd"})
    verdict = judge_crowd(classes_of({4: "abcd"}), fine, k2)
    assert (verdict.holds, verdict.reached, verdict.note) == (True, 4, "")


def buckets(own: list[float], kind: str, l: float, cells: dict[int, str]) -> Any:  # noqa: E741
    """`own` has the highest l that somebody requires in each bucket."""
    requirement = asked("l-diversity", l=l, kind=kind, personal="own")
    return judge_buckets({"s": classes_of(cells)}, S, requirement, {"s": np.array(own)})


@pytest.mark.parametrize("kind", ["distinct", "frequency", "entropy"])
def test_everybody_gets_the_l_of_all_and_their_own(kind: str) -> None:
    cells = {3: "ab", 8: "abc"}
    assert buckets([0, 0], kind, 2, cells).holds is True
    assert buckets([2, 3], kind, 2, cells).holds is True
    found = buckets([2, 3], kind, 2.5, cells)
    assert (found.holds, found.offending) == (False, (3,))
    found = buckets([2, 3.1], kind, 2, cells)
    assert (found.holds, found.offending, found.worst_class) == (False, (8,), 8)
    assert (found.reached, found.asked, found.note) == (2, 2, BY_BUCKET)
    assert found.requirement == str(asked("l-diversity", l=2, kind=kind, personal="own"))


def test_only_entropy_has_a_tolerance() -> None:
    """aab: 3 / 4^(1/3) by entropy, 1.5 by frequency."""
    entropy = 3 / 4 ** (1 / 3)
    assert buckets([entropy * (1 + 5e-10)], "entropy", 1, {1: "aab"}).holds is True
    assert buckets([entropy * (1 + 2e-9)], "entropy", 1, {1: "aab"}).holds is False
    assert buckets([1.5], "frequency", 1, {1: "aab"}).holds is True
    assert buckets([np.nextafter(1.5, 2)], "frequency", 1, {1: "aab"}).holds is False
    assert buckets([np.nextafter(2.0, 3)], "distinct", 1, {1: "aab"}).holds is False


def test_what_is_in_no_bucket_is_no_secret() -> None:
    for requirement, threshold in (
        (asked("l-diversity", l=2), 2),
        (asked("t-closeness", t=0.5), 0.5),
    ):
        found = judge_buckets({}, S, requirement, {})
        assert (found.holds, found.asked, found.note) == (True, threshold, NO_SECRETS)
        assert found.attribute == "s"


def test_the_commonest_share_of_a_bucket_and_of_all() -> None:
    shares, anywhere = commonest_shares(classes_of({2: "b", 5: "aaab"}))
    assert shares.tolist() == [1.0, 0.75]
    assert anywhere == pytest.approx(3 / 5)


def test_a_bucket_of_one_value_fails_t_closeness_whatever_t_is() -> None:
    """Half the people are a and half b: each value alone is only 0.5 away from that."""
    half, one = asked("t-closeness", t=0.5), asked("t-closeness", t=1)
    found = judge_buckets({"s": classes_of({4: "aa", 7: "b", 9: "b"})}, S, half, {})
    assert (found.holds, found.offending, found.note) == (False, (4, 7, 9), SINGLE)
    assert (found.reached, found.worst_class, found.posterior) == (0.5, 4, 1.0)
    found = judge_buckets({"s": classes_of({4: "aab", 7: "bb"})}, S, one, {})
    assert (found.holds, found.offending) == (False, (7,))
    found = judge_buckets({"s": classes_of({4: "aab", 7: "abb"})}, S, half, {})
    assert (found.holds, found.note) == (True, BY_BUCKET)
    assert found.posterior == pytest.approx(2 / 3)
    both = judge_buckets(
        {"s": classes_of({4: "aaa", 7: "aab", 8: "ab"})}, S, asked("t-closeness", t=0.1), {}
    )
    assert both.offending == (4, 8)


def test_without_wishes_buckets_are_judged_as_classes() -> None:
    found = judge_buckets({"s": classes_of({1: "ab", 2: "aa"})}, S, asked("l-diversity", l=2), {})
    assert (found.holds, found.offending, found.note) == (False, (2,), BY_BUCKET)
    assert found.requirement == "l-diversity {l: 2}"
    assert found.posterior == 1.0


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["1", "2.5", None], [1.0, 2.5, 0.0]),
        (["1", "-"], [1.0, 0.0]),
        (["0.999999"], None),
        (["x"], None),
        (["nan"], None),
        (["-3"], None),
    ],
)
def test_wishes_are_numbers_from_1(cells: list[Any], wanted: list[float] | None) -> None:
    schema = Schema((Attribute("own", Role.FLAG, missing=("-",)),))
    frame = pl.DataFrame([text(cells, "own")])
    requirement = asked("l-diversity", l=2, personal="own")
    if wanted is None:
        with pytest.raises(VerificationError, match="1 cell that is not a number of at least 1"):
            read_personal(frame, schema, requirement)
    else:
        assert read_personal(frame, schema, requirement).tolist() == wanted


def test_wishes_stand_in_a_column_of_role_flag() -> None:
    frame = pl.DataFrame([text(["2"], "own")])
    assert read_personal(frame, Schema(()), asked("l-diversity", l=2)).tolist() == [0.0]
    for schema in (Schema((Attribute("own", Role.QUASI),)), Schema((Attribute("x", Role.FLAG),))):
        for name in ("own", "x"):
            with pytest.raises(VerificationError, match="names no column of role flag"):
                read_personal(frame, schema, asked("l-diversity", l=2, personal=name))
