"""Requirements, roles and measures in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import ceil, floor
from typing import Any

from shoal.report.finding import Finding
from shoal.schema import Role
from shoal.schema.wording import number, percent

ROLES = {
    Role.QUASI: "describes people; published as coarsely as needed",
    Role.SENSITIVE: "must not be traced to a person; published as it was",
    Role.SEMI_SENSITIVE: "describes people or is their secret, decided cell by cell",
    Role.INSENSITIVE: "published as it was",
    "person": "a new number, the same in all rows of a person; means nothing outside this table",
}

SYMBOLS = {
    "by-flag": "must not be traced to a person; each value is shown as openly as its flag allows",
    "interval": (
        "must not be traced to a person; shown as an interval over the group, or not at all"
    ),
    "one-sided": "must not be traced to a person; shown as above or below a cut, or not at all",
}

MEASURES = {
    "glm": (
        "Detail lost",
        "share of the detail lost in the columns that describe people; 0% is none, 100% is all",
    ),
    "ncp": ("Certainty lost", "mean width of the published labels"),
    "prec": ("Height climbed", "mean height of the labels in their hierarchies"),
    "entropy": ("Information lost", "share of the information lost; rare values weigh more"),
    "suppression": (
        "Rows left out",
        "share of the rows that are not published, not counting repeats",
    ),
    "avg-class": ("Mean group", "average number of rows in a group"),
    "dm": ("Discernibility", "sum of the squared group sizes; rows left out weigh most"),
    "query-count": ("Error of counts", "mean relative error of random counting queries"),
    "query-sum": ("Error of sums", "mean relative error of random summing queries"),
    "nloss": ("Detail lost, by sets", "mean loss per cell, over rows that differ; 0 is none"),
    "v-clusters": (
        "Clusters open to reasoning",
        "share of clusters that satisfy the IR model but not its EIR one",
    ),
    "v": ("Open to reasoning", "share of groups that satisfy the IR model but not its EIR one"),
    "isr": ("People left out", "share of the people who are not published"),
    "igr": (
        "Levels climbed",
        "mean level of those published, divided by the height of the hierarchies",
    ),
    "ilr": ("Levels and people lost", "people left out plus levels climbed; at most 200%"),
    "f1": ("Aim of the changes", "1 if exactly those who needed it were changed"),
    "precision": ("Changes that were needed", "1 if nobody was changed without need"),
    "recall": ("Needs that were met", "1 if everyone who needed it has their crowd"),
    "infoloss": ("Detail lost, added up", "mean loss per row, summed over all columns"),
    "infoloss-quasi": ("… of descriptions", "the part due to the columns that describe people"),
    "infoloss-sensitive": ("… of sensitive values", "the part due to the sensitive columns"),
    "privacy-loss": ("How sure a reader is", "of a person or a value, averaged over rows"),
    "bound": ("Least possible loss", "no release of this kind can lose less detail than this"),
    "ml-utility": (
        "Learning lost",
        "share of a decision tree's advantage over guessing that is lost",
    ),
}
# Losses are shown with four digits: a smaller difference cannot be seen.
_LEAST_SHOWN = 1e-4
# Everything else is shown in percent.
_NOT_SHARES = (
    "avg-class", "dm", "f1", "precision", "recall",
    "infoloss", "infoloss-quasi", "infoloss-sensitive",
)  # fmt: skip


def best_possible(measures: Mapping[str, float]) -> str:
    """How far a release is from the best that is possible; empty where no bound is known.

    >>> best_possible({"glm": 0.0549, "bound": 0.0473})
    'loses 0.0549; no release can lose less than 0.0473: within 1.17 of the best.'
    """
    if "bound" not in measures:
        return ""
    lost, bound = measures["glm"], measures["bound"]
    # The bound is rounded down and the ratio up, so that no more is claimed than was proved.
    said = f"loses {lost:.4f}; no release can lose less than {_down(bound):.4f}"
    if lost <= bound + _LEAST_SHOWN:
        return f"{said}: it is the best possible."
    within = f": within {ceil(100 * lost / bound) / 100:.2f} of the best" if bound else ""
    return f"{said}{within}."


def _down(bound: float) -> float:
    return floor(bound / _LEAST_SHOWN) * _LEAST_SHOWN


def sentence(finding: Finding) -> str:
    """What a requirement means to somebody who has never heard of it."""
    said = _said(finding)
    if finding.as_symbols:
        said += " This counts the original values, not all of which are shown in the table."
    return said


def _said(finding: Finding) -> str:
    given = {**finding.parameters}
    if isinstance(finding.asked, dict):
        given = {**finding.asked, **given}
    what = finding.attribute or given.get("attribute") or "every sensitive column"
    if finding.idle:
        return f"No value of {what} is in a bucket, so this requires nothing."
    match finding.model:
        case "k-anonymity":
            return f"Everyone shares their description with {_others(_k(finding, given))}."
        case "l-diversity":
            return _diversity(finding, given, what)
        case "alpha-k":
            return (
                f"Everyone shares their description with {_others(given.get('k'))}, and in no "
                f"group do more than {percent(given.get('alpha'))} have the same value of {what}."
            )
        case "t-closeness":
            whole = "all its buckets together" if finding.by_bucket else "the whole table"
            several = "Every bucket has two or more values. " if finding.by_bucket else ""
            return (
                f"{several}In every {_crowd(finding)} the values of {what} are spread nearly as "
                f"in {whole}: the two are at most {number(given.get('t', finding.asked))} apart (0 "
                "means alike, 1 as different as possible)."
            )
        case "k-e":
            return (
                f"Every group shows at least {number(given.get('k'))} different values of {what}, "
                f"and its largest and smallest differ by at least {number(given.get('e'))}."
            )
        case "multi-level-k":
            return _personal(finding, given)
        case "beta-likeness" | "delta-disclosure" | "p-sensitive":
            return _likeness(finding, given, what)
        case "k-map" | "delta-presence" | "lkc" | "km":
            return _few_known(finding, given, what)
        case model if model.startswith(("ir-", "eir-")):
            return _identity(model, finding, given, what)
        # A manifest may name a model that this version does not know.
        case model:
            return f"What the model {model} requires."


def _likeness(finding: Finding, given: dict[str, Any], what: str) -> str:
    """What is required of the values of a group, next to those of the table."""
    if finding.model == "p-sensitive":
        return f"Every group shows at least {number(given.get('p'))} different values of {what}."
    if finding.model == "delta-disclosure":
        return (
            f"Every value of {what} in a group is nearly as common there as in the whole table: "
            f"the logarithms of the two shares are less than {number(given.get('delta'))} apart."
        )
    common = " The commoner a value is in the table, the smaller this limit is."
    return (
        f"In no group is a value of {what} commoner than in the whole table by more than "
        f"{number(given.get('beta'))} times its share there."
        f"{common if given.get('kind') == 'enhanced' else ''}"
    )


def _few_known(finding: Finding, given: dict[str, Any], what: str) -> str:
    """What somebody finds who knows little, or does not know who is in the table."""
    k = number(given.get("k", finding.asked))
    if finding.model == "k-map":
        return (
            f"The description of every group fits at least {k} people of the population that the "
            "table is drawn from."
        )
    if finding.model == "delta-presence":
        return (
            "Of the people in the population who fit the description of a group, at most "
            f"{percent(given.get('high'))} are in the table."
        )
    if finding.model == "km":
        known = number(given.get("m"))
        return f"Anybody who knows {known} columns about a person finds {k} people or more who fit."
    return (
        f"Anybody who knows {number(given.get('l'))} columns about a person finds {k} people or "
        f"more who fit, of whom at most {percent(given.get('c'))} have the same value of {what}."
    )


def _crowd(finding: Finding) -> str:
    """What a requirement is about: groups of people or, for secret values, buckets."""
    return "bucket" if finding.by_bucket else "group"


def _k(finding: Finding, given: dict[str, Any]) -> Any:
    return given.get("k", finding.asked)


def _others(k: Any) -> str:
    if not isinstance(k, (int, float)):
        return "enough others"
    return f"at least {k - 1:,.0f} {'other' if k == 2 else 'others'}"


def _personal(finding: Finding, given: dict[str, Any]) -> str:
    """Those who ask for more get more; if a scheme may fall short, how many do not."""
    levels = given.get("levels") or ()
    pairs = [level["k"] if isinstance(level, dict) else level for level in levels]
    crowd = "as large as they ask for"
    if pairs:
        low, high = min(k for pair in pairs for k in pair), max(k for pair in pairs for k in pair)
        alone = "alone with their row" if low == 1 else f"with {_others(low)}"
        crowd += (
            f": the most sensitive with {_others(high)}, the least sensitive {alone}, and the "
            "rest in between"
        )
    said = (
        f"Everyone is hidden in a crowd {crowd}. The sensitivity of a person is not published, "
        "but the sizes of the groups reveal part of it."
    )
    reached = finding.reached if isinstance(finding.reached, dict) else {}
    if finding.holds is False and "rows below" in reached:
        n = int(reached["rows below"])
        rows, are = ("row", "it is") if n == 1 else ("rows", "they are")
        said += (
            f" This is not met for {n:,} {rows}: {are} published in a smaller crowd than "
            "required, as the method is allowed to do."
        )
    elif finding.holds is None:
        said += (
            " The method may publish some people in a smaller crowd than required; how many is "
            "not stated, since it would reveal their sensitivity."
        )
    return said


def _identity(model: str, finding: Finding, given: dict[str, Any], what: str) -> str:
    """People with several rows, whom their number keeps recognisable as one."""
    match model:
        case "ir-k":
            return (
                "Everyone, with all their rows, shares their description with "
                f"{_others(_k(finding, given))}."
            )
        case "ir-kl":
            return (
                f"Everyone, with all their rows, shares their description with "
                f"{_others(given.get('k'))}, and their group shows at least "
                f"{number(given.get('l'))} different values of {what}."
            )
        case "eir-l":
            return _picked(given.get("l", finding.asked), what)
    beta = percent(given.get("beta"))
    value = f"no value of {what} belongs to more than {beta} of its people"
    if model == "ir-alpha-beta":
        value = (
            f"the number of people who have the same value of {what} is at most {beta} of the "
            "number of its rows"
        )
    return (
        f"Nobody has more than {percent(given.get('alpha'))} of the rows of their group; {value}."
    )


def _picked(least: Any, what: str) -> str:
    """What a minimum hitting set of `least` values means."""
    said = (
        "Whichever row is picked for each person in a group, the picked rows show at least "
        f"{number(least)} different {'value' if least == 1 else 'values'} of {what}"
    )
    if not isinstance(least, (int, float)) or least < 2:
        return f"{said}."
    if least == 2:
        return f"{said}: there is no value that everybody in the group has."
    return f"{said}: for any {number(least - 1)} values, somebody in the group has none of them."


def _diversity(finding: Finding, given: dict[str, Any], what: str) -> str:
    least, crowd = number(given.get("l", finding.asked)), _crowd(finding)
    more = " Those who ask for more get more." if given.get("personal") else ""
    match given.get("kind"):
        case "frequency":
            return f"In no {crowd} do more than one in {least} have the same value of {what}.{more}"
        case "entropy":
            return (
                f"In every {crowd} the values of {what} are as varied as {least} values that are "
                "equally common."
            )
        case "recursive":
            return (
                f"In every group the commonest value of {what} occurs less than "
                f"{number(given.get('c'))} times as often as all values from the {least}th "
                "commonest on together."
            )
    if finding.by_bucket:
        return f"Every bucket of {what} holds at least {least} different values.{more}"
    verb = "has" if finding.as_symbols else "shows"
    return f"Every group {verb} at least {least} different values of {what}."


def measure_rows(measures: dict[str, float]) -> list[tuple[str, str, str, str]]:
    """Name, title, value and meaning of each measure."""
    rows = []
    for name, value in measures.items():
        title, meaning = MEASURES.get(name, (name, ""))
        rows.append(
            (name, title, number(value) if name in _NOT_SHARES else percent(value), meaning)
        )
    return rows


def odds(risk: float, exact: bool = True) -> str:
    """A chance as people say it; `at most` where it is a bound.

    >>> odds(0.5), odds(0.3), odds(1 / 3, exact=False), odds(0)
    ('1 in 2', '1 in 3.3', 'at most 1 in 3', 'none')
    """
    if risk <= 0:
        return "none"
    return f"{'' if exact else 'at most '}1 in {round(1 / risk, 1):,g}"


def day(time: str) -> str:
    """A time stamp for people; what is not one is given back."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return time
    return f"{moment.day} {moment:%B %Y, %H:%M} {moment.tzname() or ''}".rstrip()
