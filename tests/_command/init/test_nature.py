"""What columns may be: each with a role, and known only where others may know it."""

from __future__ import annotations

import pytest

from shoal._command.init.nature import Nature
from shoal.schema import Role


@pytest.mark.parametrize("nature", Nature)
def test_only_what_others_may_know_is_known(nature: Nature) -> None:
    assert 0 <= nature.known <= 1
    assert (nature.known > 0) == (nature.role is Role.QUASI or not nature.is_clear)


def test_words_tell_natures_apart() -> None:
    assert len({nature.value for nature in Nature}) == len(Nature)
