"""Seeds: a function of salt, condition and replicate."""

import hashlib
import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from pytest_poisson.seeds import derive_seeds, new_salt


def test_the_seed_is_the_head_of_the_digest():
    """The seed that is stored is the first four bytes of SHA-256 over salt, key and replicate."""
    digest = hashlib.sha256(b"salt:key:7").hexdigest()
    assert derive_seeds("salt", "key", 7).seed == int(digest[:8], 16)


@given(st.text("0123456789abcdef"), st.text("0123456789abcdef", max_size=16), st.integers(0, 10**9))
def test_seeds_fit_what_they_seed(salt, key, replicate):
    """The seed and NumPy's are whole numbers from 0 to 2**32 - 1."""
    seeds = derive_seeds(salt, key, replicate)
    assert 0 <= seeds.seed < 2**32
    assert 0 <= seeds.numpy_global < 2**32


def test_another_process_with_other_hashes_draws_the_same():
    """Nothing of Python's randomised hashing enters a seed."""
    code = "from pytest_poisson.seeds import derive_seeds; print(tuple(derive_seeds('s', 'k', 3)))"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert out.stdout.strip() == str(tuple(derive_seeds("s", "k", 3)))


def test_salts_differ():
    """A new salt is 32 hex digits and never the last one."""
    salts = {new_salt() for _ in range(50)}
    assert len(salts) == 50
    assert all(len(salt) == 32 and int(salt, 16) >= 0 for salt in salts)
