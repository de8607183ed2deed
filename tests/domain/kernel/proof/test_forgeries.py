"""Exports forged with a chain of their own: each is refused in a sentence that says what is wrong."""

import re

import pytest

from tests.forgeries.every import FORGERIES, UNDETECTABLE
from tests.forgeries.forging import Forgery, check, nothing
from tests.forgeries.games import GAMES
from tests.helpers.forger import forged


@pytest.mark.parametrize("game", GAMES)
def test_exports_that_were_not_forged_verify(game: str) -> None:
    assert forged(GAMES[game](), nothing) == list(GAMES[game]())
    assert check(list(GAMES[game]())).ok


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_a_forgery_is_refused_in_a_sentence_of_its_own(forgery: Forgery) -> None:
    verdict = check(forgery.export())
    assert not verdict.ok
    assert re.search(forgery.said, verdict.problem), verdict.problem
    assert verdict.line is not None


@pytest.mark.parametrize("forgery", UNDETECTABLE, ids=str)
def test_what_an_export_alone_cannot_show_still_verifies(forgery: Forgery) -> None:
    assert check(forgery.export()).ok
