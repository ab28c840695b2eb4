"""How claims are judged."""

from __future__ import annotations

from shoal._command.experiment.pool import Finished
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Trial
from shoal._command.reproduce.claim import Ruling, mean_of, pair, trend


def results(values: dict[tuple[str, int, int], float]) -> Results:
    trials = tuple(Trial({}, "d", {"m": m, "k": k, "seed": seed}, ("y",)) for m, k, seed in values)
    return Results(Finished(trials, tuple({"readings": {"y": y}} for y in values.values()), {}, 0))


def test_pairs_are_compared_point_by_point() -> None:
    found = results(
        {("a", 1, 1): 1.0, ("a", 1, 2): 1.0, ("a", 2, 1): 3.0, ("a", 2, 2): 5.0,
         ("b", 1, 1): 2.0, ("b", 1, 2): 2.0, ("b", 2, 1): 4.0, ("b", 2, 2): 4.0}
    )  # fmt: skip
    one = pair(found, "y", {"m": "a"}, {"m": "b"}, ["k"], {})
    assert (one.less, one.equal, one.more, one.n) == (1, 1, 0, 2)
    assert (one.least, one.most) == (0.5, 1.0)
    assert one.ratio is not None
    assert one.ratio.mean == (1 + 1 + 3 + 5) / (2 + 2 + 4 + 4)
    assert str(one).startswith("lower at 1 of 2 points, equal at 1 of 2 points; ratio 0.8333 ±")
    nothing = pair(found, "y", {"m": "a"}, {"m": "c"}, ["k"], {})
    assert (nothing.n, str(nothing)) == (0, "nothing measured")
    assert pair(found, "z", {"m": "a"}, {"m": "b"}, ["k"], {}).n == 0


def test_trends_go_from_end_to_end() -> None:
    found = results(
        {("up", 1, 1): 1, ("up", 2, 1): 0, ("up", 3, 1): 2, ("down", 1, 1): 2, ("down", 3, 1): 1,
         ("flat", 1, 1): 1, ("flat", 3, 1): 1}
    )  # fmt: skip
    going = trend(found, "y", "k", ["m"], {})
    assert (going.rise, going.fall, going.stay, going.dip) == (1, 1, 1, 1)
    assert str(going) == ("1 of 3 curves rise, 1 of 3 curves fall, 1 of 3 curves stay the same")


def test_means_are_over_seeds() -> None:
    found = results({("a", 1, 1): 1.0, ("a", 2, 1): 3.0, ("a", 1, 2): 4.0, ("a", 2, 2): 4.0})
    mean = mean_of(found, "y", {"m": "a"})
    assert mean is not None
    assert (mean.mean, mean.n) == (3.0, 2)
    assert mean_of(found, "y", {"m": "b"}) is None
    assert mean_of(found, "z", {"m": "a"}) is None


def test_verdicts() -> None:
    assert [Ruling.of(x) for x in (True, False, None)] == list(Ruling)
