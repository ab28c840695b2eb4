"""Grids of plans: run, kept in a cache, drawn with intervals over seeds."""

from shoal._command.experiment.experiment import Experiment, experiment

__all__ = ["Experiment", "experiment"]
