"""The paper's seventeen people (Examples 2 to 5), counted from 1."""

from __future__ import annotations

F = [0.41, 0.89, 0.54, 0.94, 0.42, 0.48, 0.61, 0.17, 0.56, 0.70, 0.53, 0.85, 0.87, 0.80]
F += [0.62, 0.68, 0.65]
THRESHOLDS = [[0.8, 0.2], [0.6, 0.5], [0.55, 0.54]]
LEVELS = [[6, 1], [5, 2], [4, 3]]
CLASSES = [[4, 2, 13, 12, 14, 7], [10, 16, 17, 15, 9], [3, 11, 5], [6, 1], [8]]
SCHEMES = ("sd-mks3wd", "se-mks3wd", "ece-mks3wd")
