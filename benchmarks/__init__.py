"""What shoal costs, beside what the machine could do at best, as ratios within one run."""
