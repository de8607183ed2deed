"""A caller who may not know a secret gets the same bytes whatever it is: from every endpoint, live, and in refusals.

A game is played twice with the same chance and the same deeds, but two hidden cards are swapped. Until the rules turn
one of them up, everything that a spectator, another seat, an organizer with a seat, an auditor and administrator can
get is compared byte for byte, and so is what the service itself writes down beside the log and the secrets.
"""

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.game import Decided, Game
from domain.kernel.proof import export
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.refusal import Refusal
from service.accounts.caller import Caller
from service.api.contract.document import endpoints
from service.games.acts import Case, Commands
from service.games.views import Viewer, seat_of, viewer_of
from service.observe.logging import log
from tests.helpers.postgres import shared_cluster
from tests.helpers.sampling import STORES, sampled
from tests.service.secrecy.surface import ACTS
from tests.service.secrecy.twins import Cast, perfect_commitments
from tests.service.secrecy.world import Moment, lived
from tests.tiny.auction import ChooseCard, Table

PAIRS = [(store, seed) for store in ("sqlite", "postgres") for seed in range(5)]
HANDED = [Cast.handing(way, is_blind=blind) for way in ("offer", "resignation", "clock") for blind in (False, True)]
LEAKY = Cast(seed=0, seats=2, blind=(0,), organizer=0, in_stock=False, commands=6)
Database = Callable[[], AbstractAsyncContextManager[str]]


@contextlib.asynccontextmanager
async def embedded() -> AsyncIterator[str]:
    yield ""


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Database:
    """Lends the setting that chooses a store: an empty one for each world, and never machines: a run has one there."""
    return embedded if request.param == "sqlite" else shared_cluster().database


async def pair(cast: Cast, data: Path, database: Database) -> list[tuple[Moment, Moment]]:
    """Return what was to be seen in the two worlds of a cast, while the rules kept the secret."""
    async with database() as here, database() as there:
        one = await lived(cast, swapped=False, data=data / "one", database_url=here)
        other = await lived(cast, swapped=True, data=data / "other", database_url=there)
    moments = list(zip(one, other, strict=False))
    return [(a, b) for a, b in moments if a.turned_up == b.turned_up]


def differences(moments: list[tuple[Moment, Moment]]) -> list[tuple[int, str, str]]:
    """Return what tells the worlds apart: version, who, what."""
    found = []
    for one, other in moments:
        for who, seen in {**one.seen, "the service": one.kept}.items():
            theirs = other.kept if who == "the service" else other.seen[who]
            assert seen.keys() == theirs.keys()
            found += [(one.version, who, what) for what in seen if seen[what] != theirs[what]]
    return found


DRAWN = sampled("secrets", PAIRS, 1, weight=lambda pair: STORES[pair[0]])


@pytest.mark.parametrize(("database", "seed"), DRAWN, indirect=["database"])
async def test_what_one_may_not_see_makes_no_difference(seed: int, tmp_path: Path, database: Database) -> None:
    with perfect_commitments():
        moments = await pair(Cast.drawn(seed), tmp_path, database)
    assert moments
    assert differences(moments) == []
    # Those in the secret do see it: the worlds are not one and the same.
    assert all(one.insider != other.insider for one, other in moments) or Cast.drawn(seed).in_stock
    for moment, _ in moments:
        everything = b"".join(what for seen in moment.seen.values() for what in seen.values())
        assert moment.salts
        assert [salt for salt in moment.salts if salt.encode() in everything or salt in repr(moment.kept)] == []


@pytest.mark.rule("TAB-SEAT-03")
@pytest.mark.parametrize(
    "cast", sampled("seats that change hands", HANDED, 1), ids=lambda cast: f"{cast.way}-{cast.handed}"
)
async def test_a_seat_that_changes_hands_shows_its_secrets_to_the_substitute_alone(cast: Cast, tmp_path: Path) -> None:
    """Its player before sees no difference from then on, by streams that were open before either. Nor does a substitute
    see one in the hands of others.
    """
    with perfect_commitments():
        moments = await pair(cast, tmp_path, embedded)
    assert moments
    assert all({"substitute", "player before"} & one.seen.keys() for one, _ in moments)
    assert differences(moments) == []
    assert all(one.insider != other.insider for one, other in moments)


