"""What users can do wrong, said in one sentence."""

from __future__ import annotations


class UserError(Exception):
    """A value that cannot be used: the sentence names it, the rule and what would be accepted."""
