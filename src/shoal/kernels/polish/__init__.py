"""Improve classes: a few near ones are dissolved and made again, and kept if less is lost."""