async def test_everything_in_the_contract_about_a_game_is_asked(tmp_path: Path) -> None:
    """What is read is taken from the contract; what changes a game is tried out by hand, or this fails."""
    (moment, *_) = await lived(Cast.drawn(0), swapped=False, data=tmp_path, database_url="")
    changing = {path.partition("{game}")[2] for path, method, _ in endpoints() if method != "GET" and "{game}" in path}
    assert changing == {*ACTS}
    assert {"stream", "socket"} <= moment.seen["spectator"].keys()


# --- each of these leaks is noticed ---


def _everything(old: Callable[..., Any]) -> Callable[..., Any]:
    def shown(*given: Any, **options: Any) -> Any:
        return old(*given, **{**options, "everything": True})

    return shown


def _telling_refusal(self: ChooseCard, draft: Draft[Table], seat: Seat) -> None:
    try:
        _choose(self, draft, seat)
    except Refusal as refusal:
        cards = [draft.open(card) for hand in draft.table.hands.values() for card in hand]
        raise Refusal(refusal.rule, refusal.wrong, f"The hands hold {cards}.") from None


def _open_command(command: Any, seat: Seat, draft: Draft[Table]) -> tuple[msgspec.Raw, None]:
    return msgspec.Raw(canonical(command)), None


def _remembers(game: Game, player: PlayerId) -> Seat | None:
    held = (seat for seat, players in game.around.held.items() if player in players)
    return _seat_of(game, player) or next(held, None)


def _keeps(game: Game, caller: Caller | None) -> Viewer:
    viewer = viewer_of(game, caller)
    if viewer.seat is not None:
        _KEPT.setdefault((game.id, viewer.player), viewer)
    return _KEPT.get((game.id, viewer.player), viewer)


def _neighbour(game: Game, caller: Caller) -> Viewer:
    return Viewer(caller.player, next(seat for seat, holder in game.players.items() if holder != caller.player))


async def _told_in_the_log(self: Commands, case: Case) -> Decided:
    log.info("command", given=bytes(self.given[0]).decode())
    return await _decide(self, case)


_choose, _decide, _seat_of = ChooseCard.decide, Commands.decide, seat_of
_KEPT: dict[tuple[GameId, PlayerId | None], Viewer] = {}
"""By game and account, what those could see first who had a seat."""

LEAKS: dict[str, tuple[str, Any]] = {
    "the secrets of others beside the events": ("service.games.views.Viewer.may_read", lambda self, secret: True),
    "the position with open eyes": ("domain.kernel.log.game.Game.view", _everything(Game.view)),
    "an open comparison": ("service.api.pictures.comparison.viewer_of", lambda *given: Viewer(everything=True)),
    "what others could do": ("service.api.play.routes.sees_all_of", lambda *given: True),
    "what others could have done": ("service.api.desk.routes.sees_all_of", lambda *given: True),
    "the export of everything": ("domain.kernel.proof.export.export", _everything(export.export)),
    "hands in a refusal": ("tests.tiny.auction.ChooseCard.decide", _telling_refusal),
    "a sealed command as it was given": ("domain.kernel.log.game._command_in_log", _open_command),
    "a bot that is asked for another seat": ("service.bots.playing.viewer_of", _neighbour),
    "commands in the service's log": ("service.games.acts.Commands.decide", _told_in_the_log),
    "a seat to its player before": ("service.games.views.seat_of", _remembers),
    "a seat on a stream that was open before": ("service.api.log.streams.viewer_of", _keeps),
}
OF_SEATS = ("a seat to its player before", "a seat on a stream that was open before")
"""Leaks only where a seat changes hands."""


@pytest.mark.parametrize("leak", sampled("leaks", LEAKS, 3))
async def test_a_leak_is_noticed(leak: str, tmp_path: Path) -> None:
    cast = Cast.handing("offer", is_blind=False) if leak in OF_SEATS else LEAKY
    with perfect_commitments(), mock.patch(*LEAKS[leak]):
        moments = await pair(cast, tmp_path, embedded)
    assert differences(moments)
