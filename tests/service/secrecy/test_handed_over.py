"""A seat that changes hands while something is hidden: its secrets pass to the substitute, and to nobody else.

What a spectator must not see, the law of secrecy proves of every ruleset with pairs of games. Here the player before is
held to what a spectator sees.
"""

from random import Random

import msgspec
import pytest

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.game import Game
from service.accounts.caller import Caller
from service.base.scopes import Scope
from service.games.views import event_view, viewer_of
from tests.helpers.games import GAMES, laws_of
from tests.helpers.laws.laws import Laws
from tests.helpers.play import Play, player_of

SUBSTITUTE = PlayerId("substitute")
LAWS = [laws for game in GAMES for laws in laws_of(game)]
AS_LONG_AS = 400


def feed(play: Play, game: Game, player: PlayerId | None) -> bytes:
    """Return all that an account is shown of a game: its events, the position and its options."""
    scopes = frozenset[Scope]({"play"})
    viewer = viewer_of(game, Caller(player, scopes, scopes, None, b"", None) if player is not None else None)
    events = [event_view(game.ruleset.id, record, play.vault, viewer) for record in play.records[: game.version]]
    options = game.options(viewer.seat, play.vault) if viewer.seat is not None else None
    return msgspec.json.encode((events, game.view(viewer.seat, play.vault), options))


def with_something_hidden(play: Play, rng: Random) -> Seat:
    """Play on until a seat may see more than a spectator, and return that seat."""
    for _ in range(AS_LONG_AS):
        nobody = play.vault.read_by(None).all()
        for seat in play.game.players:
            if play.vault.read_by(seat).all() != nobody:
                return seat
        play.step(rng)
    raise AssertionError("nothing was hidden")


@pytest.mark.rule("TAB-SEAT-03")
@pytest.mark.parametrize("laws", LAWS, ids=[laws.ruleset.id for laws in LAWS])
def test_the_player_before_sees_what_a_spectator_sees_and_the_substitute_what_the_seat_sees(laws: Laws) -> None:
    rng, play = Random(1), laws.open(2)
    seat = with_something_hidden(play, rng) if laws.hides(2) else play.waiting[0]
    old = player_of(seat)
    before = {player: feed(play, play.game, player) for player in (old, SUBSTITUTE, None)}
    assert before[SUBSTITUTE] == before[None]
    assert (before[old] != before[None]) or not laws.hides(2)
    play.offer(seat, SUBSTITUTE)
    assert feed(play, play.game, SUBSTITUTE) == feed(play, play.game, None), "an offer shows nothing yet"
    held = feed(play, play.game, old)
    play.take_over(seat, SUBSTITUTE)
    now = play.game
    assert feed(play, now, old) == feed(play, now, None)
    shown = msgspec.json.decode(feed(play, now, SUBSTITUTE))
    was = msgspec.json.decode(held)
    assert (shown[0][: len(was[0])], shown[1:]) == (was[0], was[1:]), "all that the seat sees"
    for _ in range(10):
        if play.game.status != "running":
            break
        play.step(rng)
        if play.game.status == "running":
            assert feed(play, play.game, old) == feed(play, play.game, None)
