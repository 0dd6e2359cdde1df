"""Caps that options and recording share, in a module that costs nothing to import."""

DEFAULT_MAX_SPANS = 10_000
"""Spans kept of one replicate."""
