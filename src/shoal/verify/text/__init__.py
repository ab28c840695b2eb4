"""Published text beside the original: columns, rows, classes, and labels that cover."""
