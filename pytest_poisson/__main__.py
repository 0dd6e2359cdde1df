"""`python -m pytest_poisson`, where the command is not on the path."""

import sys

from pytest_poisson.cli import main

sys.exit(main())
