from __future__ import annotations

import socket

import pytest

from shoal.errors import DataError
from shoal.studio.server import ADDRESS, listen


def test_listens_on_this_machine_alone() -> None:
    with listen(0) as listener:
        assert listener.getsockname()[0] == ADDRESS == "127.0.0.1"


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind((ADDRESS, 0))
        taken.listen()
        with pytest.raises(DataError, match="must be free"):
            listen(taken.getsockname()[1])
