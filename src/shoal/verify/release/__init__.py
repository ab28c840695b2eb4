"""Whole releases: in memory, as files, and beside the original."""
