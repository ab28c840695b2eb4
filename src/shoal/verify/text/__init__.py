"""Published text against the original: columns, rows, classes, and labels that cover."""
