"""The tests a comparison can use, each with the procedure of its flags; chosen before the run, named in the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Method: TypeAlias = Literal["mcnemar_bh", "fisher_bh", "mcnemar_dbh", "fisher_dbh", "boschloo_bh"]
UnpairedTest: TypeAlias = Literal["fisher", "boschloo"]
Procedure: TypeAlias = Literal["benjamini-hochberg", "discrete"]


class Spec(NamedTuple):
    """What a method is.

    Attributes
    ----------
    test
        The unpaired test; None for McNemar's, which compares pairs.
    fdr
        The procedure of the flags. The verdict is Holm's whatever it is.
    optional
        Whether it is to be declared before the run: choosing it afterwards, for what it finds, is no test.
    """

    test: UnpairedTest | None
    fdr: Procedure = "benjamini-hochberg"
    optional: bool = True

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
}
