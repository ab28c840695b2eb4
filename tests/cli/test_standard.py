"""Streams that are closed, full, or without some characters."""

from __future__ import annotations

import io
import os
import sys

import pytest

from shoal.cli import standard


@pytest.mark.parametrize(
    ("encoding", "yes"), [("utf-8", "✓"), ("UTF8", "✓"), ("utf-16", "✓"), ("latin-1", "+")]
)
def test_signs_are_those_that_a_stream_can_show(encoding: str, yes: str) -> None:
    found = standard.signs(io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert found == {True: yes, False: "✗" if yes == "✓" else "x", None: "?"}


def test_a_reader_who_left_is_not_a_failure() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        standard.write(pipe, "nobody reads this")
        standard.write(pipe, "nor this")


def test_what_cannot_be_written_fails_now_and_not_at_the_end() -> None:
    full = open("/dev/full", "w")  # noqa: SIM115, PTH123
    full.write("x")
    with pytest.raises(OSError, match="No space"):
        standard.flush(full)
    full.close()


def test_missing_characters_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", narrow)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    standard.forgive_encodings()
    narrow.write("é")
    narrow.flush()
    assert narrow.buffer.getvalue() == b"?"  # type: ignore[attr-defined]
