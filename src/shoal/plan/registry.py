"""The methods, models and measures to choose from, as data."""

from __future__ import annotations

from typing import Any


def methods() -> list[dict[str, Any]]:
    """Every method: name, summary, source and options.

    >>> [method["name"] for method in methods()][:2]
    ['auto', 'mondrian']
    """
    from shoal.method import METHODS

    return [method.describe() for method in METHODS.values()]


def models() -> list[dict[str, Any]]:
    """Every model: name, summary, source and parameters."""
    from shoal.model import MODELS

    return [model.describe() for model in MODELS.values()]


def measures() -> list[dict[str, Any]]:
    """Every measure: name, summary, source and unit."""
    from shoal.measure import MEASURES

    return [{**measure.describe(), "unit": measure.unit} for measure in MEASURES.values()]
