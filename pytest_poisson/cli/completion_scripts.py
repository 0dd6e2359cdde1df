"""Completion scripts for bash, zsh and fish.

Each is a table of the commands with their options and values. Where a run is taken the ids of the files in the store are
offered, which costs no start of Python.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_poisson.cli.words import Argument, Command

BASH = """\
# bash completion of pytest-poisson
_pytest_poisson_runs() {
    local file
    echo latest
    for file in "${POISSON_STORE:-.poisson}"/[0-9]*.sqlite; do
        [[ -e $file ]] && basename "$file" .sqlite
    done
}

_pytest_poisson() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" each words="" values=""
    if [[ $word == "=" ]]; then
        word=""
    elif [[ $before == "=" ]]; then
        before="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $each != -* ]]; then
            command="$each"
            break
        fi
    done
    case "$command $before" in
%(values)s
    esac
    case "$values" in
        "") ;;
        :run) words="$(_pytest_poisson_runs)" ;;
        :file) COMPREPLY=($(compgen -f -- "$word")); return ;;
        :other) return ;;
        *) words="$values" ;;
    esac
    if [[ -z $values ]]; then
        case "$command" in
%(commands)s
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}

complete -o default -F _pytest_poisson pytest-poisson
"""

ZSH = """\
#compdef pytest-poisson
_pytest_poisson_runs() {
    local store="${POISSON_STORE:-.poisson}"
    compadd -- latest "$store"/[0-9]*.sqlite(N:t:r)
}

_pytest_poisson() {
    local command=""
    local -a options=(%(program)s)
    (( CURRENT > 2 )) && command="${words[(r)[^-]*,-1]}"
    local at=2
    while (( at < CURRENT )) && [[ ${words[at]} == -* ]]; do (( at++ )); done
    if (( at >= CURRENT )); then
        local -a commands=(
%(commands)s
        )
        _describe command commands
        _describe option options
        return
    fi
    command="${words[at]}"
    words=("${(@)words[at,-1]}")
    (( CURRENT -= at - 1 ))
    case "$command" in
%(arguments)s
    esac
}

if [[ ${funcstack[1]} == _pytest_poisson ]]; then _pytest_poisson "$@"; else compdef _pytest_poisson pytest-poisson; fi
"""

FISH = """\
# fish completion of pytest-poisson
function __pytest_poisson_runs
    set -l store .poisson
    set -q POISSON_STORE; and set store $POISSON_STORE
    echo latest
    for file in $store/*.sqlite
        string replace -f -r '.*/([0-9][^/]*)\\\\.sqlite$' '$1' -- $file
    end
end

%(lines)s
"""


def bash(commands: Sequence[Command]) -> str:
    """Return the script for bash."""
    program, *others = commands
    values = [
        f"        {'|'.join(shlex.quote(f'{command.name} {spelling}') for spelling in option.spellings)}) "
        f"values={shlex.quote(_bash_values(option))} ;;"
        for command in others
        for option in command.options
        if option.takes_value
    ]
    names = " ".join([*(each.name for each in others), *_spellings(program)])
    rows = [f"            '') words={shlex.quote(names)} ;;"] + [_bash_command(command) for command in others]
    return BASH % {"values": "\n".join(values), "commands": "\n".join(rows)}


def zsh(commands: Sequence[Command]) -> str:
    """Return the script for zsh."""
    program, *others = commands
    names = [f"            {_zsh_pair(each.name, each.help)}" for each in others]
    arguments = [f"        {each.name}) _arguments -S {' '.join(_zsh_specs(each))} ;;" for each in others]
    options = " ".join(
        _zsh_pair(spelling, each.help) for each in program.options for spelling in each.spellings
    )
    return ZSH % {"program": options, "commands": "\n".join(names), "arguments": "\n".join(arguments)}


def fish(commands: Sequence[Command]) -> str:
    """Return the script for fish."""
    program, *others = commands
    lines = [
        f"complete -c pytest-poisson -n __fish_use_subcommand {_fish_option(each)}"
        for each in program.options
    ]
    for command in others:
        lines.append(
            f"complete -c pytest-poisson -f -n __fish_use_subcommand -a {command.name} -d {_fish_quote(command.help)}"
        )
        where = f'-n "__fish_seen_subcommand_from {command.name}"'
        lines += [f"complete -c pytest-poisson {where} {_fish_option(each)}" for each in command.options]
        lines += [
            f"complete -c pytest-poisson {where} {value}"
            for each in command.positionals
            if (value := _fish_values(each))
        ]
    return FISH % {"lines": "\n".join(lines)}


def _spellings(command: Command) -> list[str]:
    return [spelling for each in command.options for spelling in each.spellings]


def _bash_values(argument: Argument) -> str:
    return " ".join(argument.choices) or f":{argument.kind or 'other'}"


def _bash_command(command: Command) -> str:
    offered = [*_spellings(command), *(word for each in command.positionals for word in each.choices)]
    runs = any(each.kind == "run" for each in command.positionals)
    words = " ".join(offered)
    return f'            {command.name}) words="{words}{" $(_pytest_poisson_runs)" if runs else ""}" ;;'


def _zsh_pair(name: str, text: str) -> str:
    return shlex.quote(f"{name}:{text}")


def _zsh_specs(command: Command) -> Iterable[str]:
    for each in command.options:
        for spelling in each.spellings:
            value = f":value:{_zsh_action(each)}" if each.takes_value else ""
            text = each.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
            yield shlex.quote(
                f"*{spelling}{'=' if value and spelling.startswith('--') else ''}[{text}]{value}"
            )
    yield from (shlex.quote(f"*:value:{_zsh_action(each)}") for each in command.positionals[-1:])


def _zsh_action(argument: Argument) -> str:
    if argument.choices:
        return f"({' '.join(argument.choices)})"
    return {"run": "_pytest_poisson_runs", "file": "_files"}.get(argument.kind, " ")


def _fish_option(argument: Argument) -> str:
    names = [f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}" for each in argument.spellings]
    value = (_fish_values(argument) or "-x") if argument.takes_value else ""
    return " ".join(filter(None, [*names, value, f"-d {_fish_quote(argument.help)}"]))


def _fish_values(argument: Argument) -> str:
    if argument.choices:
        return f"-x -a {_fish_quote(' '.join(argument.choices))}"
    return {"run": "-x -a '(__pytest_poisson_runs)'", "file": "-r -F"}.get(argument.kind, "")


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
