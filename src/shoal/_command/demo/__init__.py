"""A made-up hospital: tables, hierarchies and plans to try things out with.

Everything is drawn from a seed; the names are made of syllables and belong to nobody.
"""

from shoal._command.demo.diagnosis import diagnoses
from shoal._command.demo.folder import DEMOS, Demo, write_demo
from shoal._command.demo.patient import generate

__all__ = ["DEMOS", "Demo", "diagnoses", "generate", "write_demo"]
