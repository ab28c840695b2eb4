"""The version, stated once for the package; `pyproject.toml` repeats it for builders."""

__version__ = "0.1.0"
