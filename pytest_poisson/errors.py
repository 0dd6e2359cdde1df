"""What users can do wrong, said in one sentence."""

from __future__ import annotations


class UserError(Exception):
    """A value that cannot be used: the sentence names it, the rule and what would be accepted."""


def telling_line(output: str) -> str:
    """Return the line of a program's last words that says what went wrong: the last with an error in it, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower()] or lines or ["nothing"]
    return told[-1].removeprefix("E ").strip()
