"""How the documentation site is built: `sphinx-build -W -c docs . docs/_build` in the root of the repository.

The sources are the Markdown files where they lie, so that every link works on the site as it does in the repository.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_poisson import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "pytest-poisson"
version = release = __version__
extensions = ["myst_parser"]
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "examples/*/README.md"]
exclude_patterns = ["docs/_build"]
root_doc = "docs/index"
myst_heading_anchors = 3  # as the repository's pages have them
nitpicky = True
smartquotes = False  # -- begins an option
html_theme = "furo"
html_title = f"pytest-poisson {version}"
html_extra_path = ["site"]  # the page at the root, which leads to the index
html_copy_source = False
html_show_sphinx = False
pygments_style = "default"

SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"^- \[[^]]+\]\(([^)#]+)\)", re.MULTILINE)


def add_contents(_: Sphinx, page: str, source: list[str]) -> None:
    """Make the site's contents of the links on the index: a page that is not among them is a warning, which fails."""
    if page == root_doc:
        for title, links in SECTION.findall(source[0]):
            listed = "\n".join(LINK.findall(links))
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


def setup(app: Sphinx) -> None:
    """Have the contents added as the index is read."""
    app.connect("source-read", add_contents)
