"""An explanation as one HTML file: what each part of a plan costs, as bars."""

from __future__ import annotations

from shoal._command.explain.explain import Explanation
from shoal.report.page import render
from shoal.schema.wording import percent

# Costs below this are not told apart from chance.
_LITTLE = 0.005


def explanation_page(found: Explanation) -> str:
    """The page of an explanation: self-contained, without a value of the table."""
    claim = f"The plan loses {percent(found.loss, 0)} of the detail."
    dearest = found.costs[0] if found.costs else None
    if dearest is not None and dearest.cost > _LITTLE:
        said = str(dearest)
        claim += f" {said[0].upper()}{said[1:]}."
    longest = max([0.01, *(max(cost.loss, cost.without) for cost in found.costs)])
    return render("explain.html", found=found, claim=claim, longest=longest)
