"""Each ruleset's bots are found by its id; where there are none, games are played at random."""

import pkgutil
from random import Random

import pytest

from domain.library import LIBRARY
from service.bots import players
from service.bots.bot import GREEDY, RANDOM, THINKER, RandomBot
from service.bots.players.conquest_classic import BoldCommander
from service.bots.players.italia import GreedyHegemon
from service.bots.players.mare_nostrum import GreedyMerchant
from service.bots.registry import bot_for, levels

BOARD = {"borders": (), "documents": {"cards": {"nations": ()}}}


@pytest.mark.parametrize(
    ("ruleset", "best"),
    [
        ("conquest-classic-friz", BoldCommander),
        ("conquest-classic-of-tomorrow", BoldCommander),
        ("italia-1", GreedyHegemon),
        ("italia-2", GreedyHegemon),
        ("mare-nostrum", GreedyMerchant),
        ("mare-nostrumque", RandomBot),
        ("tiny-auction", RandomBot),
    ],
)
def test_the_best_bot_of_a_ruleset_that_answers_at_once_plays(ruleset: str, best: type) -> None:
    assert isinstance(bot_for(ruleset, Random(1), BOARD), best)
    own = [] if best is RandomBot else [GREEDY, THINKER] if ruleset in LIBRARY.ids() else [GREEDY]
    assert list(levels(ruleset)) == [RANDOM, *own]


def test_no_file_of_bots_is_left_over() -> None:
    for module in pkgutil.iter_modules(players.__path__):
        assert any(ruleset.startswith(module.name.replace("_", "-")) for ruleset in LIBRARY.ids())
