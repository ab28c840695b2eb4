"""QI-MHSA and Top-Down on Adult: their steps, whole runs, what they lose, and their growth."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import polars as pl

from benchmarks.cases import name_of
from benchmarks.clock import Stages
from benchmarks.data import adult_attributes, complete_adult
from benchmarks.step import Step, exponent

Row = dict[str, Any]
QUASI = ["age", "native-country", "marital-status", "race", "education"]
METHODS: list[Any] = ["qi-mhsa", {"qi-mhsa": {"numeric": "by-flag"}}, "top-down"]
ADULT = 45_222


def adult(rows: int = ADULT) -> pl.DataFrame:
    """The 45,222 complete rows of Adult; more are drawn from them, ages up to two years off."""
    complete = complete_adult("adult.data", "adult.test").select(
        *QUASI, "hours-per-week", "occupation"
    )
    if rows == complete.height:
        return complete
    drawn = complete.sample(rows, with_replacement=rows > complete.height, seed=1)
    off = np.random.default_rng(1).integers(-2, 3, rows)
    ages = np.clip(drawn["age"].cast(pl.Int64).to_numpy() + off, 17, 90)
    return drawn.with_columns(age=pl.Series(ages).cast(pl.String))


def plan(method: Any, k: int, l: int = 3) -> dict[str, Any]:  # noqa: E741
    """Quasi-identifiers with ARX hierarchies for both methods; hours and occupation have flags."""
    given = adult_attributes()
    attributes = {name: given[name] for name in QUASI}
    attributes["hours-per-week"] = {
        "role": "sensitive",
        "kind": "numeric",
        "hierarchy": {"intervals": [20, 30, 40, 50, 60]},
        "flags": {"high": "x >= 60", "middle": "x < 20", "default": "low"},
    }
    attributes["occupation"] = {
        "role": "sensitive",
        "hierarchy": given["occupation"]["hierarchy"],
        "flags": {
            "high": ["Priv-house-serv", "Armed-Forces"],
            "middle": ["Protective-serv", "Handlers-cleaners"],
            "default": "low",
        },
    }
    return {
        "attributes": attributes,
        "privacy": [{"k-anonymity": {"k": k}}, {"l-diversity": {"l": l, "kind": "distinct"}}],
        "method": method,
        "seed": 1,
    }


def loss(method: Any, k: int) -> Row:
    """A whole run on Adult, warm, the method's step in it, and what the release lost and tells."""
    import shoal
    from shoal.measure import Measures
    from shoal.measure.heterogeneous import infoloss_parts

    frame, words = adult(), plan(method, k)
    shoal.run(words, frame)
    stages, start = Stages(), time.perf_counter()
    release = shoal.run(words, frame, progress=stages)
    seconds = time.perf_counter() - start
    assert isinstance(release.measures, Measures)
    quasi, sensitive = infoloss_parts(release.measures.view)
    return {
        "method": name_of(method), "k": k, "l": 3, "rows": frame.height,
        "classes": release.counts.classes, "method s": Step.of(words, frame).seconds(),
        "whole run s": seconds, "verifying s": stages.seconds["verifying"],
        "infoloss": release.measures["infoloss"], "of quasi-identifiers": quasi,
        "of sensitive": sensitive, "privacy-loss": release.measures["privacy-loss"],
    }  # fmt: skip


def growth(method: Any, rows: int, k: int = 5) -> Row:
    """The method's step on so many rows like Adult's, beside Mondrian's and beside 45,222."""
    few = Step.of(plan(method, k), adult()).seconds()
    frame = adult(rows)
    seconds = few if rows == ADULT else Step.of(plan(method, k), frame).seconds()
    mondrian = Step.of(plan("mondrian", k), frame).seconds()
    return {
        "method": name_of(method), "k": k, "l": 3, "rows": rows, "method s": seconds,
        "mondrian s": mondrian, "method / mondrian": seconds / mondrian,
        "us a row": seconds / rows * 1e6,
        "exponent from 45,222": exponent((ADULT, few), (rows, seconds)),
    }  # fmt: skip
