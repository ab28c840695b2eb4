"""What each command does, on a terminal or in a browser: from `check` to `demo`."""
