"""A seat that changes hands while something is hidden: its secrets pass to the substitute, and to nobody else.

What a spectator must not see, the law of secrecy proves of every ruleset with pairs of games. Here the player before is
held to what a spectator sees, in every ruleset and on each of the ways by which a seat changes hands. `test_secrecy.py`
compares what both get over HTTP.
"""

from collections.abc import Callable
from random import Random

import msgspec
import pytest

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.clock import Clock
from domain.kernel.log.game import Game
from service.accounts.caller import Caller
from service.base.scopes import Scope
from service.games.views import event_view, viewer_of
from tests.helpers.clocked import Clocked
from tests.helpers.games import GAMES, laws_of
from tests.helpers.laws.laws import Laws
from tests.helpers.play import Play, player_of

SUBSTITUTE = PlayerId("substitute")
LAWS = [laws for game in GAMES for laws in laws_of(game)]
AS_LONG_AS = 400
SEATS = 3
"""With two, a resignation ends the game."""
VACATES = Clock(kind="bank", time=60, at_zero="vacate")


def opened(laws: Laws) -> tuple[Play, bool]:
    """Return a game of at least three seats, and whether it hides anything: wherever a game of the ruleset does."""
    able = [seed for seed in range(12) if laws.ruleset.players[seed % len(laws.ruleset.players)] >= SEATS]
    hiding = [seed for seed in able if laws.hides(seed)]
    seed = (hiding or able)[0]
    seats = laws.ruleset.players[seed % len(laws.ruleset.players)]
    return Clocked(laws.ruleset, laws.board, seats, seed, laws.setup(seed), clock=VACATES), bool(hiding)


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


def offered(play: Play, seat: Seat) -> None:
    play.offer(seat, SUBSTITUTE)


def resigned(play: Play, seat: Seat) -> None:
    play.resign(seat)


def left_open_by_its_clock(play: Play, seat: Seat) -> None:
    assert isinstance(play, Clocked)
    rng = Random(2)
    for _ in range(AS_LONG_AS):
        if seat in play.clocks.runs:
            break
        play.step(rng)
    while play.wait_for_fall() != seat:
        play.fall(play.wait_for_fall())
    play.fall(seat)
    assert seat in play.clocks.vacated


WAYS: list[Callable[[Play, Seat], None]] = [offered, resigned, left_open_by_its_clock]


@pytest.mark.rule("TAB-SEAT-03")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("laws", LAWS, ids=[laws.ruleset.id for laws in LAWS])
def test_the_player_before_sees_what_a_spectator_sees_and_the_substitute_what_the_seat_sees(
    laws: Laws, way: Callable[[Play, Seat], None]
) -> None:
    rng, (play, hides) = Random(1), opened(laws)
    seat = with_something_hidden(play, rng) if hides else play.waiting[0]
    old = player_of(seat)
    before = {player: feed(play, play.game, player) for player in (old, SUBSTITUTE, None)}
    assert before[SUBSTITUTE] == before[None]
    assert (before[old] != before[None]) or not hides
    way(play, seat)
    assert feed(play, play.game, SUBSTITUTE) == feed(play, play.game, None), "a seat that is open shows nothing yet"
    held = feed(play, play.game, old)
    play.take_over(seat, SUBSTITUTE)
    now = play.game
    assert feed(play, now, old) == feed(play, now, None)
    shown, was = msgspec.json.decode(feed(play, now, SUBSTITUTE)), msgspec.json.decode(held)
    assert shown[0][: len(was[0])] == was[0], "all that the seat was told"
    assert shown[1] == was[1], "all that the seat sees"
    assert shown[2] == was[2] or way is resigned, "and all that it may do"
    others = play.vault.read_by(seat).all()
    assert all(secret["commitment"] in others for event in shown[0] for secret in event.get("secrets", ()))
    for _ in range(10):
        if play.game.status != "running":
            break
        play.step(rng)
        if play.game.status == "running":
            assert feed(play, play.game, old) == feed(play, play.game, None)
