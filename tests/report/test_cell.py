from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from shoal.report.cell import cell_shares

V, G, H, E = "original", "generalised", "hidden", "either"


@pytest.mark.parametrize(
    ("kind", "form", "states"),
    [
        ("numeric", "", {"1": V, "[1, 3]": G, "*": H, None: V}),
        ("numeric", "width", {"[0, 5[": G, "7": V}),
        ("numeric", "intervals", {"<3": G, ">=9": G, "-4": V}),
        ("date", "dates", {"2024-01-02": V, "2024-01": G, "2024": G, "*": H}),
        ("date", "", {"2024-01-02": V, "[2024-01-02, 2024-02-03]": G}),
        ("categorical", "mask", {"130**": G, "13053": V, "*****": H, "1305*": G}),
        ("categorical", "", {"a": V, "{a, b}": G, '{"", a}': G, "[x]": V}),
        ("categorical", "flat", {"a": V, "*": H}),
        ("categorical", "tree", {"north": E, "*": H}),
    ],
)
def test_labels_tell_what_became_of_cells(
    kind: str, form: str, states: dict[str | None, str]
) -> None:
    table = pl.DataFrame({"label": list(states)})
    expected = {state: n / len(states) for state, n in Counter(states.values()).items()}
    assert cell_shares(table, "label", kind, form) == expected


def test_a_hierarchy_tells_values_from_broader_terms() -> None:
    table = pl.DataFrame({"town": ["Oslo", "north", "*", "*"]})
    shares = cell_shares(table, "town", "categorical", "tree", {"Oslo", "Turku"})
    assert shares == {"original": 0.25, "generalised": 0.25, "hidden": 0.5}


def test_ranges_in_two_columns_are_read_as_one() -> None:
    table = pl.DataFrame({"age_low": [1.0, 2.0, None], "age_high": [1.0, 5.0, None]})
    shares = cell_shares(table, "age", "numeric", "")
    assert shares == {"original": 1 / 3, "generalised": 1 / 3, "hidden": 1 / 3}
