"""The tests a comparison can use, each with the procedure of its flags; chosen before the run, named in the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Method: TypeAlias = Literal[
    "mcnemar_bh", "fisher_bh", "mcnemar_dbh", "fisher_dbh", "boschloo_bh", "sign_ebh", "block_ebh"
]
UnpairedTest: TypeAlias = Literal["fisher", "boschloo"]
Procedure: TypeAlias = Literal["benjamini-hochberg", "discrete"]


class Spec(NamedTuple):
    """What a method is.

    Attributes
    ----------
    test
        The unpaired test; None for McNemar's, which compares pairs. Of a sequential method the test of its counts, which
        it does not use.
    fdr
        The procedure of the flags. The verdict is Holm's whatever it is.
    optional
        Whether it is to be declared before the run: choosing it afterwards, for what it finds, is no test.
    sequential
        Whether it rests on evidence that may be looked at after every pair: the sign e-process of pairs, the safe test
        in blocks of independent ones, and the e-value procedure of Wang and Ramdas for flags and verdict.
    """

    test: UnpairedTest | None
    fdr: Procedure = "benjamini-hochberg"
    optional: bool = True
    sequential: bool = False

    @property
    def paired(self) -> bool:
        """Whether it compares pairs that share a seed."""
        return self.test is None


METHODS: Mapping[Method, Spec] = {
    "mcnemar_bh": Spec(None, optional=False),
    "fisher_bh": Spec("fisher", optional=False),
    "mcnemar_dbh": Spec(None, "discrete"),
    "fisher_dbh": Spec("fisher", "discrete"),
    "boschloo_bh": Spec("boschloo"),
    "sign_ebh": Spec(None, sequential=True),
    "block_ebh": Spec("fisher", sequential=True),
}
