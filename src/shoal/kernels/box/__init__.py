"""The quasi-identifiers as a space, classes as boxes in it, and what their unions lose."""
