"""What pycanon says of a table; runs in its own environment.

check.py TABLE.csv QUASI,… SENSITIVE,… prints a JSON mapping of what each model achieves.
"""

from __future__ import annotations

import json
import sys

import pandas as pd
from pycanon import anonymity


def main() -> None:
    """Print every model for every sensitive attribute."""
    path, quasi, sensitive = sys.argv[1], sys.argv[2].split(","), sys.argv[3].split(",")
    table = pd.read_csv(path, keep_default_na=False)
    found = {}
    for name in sensitive:
        alpha, k = anonymity.alpha_k_anonymity(table, quasi, [name])
        found[name] = {
            "k": k,
            "alpha": alpha,
            "l": anonymity.l_diversity(table, quasi, [name]),
            "entropy": anonymity.entropy_l_diversity(table, quasi, [name]),
            "t": anonymity.t_closeness(table, quasi, [name]),
            "basic": anonymity.basic_beta_likeness(table, quasi, [name]),
            "enhanced": anonymity.enhanced_beta_likeness(table, quasi, [name]),
            "delta": anonymity.delta_disclosure(table, quasi, [name]),
        }
    print(json.dumps(found, default=float))


if __name__ == "__main__":
    main()
