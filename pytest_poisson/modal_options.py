"""The options of the Modal backend; they stand in the one table of options."""

from __future__ import annotations

from typing import Any

from pytest_poisson.option import BadValueError, Option, parse_amount, parse_positive_count, parse_text


def parse_cores(value: Any) -> float:
    """Take a number of cores above 0."""
    cores = parse_amount(value)
    if not cores:
        raise BadValueError("must be a number above 0")
    return cores


OPTIONS = (
    Option(
        "modal_containers",
        "Modal: the most containers at a time (default: 16)",
        parse_positive_count,
        "N",
        default=16,
        ini="int",
    ),
    Option(
        "modal_batch",
        "Modal: replicates in the first batches; later ones last 5 to 60 s (default: 64)",
        parse_positive_count,
        "N",
        default=64,
        ini="int",
    ),
    Option(
        "modal_cpu",
        "Modal: physical cores of a container (default: 1)",
        parse_cores,
        "CORES",
        default=1.0,
        ini="float",
    ),
    Option(
        "modal_memory",
        "Modal: MiB of memory of a container (default: 512)",
        parse_positive_count,
        "MIB",
        default=512,
        ini="int",
    ),
    Option(
        "modal_gpu", "Modal: a GPU for every container, as in L4 or H100:2", parse_text, "GPU", ini="string"
    ),
    Option("modal_region", "Modal: the region containers run in", parse_text, "REGION", ini="string"),
    Option(
        "modal_secret",
        "Modal: name of a secret whose variables containers get (repeatable)",
        parse_text,
        "NAME",
        default=(),
        ini="args",
        repeat=True,
    ),
    Option(
        "modal_requirements",
        "Modal: what to install: a requirements file, uv.lock, pyproject.toml, uv.lock[extra], or none "
        "(default: the first of them there is)",
        parse_text,
        "FILE",
        ini="string",
    ),
    Option(
        "modal_packages",
        "Modal: more requirements to install, as pip takes them",
        parse_text,
        default=(),
        ini="args",
        repeat=True,
    ),
    Option(
        "modal_include",
        "Modal: globs of files that go into containers although git ignores them",
        parse_text,
        default=(),
        ini="args",
        repeat=True,
    ),
    Option(
        "modal_exclude",
        "Modal: patterns of files that do not go into containers",
        parse_text,
        default=(),
        ini="args",
        repeat=True,
    ),
)

INI_ONLY = ("modal_packages", "modal_include", "modal_exclude")
