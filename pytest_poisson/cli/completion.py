"""`pytest-poisson completion SHELL`: a script that completes the command line, made from its parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.output import Outcome

if TYPE_CHECKING:
    import argparse

HELP = "print a completion script for bash, zsh or fish"
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.description = (
        f'{HELP}: eval "$(pytest-poisson completion bash)" in ~/.bashrc, the same with zsh in ~/.zshrc after compinit; '
        "pytest-poisson completion fish | source in config.fish"
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")


def run(arguments: argparse.Namespace) -> Outcome:
    """Print the script."""
    from pytest_poisson.cli import completion_scripts
    from pytest_poisson.cli.main import build_parser
    from pytest_poisson.cli.words import words_of

    write = {"bash": completion_scripts.bash, "zsh": completion_scripts.zsh, "fish": completion_scripts.fish}
    return Outcome(write[arguments.shell](words_of(build_parser())))
