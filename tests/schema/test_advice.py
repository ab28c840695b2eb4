"""Advice: its code decides how severe it is, and the gravest comes first."""

from __future__ import annotations

import pytest

from shoal.schema.advice import CODES, Severity, advise, by_severity


def test_codes_stand_in_the_order_of_their_severity() -> None:
    grave = [list(Severity).index(severity) for severity, _ in CODES.values()]
    assert grave == sorted(grave)


def test_the_gravest_comes_first_and_equals_stay_in_order() -> None:
    mixed = [advise("real-ends", "1"), advise("composition", "2"), advise("composition", "3")]
    assert [str(advice) for advice in by_severity(mixed)] == ["2", "3", "1"]
    assert [advice.severity for advice in by_severity(mixed)] == ["danger", "danger", "note"]
    assert by_severity([]) == ()


def test_a_code_that_nobody_knows_is_no_advice() -> None:
    with pytest.raises(KeyError):
        advise("rain", "Take an umbrella.")
