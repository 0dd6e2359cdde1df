"""What users can do wrong, said in one sentence."""

from __future__ import annotations


class UserError(Exception):
    """A value that cannot be used: the sentence names it, the rule and what would be accepted."""


def first_line(text: str) -> str:
    """Return the first line of what an error said."""
    return text.splitlines()[0] if text else "no text"


def telling_line(output: str) -> str:
    """Return the line of a program's last words that says what went wrong: the last with an error in it, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower()] or lines or ["nothing"]
    return told[-1].removeprefix("E ").strip()
