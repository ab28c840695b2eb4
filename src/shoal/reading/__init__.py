"""Reading what is published: the grammar of cells and labels, and release files."""
