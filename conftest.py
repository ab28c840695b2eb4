"""What pytest needs to know of the whole tree: programs that a machine may lack."""

from __future__ import annotations

import os
import shutil

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look for the programs of a `system` mark; `"a|b"` means that either will do."""
    tools = [tool for mark in item.iter_markers("system") for tool in mark.args]
    missing = [tool for tool in tools if not any(map(shutil.which, tool.split("|")))]
    if not missing:
        return
    reason = f"needs {', '.join(missing)}, which make system installs"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
