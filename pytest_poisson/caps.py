"""Caps that options and recording share, in a module that costs nothing to import."""

DEFAULT_MAX_SPANS = 10_000
"""Spans kept of one replicate."""

ERROR_LIMIT = 4000
"""Characters kept of the text of an error, be it a replicate's or a span's."""

LARGEST_WHOLE = 2**63 - 1
"""The largest whole number that the store holds."""

LEAST_FRACTION = 1e-15
"""The least error level or change that is taken: 1 less what is far below is 1, and an interval needs a level below."""
