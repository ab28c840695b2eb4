"""A hierarchy as a plan may declare it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.hierarchy.hierarchy import Hierarchy

_FORMS: dict[str, Callable[..., Hierarchy]] = {
    "intervals": Hierarchy.intervals,
    "width": Hierarchy.width,
    "mask": Hierarchy.mask,
    "dates": Hierarchy.dates,
    "tree": Hierarchy.tree,
    "rows": Hierarchy.rows,
}
_OPTIONS = {"width": {"levels": None, "origin": 0}}  # levels are required


def parse(declared: object, base: Path) -> Hierarchy:
    """A path relative to `base`, the word `flat`, or a mapping with one form and its options.

    >>> parse({"width": 5, "levels": 3}, Path()).height
    5
    """
    if isinstance(declared, Hierarchy):
        return declared
    if declared == "flat":
        return Hierarchy.flat()
    if isinstance(declared, str) and declared.strip():
        return Hierarchy.file(declared, base)
    if isinstance(declared, Mapping):
        return _parse_mapping(declared)
    raise PlanError(
        f"A hierarchy must be a path, 'flat', or a mapping with one of {', '.join(_FORMS)}."
    )


def _parse_mapping(declared: Mapping[Any, Any]) -> Hierarchy:
    forms = [form for form in _FORMS if form in declared]
    if len(forms) != 1:
        known, found = ", ".join(_FORMS), ", ".join(forms) or "none"
        raise PlanError(f"A hierarchy must have exactly one of {known}, got {found} instead.")
    form = forms[0]
    options = {key: declared.get(key, default) for key, default in _OPTIONS.get(form, {}).items()}
    problems = [
        Problem(f"A hierarchy of form '{form}' does not have the parameter {key!r}.")
        for key in declared
        if key != form and key not in options
    ]
    try:
        hierarchy = _FORMS[form](declared[form], **options)
    except PlanError as error:
        raise PlanError([*problems, *error.problems]) from None
    if problems:
        raise PlanError(problems)
    return hierarchy
