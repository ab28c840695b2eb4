"""Classes made better: a few near ones are dissolved and made anew, and kept where less is lost."""
