"""The workbench in the browser, served from the user's own machine; the only web framework user."""
