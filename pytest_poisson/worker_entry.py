"""How a worker process is started, for those who start one without importing what it needs."""

ENTRY = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from pytest_poisson.worker import main; sys.exit(main())"
)
"""What ``python -c`` runs, so that the worker is imported under its own name and from the session's path."""
