"""Requirements in few words: what goes without saying is left out, and nothing else."""

from __future__ import annotations

import pytest

from shoal.schema.wording import brief, brief_of


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
