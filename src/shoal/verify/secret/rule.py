"""Where each requirement is judged in a release with buckets: by class, or by bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Floats
from shoal.schema import Attribute, Requirement, Role, Schema, Verdict
from shoal.verify.model.diversity import DIVERSITY
from shoal.verify.model.requirement import TOLERANCE, judge
from shoal.verify.model.verdict import Reach, read_parameter, settle
from shoal.verify.text.classes import Classes
from shoal.verify.text.structure import report_rows

OF_CROWDS = ("k-anonymity", "ir-k", "multi-level-k")
BY_BUCKET = "by bucket"
NO_SECRETS = "no secret cells"
SINGLE = "a bucket has a single value, and so publishes it"
SMALL = "the class of one GID is too small, even though others look like it"
_KINDS = ("distinct", "frequency", "entropy")


def secret_targets(schema: Schema, requirement: Requirement) -> tuple[Attribute, ...]:
    """The attributes on whose buckets a requirement is judged: all that can have some, or one."""
    name = requirement.parameters.get("attribute")
    if requirement.model in OF_CROWDS:
        return ()
    return tuple(a for a in schema.secret if name is None or a.name == name)


def kind_of(requirement: Requirement) -> str | None:
    """The reading of l-diversity; None for another model."""
    if requirement.model != "l-diversity":
        return None
    return requirement.parameters.get("kind") or "distinct"


def has_meaning(requirement: Requirement) -> bool:
    """Whether a requirement can be judged on buckets."""
    # Buckets show a missing value as one of theirs, so there it cannot be left out of account.
    if requirement.parameters.get("missing") == "ignore":
        return False
    return requirement.model == "t-closeness" or kind_of(requirement) in _KINDS


def refuse_unjudged(
    schema: Schema, bucketised: Sequence[Attribute], requirements: Sequence[Requirement]
) -> Iterator[Problem]:
    """Requirements without meaning on buckets, and buckets without a requirement."""
    judged = set()
    for requirement in requirements:
        targets = secret_targets(schema, requirement)
        if targets and not has_meaning(requirement):
            kind = kind_of(requirement)
            what = f"{requirement.model} of kind {kind!r}" if kind else requirement.model
            yield Problem(f"There is no independent check of {what} on buckets.")
        personal = requirement.parameters.get("personal") is not None
        if kind_of(requirement) and personal and not targets:
            yield Problem("There is no independent check of a personal l outside of buckets.")
        if _requires_more(requirement):
            yield Problem(
                "There is no independent check here of levels with requirements other than k."
            )
        judged |= {a.name for a in targets if has_meaning(requirement)}
    for attribute in bucketised:
        if attribute.name not in judged:
            yield Problem(f"There is no requirement on the buckets of {attribute.name!r}.")


def _requires_more(requirement: Requirement) -> bool:
    levels = requirement.parameters.get("levels") or ()
    return any(isinstance(level, dict) and set(level) - {"k"} for level in levels)


def judge_crowd(by_vector: Classes, by_class: Classes, requirement: Requirement) -> Verdict:
    """A requirement of sizes, on rows that look alike; each class must hold it by itself too."""
    # The number of each class is published (GID), so looking like another class hides nobody.
    (verdict,) = judge(by_class, [requirement])
    if verdict.holds is not True:
        (together,) = judge(by_vector, [requirement])
        return replace(verdict, note=SMALL) if together.holds else verdict
    return judge(by_vector, [requirement])[0]


def judge_buckets(
    buckets: Mapping[str, Classes],
    attribute: Attribute,
    requirement: Requirement,
    personal: Mapping[str, Floats],
) -> Verdict:
    """A requirement of values, on the buckets of one attribute.

    `personal` has for every attribute the highest l that somebody in each bucket requires.
    """
    # There is nothing to judge, but l and t must make sense all the same.
    if attribute.name not in buckets:
        required = read_parameter(requirement, "t" if requirement.model == "t-closeness" else "l")
        name = str(requirement)
        return Verdict(name, True, required, attribute=attribute.name, note=NO_SECRETS)
    classes = buckets[attribute.name]
    single = Requirement(requirement.model, {**requirement.parameters, "attribute": attribute.name})
    if requirement.model == "t-closeness":
        verdict = _judge_closeness(classes, single)
    elif requirement.parameters.get("personal") is None:
        (verdict,) = judge(classes, [single])
    else:
        verdict = _judge_personal(classes, single, personal[attribute.name])
    return replace(
        verdict,
        requirement=str(requirement),
        note=verdict.note or BY_BUCKET,
        posterior=float(commonest_shares(classes)[0].max()) if len(classes) else None,
    )


def _judge_closeness(classes: Classes, requirement: Requirement) -> Verdict:
    """Every bucket is within t of all, and has at least two different values.

    A bucket of one value publishes it for all its rows, and t alone does not rule that out: of two
    equally common values, buckets of one each are within t = 0.5.
    """
    (verdict,) = judge(classes, [requirement])
    (attribute,) = classes.schema.attributes
    if not len(classes):
        return verdict
    alone = np.sort(classes.numbers[classes.runs(attribute).lengths < 2]).tolist()
    if not alone:
        return verdict
    offending = tuple(sorted({*verdict.offending, *alone}))
    return replace(verdict, holds=False, worst_class=alone[0], offending=offending, note=SINGLE)


def commonest_shares(classes: Classes) -> tuple[Floats, float]:
    """The share of the commonest value in every bucket, and among all that is in buckets."""
    (attribute,) = classes.schema.attributes
    runs, values = classes.runs(attribute), classes.values(attribute)
    shares: Floats = np.maximum.reduceat(runs.counts, runs.starts) / classes.n_rows
    return shares, float(values.counts.max() / values.counts.sum())


def _judge_personal(classes: Classes, requirement: Requirement, own: Floats) -> Verdict:
    """Everybody's bucket reaches l, and the l that this person requires."""
    least, kind = read_parameter(requirement, "l"), kind_of(requirement)
    assert kind is not None
    (attribute,) = classes.schema.attributes

    def find() -> Reach:
        required = np.maximum(own, float(least))
        reached = DIVERSITY[kind](classes.runs(attribute), classes.n_rows, 0.0)
        # Only entropy is rounded; counts and their quotients compare exactly.
        slack = TOLERANCE if kind == "entropy" else 0.0
        good = reached >= required * (1 - slack)
        return Reach(good, reached.min().item(), (good, reached))

    return settle(classes, requirement, least, find, attribute)


def read_personal(original: pl.DataFrame, schema: Schema, requirement: Requirement) -> Floats:
    """The l that every person of the input requires; 0 where the cell is empty."""
    name = requirement.parameters.get("personal")
    if name is None:
        return np.zeros(original.height)
    if name not in original.columns or name not in {a.name for a in schema.of(Role.FLAG)}:
        raise VerificationError(
            f"The 'personal' parameter of {requirement.model} names no column of role flag."
        )
    cells = read_numbers(original[name], schema[name].missing)
    wrong = cells.unreadable | (~cells.missing & ~(cells.low >= 1))
    text = f"Column {name!r} has {{n}} cells that are not numbers of at least 1"
    problems = list(report_rows(text, wrong, "original row"))
    if problems:
        raise VerificationError(problems)
    return np.where(cells.missing, 0.0, cells.low)
