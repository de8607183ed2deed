"""The game from which the examples in the contract are made: a real opening with fixed dice, ids and times.

The kernel plays it, and the routes turn it into bodies. So each example is what the service would answer.
"""

import random
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.kernel.chance.draws import commitment_to
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log import answering, beginning, retracting, seating
from domain.kernel.log.answers import Answer
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules import schema
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from projections.lobby import GameRow
from service.api.services import Boards
from service.games.views import Accepted, Viewer, event_view
from service.store.accounts import PlayerRow, TokenId, TokenRow

AT: Final = "2026-11-21T18:00:00.000000Z"
SECRET: Final = bytes(range(32))
GAME: Final = GameId("gm5x2q7ahbk3oxw7c")
NAMES: Final = ("Livia", "Marcus", "Claudia", "Titus", "Octavia", "Quintus")

FIRST: Final = TokenId("tq7zk3v5m2c4n8xwab")
"""The token that came with the account."""

BOTS: Final = TokenRow(
    TokenId("t4h2k6n8p3r5t7vway"), PlayerId("p0h4nv6wjj3k2yzts"), "my bot", ("play",), AT, "2027-02-19T18:00:00.000000Z"
)


class Example(Struct, frozen=True):
    """A request body of an endpoint, and its answer. Both are JSON-shaped."""

    answer: Any
    body: Any = None


class Scene:
    """A game of the library's default ruleset that has just begun, and one command in it.

    Attributes:
        records: the log of the game, up to and including the command.
        created, joined, started: the steps in which the game begins.
        given: the step of the command.
        left: the step in which a seat leaves an answer in advance; not in `records`.
        asked, agreed: the steps in which the command is taken back; not in `records`.
    """

    def __init__(self, library: Library, boards: Boards) -> None:
        self.library = library
        self.ruleset = library.current(library.default)
        self.board = boards(self.ruleset.board)
        self.records: list[Record] = []
        self.vault = Vault()
        self.players = [
            PlayerRow(PlayerId(f"p{number}h4nv6wjj3k2yzts"), name, AT)
            for number, name in zip(range(self.ruleset.players[0]), NAMES, strict=False)
        ]
        self.accounts = {row.player: row for row in self.players}
        self.created = self._keep(
            beginning.create(
                self.ruleset,
                GAME,
                len(self.players),
                setup={},
                board=self.board,
                organizer=self.players[0].player,
                commitment=commitment_to(SECRET),
                cause=Cause(self.players[0].player),
                at=AT,
            )
        )
        self.joined: list[Decided] = []
        game = self.created.game
        for seat, row in zip(game.players, self.players, strict=True):
            self.joined.append(self._keep(seating.take_seat(game, seat, f"dice of {row.name}", Cause(row.player), AT)))
            game = self.joined[-1].game
        self.started = self._keep(beginning.start(game, game.chance(SECRET), Cause(self.players[0].player), AT))
        self.command, self.seat, self.given = self._give(self.started.game)
        self.left = self._leave(self.given.game)
        self.asked, self.agreed = self._ask()

    def _keep(self, step: Decided) -> Decided:
        self.records.extend(step.records)
        self.vault = self.vault.joined_by(step.secrets)
        return step

    def _give(self, game: Game) -> tuple[Any, Seat, Decided]:
        rng = random.Random(1)
        for seat in game.decisions[0].seats:
            for option in game.options(seat, self.vault):
                command = schema.sample(option.schema, rng)
                try:
                    read = self.ruleset.read_command(msgspec.json.encode(command))
                    cause = Cause(game.players[seat])
                    step = game.command(seat, [read], game.chance(SECRET), self.vault, cause, AT)
                    return command, seat, self._keep(step)
                except Refusal:
                    continue
        raise AssertionError("a game that has begun has an option")

    def _leave(self, game: Game) -> Decided:
        """Leave an answer in advance. Other examples do not show it."""
        seat = game.decisions[0].seats[0]
        kinds = {type_name(command): sorted(command.answers) for command in self.ruleset.commands}
        option = next(option for option in game.options(seat, self.vault) if kinds.get(option.command))
        command = schema.sample(option.schema, random.Random(1))
        answer = Answer(option.decision or kinds[option.command][0], command, until="round")
        return answering.leave_answer(game, seat, answer, game.chance(SECRET), Cause(game.players[seat]), AT)

    def _ask(self) -> tuple[Decided, Decided]:
        """Ask to take the command back, and agree. Other examples do not show it."""
        game, others = self.given.game, [seat for seat in self.given.game.players if seat != self.seat]
        cause, to = Cause(game.players[self.seat]), self.started.game.version
        request = retracting.ask_take_back(game, self.seat, to, self.records, lambda _: self.started.game, cause, AT)
        seat, at = others[0], request.game.version
        cause = Cause(game.players[seat])
        return request, retracting.answer_take_back(
            request.game, seat, at, True, lambda _: self.started.game, cause, AT
        )

    @property
    def now(self) -> Game:
        """The game after the command."""
        return self.given.game

    def viewer(self, game: Game) -> Viewer:
        return Viewer(game.players[self.seat], self.seat)

    def row(self, game: Game) -> GameRow:
        title = "An evening in November"
        ruleset = self.ruleset
        organizer, seats = self.players[0].player, game.players
        return GameRow(GAME, title, ruleset.id, ruleset.version, game.status, organizer, seats, game.version, AT, AT)

    def accepted(self, before: Game, step: Decided) -> Accepted:
        viewer = self.viewer(step.game)
        events = tuple(event_view(self.ruleset.id, record, self.vault, viewer) for record in step.records)
        return Accepted(GAME, before.version, step.game.version, events)
