"""What users can do wrong, said in one sentence."""

from __future__ import annotations


class UserError(Exception):
    """A value that cannot be used: the sentence names it, the rule and what would be accepted."""


def first_line(text: str) -> str:
    """Return the first line of what an error said."""
    return text.splitlines()[0] if text else "no text"


def not_whole(named: str, schema: str, problem: Exception) -> str:
    """Return why a document of ours that was stored or written cannot be read as one."""
    lacks = (
        f"it has no {problem}"
        if isinstance(problem, KeyError)
        else f"a part of it is not as it was written ({problem})"
    )
    return f"{named} is no whole {schema} document: {lacks}."


def telling_line(output: str) -> str:
    """Return the line of a program's last words that says what went wrong: the last with an error in it, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower()] or lines or ["nothing"]
    return told[-1].removeprefix("E ").strip()
