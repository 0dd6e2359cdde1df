"""A report in parts, as terminal text and as Markdown."""

from pytest_poisson.render.layout import Column
from pytest_poisson.render.sheet import Bold, Grid, Points, as_markdown, as_text, escape, section, sheet

LONG = "an input with a name that is longer than a terminal has room for beside figures"
REPORT = sheet(
    "What 'a|b' did",
    [
        section(
            "Counted",
            "Some words.",
            Grid((Column("input"), Column("n", right=True)), ((LONG, "12"), ("x", "3"))),
        ),
        None,
        Bold("different: *b* did <more> than a."),
        section("What this cannot say", Points(("Why.", "When."))),
    ],
)


def test_text():
    """Parts are parted by blank lines, indented under their headings, and a wide label gives way to the figures."""
    assert as_text(REPORT, columns=40) == (
        "What 'a|b' did\n"
        "\n"
        "Counted\n"
        "  Some words.\n"
        "\n"
        "  input                                n\n"
        "  --------------------------------------\n"
        "  an input with a ..r beside figures  12\n"
        "  x                                    3\n"
        "\n"
        "**different: *b* did <more> than a.**\n"
        "\n"
        "What this cannot say\n"
        "  - Why.\n"
        "  - When.\n"
    )


def test_labels_that_could_not_be_told_apart_have_a_line_of_their_own():
    """Where the room left would cut two labels down to one text, each stands whole above its figures."""
    labels = ("bot: false, de, invoice", "bot: false, en, invoice")
    grid = Grid(
        (Column("input"), Column("n", right=True)), tuple((label, "1,234,567,890") for label in labels)
    )
    text = as_text(sheet("Report", [section("Counted", grid)]), columns=33)
    assert text.splitlines()[3:] == [
        "  input",
        "                n",
        "    -------------",
        "  bot: false, de, invoice",
        "    1,234,567,890",
        "  bot: false, en, invoice",
        "    1,234,567,890",
    ]


def test_colour_makes_bold_without_asterisks():
    """On a terminal with colours the one bold line is bold, and nothing else is."""
    lines = as_text(REPORT, colour=True).splitlines()
    assert [line for line in lines if "\x1b" in line] == ["\x1b[1mdifferent: *b* did <more> than a.\x1b[0m"]
    assert not any("**" in line for line in lines)


def test_markdown():
    """Headings, a table as GitHub renders it, one bold line, a list; nothing of the user's is markup."""
    assert as_markdown(REPORT) == (
        "# What 'a\\|b' did\n"
        "\n"
        "## Counted\n"
        "\n"
        "Some words.\n"
        "\n"
        "| input | n |\n"
        "| :--- | ---: |\n"
        f"| {LONG} | 12 |\n"
        "| x | 3 |\n"
        "\n"
        "**different: \\*b\\* did &lt;more&gt; than a.**\n"
        "\n"
        "## What this cannot say\n"
        "\n"
        "- Why.\n"
        "- When.\n"
    )


def test_escape():
    """Whatever Markdown or HTML acts upon is made literal."""
    assert (
        escape("a_b `c` [d](e) <f> & ~g~ #h \\i")
        == "a\\_b \\`c\\` \\[d\\](e) &lt;f&gt; &amp; \\~g\\~ \\#h \\\\i"
    )


def test_sections_without_content_are_no_sections():
    """A part of which nothing is to be said is left out, heading and all."""
    assert section("Nothing", None) is None
    assert sheet("t", [None, Bold("b")]).parts == (Bold("b"),)
