"""What of a plan has a meaning in a stream: declared data, and all that is in the way at once."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import PlanError, Problem
from shoal.model import LDiversity
from shoal.plan import Plan
from shoal.plan.field import SparkFields
from shoal.schema import Attribute, Kind, Role
from shoal.table.column import declared_kind

_WHOLE = "compares every class with the whole table, which a stream never has"
_POPULATION = "would count the population again for every batch"
_PEOPLE = "counts the rows of a person, who may have some in several batches"
_SECRETS = "keeps secrets by flags or sensitivities of people, over the whole table"
_SLOW = "is for tables that are made once: its time grows with the square of the rows"

# What holds in two classes holds in their union, so batches hold together, too.
MODELS: dict[str, str] = {
    "k-anonymity": "",
    "l-diversity": "",
    "alpha-k": "",
    "k-e": "",
    "p-sensitive": "",
    "lkc": "",
    "km": "",
    "t-closeness": _WHOLE,
    "beta-likeness": _WHOLE,
    "delta-disclosure": _WHOLE,
    "k-map": _POPULATION,
    "delta-presence": _POPULATION,
    "multi-level-k": _SECRETS,
    "ir-k": _PEOPLE,
    "ir-kl": _PEOPLE,
    "ir-alpha-beta": _PEOPLE,
    "eir-l": _PEOPLE,
    "eir-alpha-beta": _PEOPLE,
}
METHODS: dict[str, str] = {
    "auto": "",
    "mondrian": "",
    "hilbert": "",
    "top-down": "",
    "k-member": "",
    "ka": "",
    "adjacency": _SLOW,
    "weighted-graph": _SLOW,
    "danonyir": _PEOPLE,
    "geneir": _PEOPLE,
    "sd-mks3wd": _SECRETS,
    "se-mks3wd": _SECRETS,
    "ece-mks3wd": _SECRETS,
    "lgb-mdp": _SECRETS,
    "lgb-ncp": _SECRETS,
    "qi-mhsa": _SECRETS,
}
_CODED = (Role.QUASI, Role.SENSITIVE)


def check_streamable(plan: Plan) -> None:
    """Raise PlanError with every reason why a plan cannot run as a stream."""
    problems = [
        *_delay(plan),
        *_models(plan),
        *_method(plan),
        *_people(plan),
        *_keys(plan),
        *(p for a in plan.schema.attributes for p in _undeclared(a, plan)),
    ]
    if problems:
        raise PlanError(problems)


def _delay(plan: Plan) -> Iterator[Problem]:
    if plan.delay is None:
        yield Problem(
            "A stream needs to know how long rows may wait, but the plan has no 'delay'.",
            "delay",
            "Add 'delay: {rows: 10000}'.",
        )


def _models(plan: Plan) -> Iterator[Problem]:
    can = ", ".join(name for name, reason in MODELS.items() if not reason)
    for model in plan.models:
        reason = MODELS.get(model.name, "is not known here")
        if isinstance(model, LDiversity) and model.personal is not None:
            reason = _SECRETS
        if reason:
            yield Problem(
                f"A stream does not support {model.name}, which {reason}.",
                "privacy",
                f"It supports {can}.",
            )


def _method(plan: Plan) -> Iterator[Problem]:
    reason = METHODS.get(plan.method.name, "is not known here")
    if not reason and plan.method.acting.name != plan.method.name:
        reason = METHODS.get(plan.method.acting.name, "is not known here")
    if reason:
        can = ", ".join(name for name, why in METHODS.items() if not why)
        yield Problem(
            f"A stream does not support {plan.method.name}, which {reason}.",
            "method",
            f"It supports {can}.",
        )


def _people(plan: Plan) -> Iterator[Problem]:
    individual = plan.schema.individual
    if individual is not None and individual.conflict == "error":
        yield Problem(
            "A stream does not support 'conflict: error', which the plan requires.",
            "individual",
            f"Write 'individual: {{column: {individual.column}, conflict: first}}' or 'mode'.",
        )
    if individual is None and plan.delay is not None and plan.delay.again == "suppress":
        yield Problem(
            "'again: suppress' needs to know who is who, but the plan names no 'individual'.",
            "delay.again",
            "Add 'individual: {column: …, conflict: first}'.",
        )
    for a in plan.schema.of(Role.SEMI_SENSITIVE, Role.SENSITIVITY, Role.FLAG):
        yield Problem(
            f"A stream does not support the role {a.role}, which {a.name!r} has.",
            f"attributes.{a.name}",
        )
    for a in plan.schema.sensitive:
        if a.flag is not None or a.flags is not None:
            yield Problem(
                f"A stream does not support flags, which {a.name!r} has.", f"attributes.{a.name}"
            )


def _keys(plan: Plan) -> Iterator[Problem]:
    odd = {
        "suppression": plan.suppression_limit < 1
        and "a limit would stop the stream; what is suppressed is counted instead",
        "polish": plan.polish is not None
        and plan.polish.seconds is not None
        and "seconds depend on the machine; it supports steps",
        "ranges": plan.ranges == "columns" and "the type of its columns depends on all rows",
        "decimal": plan.decimal == "," and "numbers must have a point",
        "encoding": plan.encoding is not None and "rows must be UTF-8",
        "shards": plan.shard_rows is not None and "a batch is one shard",
        "engine": isinstance(plan.engine, SparkFields) and "it runs on this machine",
        "republish": plan.republish is not None and "a batch is not a version of an earlier one",
        "output": plan.output_database is not None and "batches are folders",
        "table": (plan.table or plan.query) is not None and "rows come from a folder or a pipe",
    }
    for key, reason in odd.items():
        if reason:
            yield Problem(
                f"A stream does not support this '{key}': {reason}.", key, "Leave it out."
            )


def _undeclared(attribute: Attribute, plan: Plan) -> Iterator[Problem]:
    """What a batch would have to guess, and the next one would guess otherwise."""
    if attribute.role not in _CODED:
        return
    where, line = f"attributes.{attribute.name}", plan.lines.get(attribute.name)
    form = attribute.hierarchy.form if attribute.hierarchy is not None else ""
    kind = declared_kind(attribute)
    if kind is None:
        yield Problem(
            f"A stream cannot guess the kind of {attribute.name!r} from rows that are still to "
            "come.",
            where,
            "Add 'kind: numeric', 'categorical', 'ordinal' or 'date'.",
            line,
        )
    elif attribute.role is not Role.QUASI or form:
        return
    elif kind is Kind.NUMERIC and attribute.domain is None:
        yield Problem(
            f"A stream needs the domain of {attribute.name!r}: its rows do not show all of it.",
            where,
            "Add 'domain: [lowest, highest]', or a hierarchy.",
            line,
        )
    elif kind is Kind.DATE:
        yield Problem(
            f"A stream needs a hierarchy for {attribute.name!r}: its rows do not show all dates.",
            where,
            "Add 'hierarchy: {dates: [day, month, year]}'.",
            line,
        )
    elif kind in (Kind.CATEGORICAL, Kind.ORDINAL) and attribute.values is None:
        yield Problem(
            f"A stream needs the values of {attribute.name!r}: its rows do not show all of them.",
            where,
            "Add 'values: […]', or a hierarchy.",
            line,
        )
