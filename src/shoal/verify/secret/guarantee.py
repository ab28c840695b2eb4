"""The whole guarantee of a release with buckets, checked on what is published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.encoding import Codes, Floats, Integers, has_text_form
from shoal.schema import Requirement, Role, Verdict
from shoal.verify.model.requirement import TOLERANCE, judge
from shoal.verify.secret.adversary import Risks, find_risks
from shoal.verify.secret.bucket import bucket_classes, check_buckets, check_names
from shoal.verify.secret.rule import (
    OF_CROWDS,
    judge_buckets,
    judge_crowd,
    kind_of,
    read_personal,
    refuse_unjudged,
    secret_targets,
)
from shoal.verify.secret.secret import (
    Bucketed,
    check_known,
    check_numbers,
    check_patterns,
    check_reserved,
    check_secrecy,
)
from shoal.verify.text.classes import Classes
from shoal.verify.text.published import Published
from shoal.verify.text.quasi import check_quasi, smallest_numbers
from shoal.verify.text.structure import (
    check_columns,
    check_integers,
    check_map_shape,
    check_rows,
    check_suppression,
)
from shoal.verify.text.unchanged import check_unchanged


def verify_secrets(published: Published) -> tuple[Verdict, ...]:
    """Check a release with buckets against the table it was made from.

    Raises VerificationError where the tables are not what they claim to be, where something has no
    independent check, or where an adversary would gain more than verdicts that hold allow.
    """
    bucketed = Bucketed.of(published)
    schema, requirements = bucketed.schema, bucketed.requirements
    problems = list(check_integers(origin=bucketed.origin, classes=bucketed.classes))
    if "data" not in bucketed.tables:
        problems.append(Problem("There is no published table 'data'."))
    if problems:
        raise VerificationError(problems)
    problems += [*check_reserved(schema), *check_names(bucketed), *check_columns(bucketed)]
    # Nothing below could follow a map that leads nowhere, or read cells that have no text form.
    unusable = [*check_map_shape(bucketed), *_check_lists(bucketed.tables)]
    if unusable:
        raise VerificationError([*problems, *unusable])
    problems += [*check_rows(bucketed), *check_suppression(bucketed)]
    problems += [*check_numbers(bucketed), *check_patterns(bucketed), *check_secrecy(bucketed)]
    found, vectors, n_vectors = check_quasi(bucketed, check_known)
    problems += [*found, *check_unchanged(bucketed, (Role.INSENSITIVE,)), *check_buckets(bucketed)]
    problems += refuse_unjudged(schema, bucketed.bucketised, requirements)
    if problems:
        raise VerificationError(problems)
    # Only a sound release is judged: the bounds on what an adversary gains hold for no other.
    verdicts = _judge(bucketed, vectors, n_vectors)
    problems = list(risk_problems(find_risks(bucketed), requirements, verdicts))
    if problems:
        raise VerificationError(problems)
    return verdicts


def _check_lists(tables: Mapping[str, pl.DataFrame]) -> Iterator[Problem]:
    for name, table in tables.items():
        for column in table:
            if not has_text_form(column):
                yield Problem(f"The table {name!r} has cells that have no text form.")


def _judge(published: Bucketed, vectors: Codes, n_vectors: int) -> tuple[Verdict, ...]:
    of_row, numbers = published.dense_classes
    smallest = smallest_numbers(published, vectors, n_vectors)
    claimed = published.released_k
    released_k = None if claimed is None else claimed[published.origin]
    by_class = Classes(
        published.schema,
        published.original,
        published.origin,
        of_row,
        numbers,
        released_k=released_k,
        whole=published.whole,
    )
    # Counts of values are those of one partition, so each has its own store of them.
    by_vector = replace(by_class, of_row=vectors[of_row], numbers=smallest, _latest={})
    rows, buckets = {}, {}
    for a in published.bucketised:
        rows[a.name], buckets[a.name] = bucket_classes(published, a)
    verdicts: list[Verdict] = []
    problems: list[Problem] = []
    for requirement in published.requirements:
        try:
            targets = secret_targets(published.schema, requirement)
            if requirement.model in OF_CROWDS:
                verdicts.append(judge_crowd(by_vector, by_class, requirement))
            elif targets:
                own = _own_limits(published, requirement, rows, buckets)
                verdicts += [judge_buckets(buckets, a, requirement, own) for a in targets]
            else:
                verdicts += judge(by_vector, [requirement])
        except VerificationError as error:
            problems += error.problems
    if problems:
        raise VerificationError(problems)
    return tuple(verdicts)


def _own_limits(
    published: Bucketed,
    requirement: Requirement,
    rows: Mapping[str, Integers],
    buckets: Mapping[str, Classes],
) -> dict[str, Floats]:
    """The highest l that somebody in each bucket requires; counterfeit entries require nothing."""
    if requirement.parameters.get("personal") is None:
        return {}
    own = read_personal(published.original, published.schema, requirement)[published.origin]
    highest = {}
    for name, inside in rows.items():
        of_row = np.searchsorted(buckets[name].numbers, published.bids[name][inside])
        highest[name] = np.zeros(len(buckets[name]))
        np.maximum.at(highest[name], of_row, own[inside])
    return highest


def risk_problems(
    risks: Risks, requirements: Sequence[Requirement], verdicts: Sequence[Verdict]
) -> Iterator[Problem]:
    """Where an adversary gains more than 1/k or 1/l although the verdict itself holds."""
    holding = {(v.requirement, v.attribute) for v in verdicts if v.holds}
    for requirement in requirements:
        name = str(requirement)
        if requirement.model == "k-anonymity" and (name, None) in holding:
            limit = 1 / requirement.parameters["k"]
            if risks.identity > limit * (1 + TOLERANCE):
                yield Problem(
                    f"Somebody is found with a probability of {risks.identity:.4g}, but "
                    f"{name} allows {limit:.4g}."
                )
        # Lemma 2 gives 1/l for buckets in which no value is commoner than that; entropy and t have
        # no such bound, and are reported without it.
        if kind_of(requirement) not in ("distinct", "frequency"):
            continue
        limit = 1 / requirement.parameters["l"]
        for attribute, posterior in risks.posteriors.items():
            if (name, attribute) in holding and posterior > limit * (1 + TOLERANCE):
                how = "is" if risks.posteriors_exact[attribute] else "may be"
                yield Problem(
                    f"A secret in {attribute!r} {how} learned with a probability of "
                    f"{posterior:.4g}, but {name} allows {limit:.4g}."
                )
