"""Requirements, numbers and shares in few words."""

from __future__ import annotations

import pytest

from shoal.schema.wording import brief, brief_of, number, percent


@pytest.mark.parametrize(
    ("requirement", "attribute", "words"),
    [
        ("k-anonymity {k: 5}", None, "k-anonymity {k: 5}"),
        ("l-diversity {l: 3, kind: entropy}", "ill", "l-diversity {l: 3, kind: entropy}"),
        ("t-closeness {t: 0.05, attribute: pay}", "pay", "t-closeness {t: 0.05}"),
        ("t-closeness {t: 1.0, attribute: pay}", "ill", "t-closeness {t: 1, attribute: pay}"),
        ("multi-level-k {k: [2.0, 1.05], strict: False}", None, "multi-level-k {k: [2, 1.05]}"),
        ("multi-level-k {strict: True}", None, "multi-level-k {strict: True}"),
    ],
)
def test_defaults_and_the_attribute_next_to_it_are_left_out(
    requirement: str, attribute: str | None, words: str
) -> None:
    assert brief(requirement, attribute) == words


def test_without_an_attribute_there_is_none_to_name() -> None:
    assert brief_of("k-anonymity {k: 5}", None) == "k-anonymity {k: 5}"


@pytest.mark.parametrize("share", [1e-9, 0.0004999, 0.0005, 0.5, 0.9994999, 0.9995, 1 - 1e-9])
@pytest.mark.parametrize("places", [0, 1, 2])
def test_only_nothing_and_everything_read_so(share: float, places: int) -> None:
    assert percent(share, places) not in ("0%", "100%")
    assert (percent(0, places), percent(1.0, places)) == ("0%", "100%")
    assert percent(-share, places) != "-0%"


def test_numbers_keep_the_digits_that_are_asked_for() -> None:
    assert [number(1234.567, n) for n in (3, 4)] == ["1,234.6", "1,234.57"]
    assert [number(x) for x in (True, None, "a", [1, 2.5], float("inf"), 2.0**53)] == [
        "True", "–", "a", "1, 2.5", "inf", "9.0072e+15",
    ]  # fmt: skip
