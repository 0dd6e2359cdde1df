"""The rule by which a comparison fails a gate."""

import pytest

from pytest_poisson.errors import UserError
from pytest_poisson.fail_on import parse_fail_on


def test_words_come_in_their_fixed_order():
    """However the list is written, the words come out once each and in one order."""
    assert parse_fail_on("missing, worse,missing") == ("worse", "missing")


def test_never_is_no_word_at_all():
    """`never` is the empty list: nothing fails."""
    assert parse_fail_on("never") == ()


@pytest.mark.parametrize("text", ["worst", "", "worse,,any", "WORSE"])
def test_an_unknown_word_is_refused_with_the_choices(text):
    """Anything else is refused under the option's name with what it takes."""
    with pytest.raises(
        UserError, match="takes worse, any, too-small, missing, flips, joined by commas, or never"
    ) as refusal:
        parse_fail_on(text, option="--poisson-fail-on")
    assert f"--poisson-fail-on={text} holds" in str(refusal.value)


def test_never_stands_alone():
    """`never` beside a word contradicts it and is refused."""
    with pytest.raises(UserError, match="--fail-on=worse,never: 'never' stands alone"):
        parse_fail_on("worse,never")
