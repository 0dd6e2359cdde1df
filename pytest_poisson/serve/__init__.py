"""A store in a browser: pages that are read from it on request, for this machine alone."""
