"""Starting the command line is cheap."""

import subprocess
import sys

HEAVY = ("numpy", "scipy", "pytest")


def test_help_imports_nothing_heavy():
    """Up to the moment an analysis starts neither NumPy, SciPy nor pytest is imported."""
    script = (
        "import sys\n"
        "from pytest_poisson.cli import main\n"
        "status = main(['--help'])\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(f'{status} {loaded}' if status or loaded else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
