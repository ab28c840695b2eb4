"""The experiments of the five papers: figures, claims and pages."""

from shoal._command.reproduce.reproduce import REPRODUCED, Reproduction, reproduce

__all__ = ["REPRODUCED", "Reproduction", "reproduce"]
