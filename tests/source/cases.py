"""The message of a source that cannot be read, which shows no cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal.errors import DataError
from shoal.source import columns, read

SECRET = "S3CRET"


def failure(source: Any, base: Path | None = None) -> str:
    """What `read` and `columns` say alike."""
    with pytest.raises(DataError) as caught:
        read(source, base=base)
    with pytest.raises(DataError) as again:
        columns(source, base)
    assert str(again.value) == str(caught.value)
    return str(caught.value)


def failure_of(path: Path) -> str:
    """What `read` says of a file; it names the file."""
    with pytest.raises(DataError) as caught:
        read(path.name, base=path.parent)
    assert caught.value.__cause__ is None
    assert SECRET not in str(caught.value)
    assert f"'{path.name}'" in str(caught.value)
    return str(caught.value)
