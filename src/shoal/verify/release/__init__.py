"""Whole releases: in memory, as files, and against the original."""
