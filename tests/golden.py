"""Golden files: text that a person has read and found good."""

from pathlib import Path


def assert_golden(text, file):
    """Compare text with a golden file; on a mismatch the actual text is saved beside it as `*.actual`."""
    golden = Path(file)
    actual = golden.with_name(golden.name + ".actual")
    if golden.exists() and golden.read_text(encoding="utf-8") == text:
        actual.unlink(missing_ok=True)
        return
    golden.parent.mkdir(exist_ok=True)
    actual.write_text(text, encoding="utf-8", newline="\n")
    raise AssertionError(f"{golden.name} differs from {actual}; if the new text is good, rename it.")
