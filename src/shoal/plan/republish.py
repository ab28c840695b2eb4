"""What several versions of a release can keep together, and what they cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.errors import Problem
from shoal.method import Method
from shoal.model import KAnonymity, LDiversity, Model, MultiLevelK
from shoal.plan.document import Document
from shoal.schema import Layout, Schema


def check_republish(
    schema: Schema, method: Method, models: Sequence[Model], document: Document
) -> list[Problem]:
    """Why m-invariance (Xiao and Tao 2007) cannot be kept by a plan that asks for it."""
    found = [*_unfit_people(schema), *_unfit_method(schema, method, models)]
    found += _unfit_models(models, by_bucket=method.layout.keeps_secrets)
    return [document.problem(("republish",), text, hint) for text, hint in found]


def _unfit_people(schema: Schema) -> Iterator[tuple[str, str]]:
    if schema.individual is None:
        yield (
            "m-invariance must recognise people in later versions, but the plan names no "
            "'individual'.",
            "Add 'individual: COLUMN', with a column that names every person.",
        )


def _unfit_method(
    schema: Schema, method: Method, models: Sequence[Model]
) -> Iterator[tuple[str, str]]:
    if method.layout is Layout.JOINED:
        yield (
            "m-invariance may need counterfeit entries in buckets, but with 'tables: joined' no "
            "row can show them.",
            "Leave out 'tables: joined'.",
        )
    if any(isinstance(m, LDiversity) and m.personal is not None for m in models):
        yield (
            "m-invariance keeps one l for everybody, but this plan has a personal l.",
            "Leave 'personal' out.",
        )
    flagged = any(a.flag is not None or a.flags is not None for a in schema.sensitive)
    if flagged or method.display.every:
        yield (
            "m-invariance counts the sensitive values shown, but this plan shows symbols instead.",
            "Leave out flags, and options that show intervals.",
        )
    if any(isinstance(m, LDiversity) and method.may_miss(m) for m in models):
        yield (
            f"m-invariance needs l-diversity in every version, but {method.name} may miss it.",
            "Choose another method.",
        )


def _unfit_models(models: Sequence[Model], *, by_bucket: bool) -> Iterator[tuple[str, str]]:
    if not any(isinstance(m, LDiversity) for m in models):
        yield (
            "m-invariance keeps the l of every version, but the plan requires no l-diversity.",
            "Add '- l-diversity: {l: 3}' to 'privacy'.",
        )
    # All values of a bucket differ, so each is as common as the others.
    kinds = ("distinct", "frequency") if by_bucket else ("distinct",)
    if any(isinstance(m, LDiversity) and m.kind not in kinds for m in models):
        yield (
            "m-invariance preserves how many values there are, not how common each is: it "
            "supports only l-diversity of kind distinct.",
            "Leave 'kind' out.",
        )
    others = [m.name for m in models if not isinstance(m, KAnonymity | LDiversity | MultiLevelK)]
    if any(m.asks_more_at_levels for m in models):
        others.append("levels of multi-level-k that require more")
    if others:
        yield (
            f"m-invariance does not support {', '.join(dict.fromkeys(others))}: every version "
            "might hold by itself, but not all of them together.",
            "It supports k-anonymity, multi-level-k and l-diversity.",
        )
