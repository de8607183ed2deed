"""Games in a given position: bots play them within a second, and the running service takes them over.

Each service has them to itself. It cannot be shared between tests, because a game's dice come from its id: with another
id it would be another game. To start one takes 45 ms, while a page in a new context takes 800.
"""

import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.documents import key_of, packed
from service.api.services import Services
from service.base.clock import stamp, utc_now
from service.bots.registry import bot_for
from service.bots.simulation import Plan, Simulation
from service.store.accounts import PlayerRow
from service.store.protocol import Append, Opening
from tests.service.api.serving import Player

ORGANIZER = PlayerId("simulator")


class Table(Struct, frozen=True):
    """A game on the running service; who sits where, and the tokens with which they come."""

    id: GameId
    version: int
    seats: Mapping[Seat, Player]
    organizer: Player
    simulation: Simulation

    def token(self, seat: Seat) -> str:
        return token_of(self.seats[seat])


def token_of(player: Player) -> str:
    return player.headers["authorization"].removeprefix("Bearer ")


class Asks(Struct, frozen=True):
    """Holds from the `times`-th version on at which a decision of this kind is open."""

    kind: str
    times: int

    def counting(self) -> Callable[[Game], bool]:
        met = 0

        def until(game: Game) -> bool:
            nonlocal met
            met += asked_for(game, self.kind)
            return met >= self.times

        return until


Until = Callable[[Game], object] | Asks
"""When to stop playing. Tests that ask for the same get the same game, played once: a lambda is never the same."""


def asks(kind: str, times: int = 1) -> Asks:
    return Asks(kind, times)


def asked_for(game: Game, kind: str) -> bool:
    return any(decision.kind == kind for decision in game.decisions)


def never(game: Game) -> bool:
    return False


async def table(
    services: Services,
    ruleset: str = "conquest-classic-friz",
    seats: int = 3,
    *,
    seed: int = 1,
    until: Until = never,
    events: int = 20_000,
    bold: bool = True,
    title: str = "",
    setup: Mapping[str, Any] | None = None,
) -> Table:
    """Have bots play a game until `until` holds, or the log has `events`, or it is over; return it, to be played on.

    `bold` bots play as well as any that there are; others choose by chance, and do more of what nobody wants to do.
    The seed fixes everything, and gives the game its id: so it may be used once only in a test.
    """
    simulation = played(ruleset, seats, seed, until, events, bold, setup)
    game = simulation.game
    await services.store.append(
        Append(
            game.id,
            0,
            simulation.records,
            game.status,
            secrets=list(simulation.vault.all().values()),
            seats=game.players,
            opening=Opening(
                ruleset=game.ruleset.id,
                ruleset_version=game.ruleset.version,
                title=title or f"{game.ruleset.title}, played by bots",
                organizer=game.organizer,
                chance=simulation.secret,
                board=key_of(game.board),
                board_file=packed(game.board),
            ),
        )
    )
    services.wake.notify(game.id, game.version)
    players = {seat: await account(services, holder) for seat, holder in game.players.items() if holder is not None}
    return Table(game.id, game.version, players, await account(services, game.organizer), simulation)


def played(
    ruleset: str,
    seats: int,
    seed: int,
    until: Until = never,
    events: int = 20_000,
    bold: bool = True,
    setup: Mapping[str, Any] | None = None,
) -> Simulation:
    """Return a game that bots played so far, to be gone on with."""
    simulation = copy.copy(_played(ruleset, seats, seed, until, events, bold, tuple((setup or {}).items())))
    simulation.rng = copy.copy(simulation.rng)
    simulation.records = list(simulation.records)
    return simulation


@functools.lru_cache(maxsize=16)
def _played(
    ruleset: str,
    seats: int,
    seed: int,
    until: Until,
    events: int,
    bold: bool,
    setup: tuple[tuple[str, Any], ...],
) -> Simulation:
    """Most tests of a file begin with one of a few games."""
    # Today: of a game in which nothing has happened for long, a page warns that it will be abandoned.
    simulation = Simulation(Plan(ruleset, seats, seed, setup=dict(setup), day=f"{utc_now():%Y-%m-%d}"))
    if bold:
        simulation.bot = bot_for(ruleset, simulation.rng, msgspec.to_builtins(simulation.game.board))
    reached = until.counting() if isinstance(until, Asks) else until
    for step in simulation.play():
        if reached(step.game) or len(simulation.records) >= events:
            break
    return simulation


async def account(services: Services, player: PlayerId) -> Player:
    """Return an account of this id, opened when there is none, and a new token of it."""
    if await services.accounts.player(player) is None:
        await services.store.accounts.add(PlayerRow(player, player.replace("-", " "), stamp(utc_now)))
    _, token = await services.accounts.issue(player, "browser", ("play", "organize", "account"))
    return Player(player, {"authorization": f"Bearer {token}"})
