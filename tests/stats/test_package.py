"""Laws of the whole package: every public name is documented, modules are small, nothing heavy is imported."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import poisson_stats

MODULES = sorted(module.name for module in pkgutil.iter_modules(poisson_stats.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_is_documented_and_typed(name):
    """Public functions say what they return and raise nothing undocumented; all arguments have types."""
    module = importlib.import_module(f"poisson_stats.{name}")
    for public, function in vars(module).items():
        if (
            public.startswith("_")
            or not inspect.isfunction(function)
            or function.__module__ != module.__name__
        ):
            continue
        assert inspect.getdoc(function), public
        missing = [p.name for p in inspect.signature(function).parameters.values() if p.annotation is p.empty]
        assert not missing, public


@pytest.mark.parametrize("name", MODULES)
def test_modules_stay_small(name):
    """One module, one idea: at most 400 lines."""
    source = inspect.getsource(importlib.import_module(f"poisson_stats.{name}"))
    assert len(source.splitlines()) <= 400


def test_importing_everything_does_not_import_scipy_stats():
    """scipy.stats costs seconds; no module of the package brings it in, nor scipy.optimize before it is needed."""
    code = "import importlib, sys\n"
    code += "\n".join(f"importlib.import_module('poisson_stats.{name}')" for name in MODULES)
    code += "\nprint([m for m in ('scipy.stats', 'scipy.optimize', 'pandas') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
