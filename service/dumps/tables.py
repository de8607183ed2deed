"""The tables of a dump: their columns, which are the data dictionary, and the rows of a game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw, Struct

from domain.judging.outcome import RESULT_RULE, Judgment
from domain.kernel.ids import Seat
from domain.kernel.log.ending import order_of
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_around, read_created, read_event
from domain.kernel.log.lifecycle import GameEnded, GameStarted, RulesUpgraded
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.ruleset import Library, Order

Kind = Literal["text", "number", "time", "yes or no"]

Table = Literal["games", "events", "rolls", "results", "refusals"]

Row = tuple[Any, ...]


class Column(Struct, frozen=True):
    """A column: its name, the kind of its values, and what they mean."""

    name: str
    kind: Kind
    meaning: str


_GAME: Final = Column("game", "text", "The id of the game.")
_VERSION: Final = Column("version", "number", "The number of the event in the log of its game, from 1.")

TABLES: Final[Mapping[Table, tuple[Column, ...]]] = {
    "games": (
        _GAME,
        Column("ruleset", "text", "The id of the ruleset."),
        Column("ruleset_version", "number", "The version of the ruleset with which the game ended."),
        Column("board", "text", "The digest of the board and its documents."),
        Column("tournament", "text", "The id of the tournament; null outside tournaments."),
        Column("created", "time", "When the game was created."),
        Column("began", "time", "When it started; null if it ended without having started."),
        Column("ended", "time", "When it ended."),
        Column("seats", "number", "How many seats it has."),
        Column("events", "number", "How many events its log has."),
        Column("commands", "number", "How many commands of players and of the house were accepted, undo included."),
        Column("rounds", "number", "The round in which it ended, as its rules count rounds."),
        Column("rule", "text", "The id of the rule that ended it."),
        Column("head", "text", "The hash of its last event in hex: the transparency log has it."),
    ),
    "events": (
        _GAME,
        _VERSION,
        Column("at", "time", "When it happened, to the microsecond."),
        Column("type", "text", "The type of the event, such as `dice-rolled`."),
        Column("schema", "number", "The version of the shape of the event."),
        Column("draws", "number", "How many draws of chance the game had used up to here."),
        Column("player", "text", "The account that caused it; null where nobody or another event did."),
        Column("seat", "text", "The seat for which the account acted; null where it acted for none."),
        Column("command", "text", "The type of the command that caused it; null where no command did."),
        Column("by", "text", "`clock` or `house` where no account caused it; null otherwise."),
        Column("event", "text", "The event as canonical JSON: these bytes are hashed."),
        Column("cause", "text", "The cause as canonical JSON: these bytes are hashed; null where there is none."),
    ),
    "rolls": (
        _GAME,
        _VERSION,
        Column("number", "number", "The number of the die in its event, from 1."),
        Column("seat", "text", "The seat that rolled; null for dice that are nobody's."),
        Column("nation", "text", "The nation that rolled, where seats lead several; null otherwise."),
        Column("die", "text", "The kind of die, a key of the ruleset's `dice`."),
        Column("face", "text", "The face that came up. Rolls that were taken back later are here, too."),
        Column("same", "number", "How many sides of the die show that face."),
        Column("sides", "number", "How many sides the die has."),
    ),
    "results": (
        _GAME,
        Column("at", "time", "Since when it holds: the end of the game, or the ruling. The newest of a game counts."),
        Column("by", "text", "`end`, or `ruling` for a ruling after the end, which may be months later."),
        Column("rule", "text", "The id of the rule behind it."),
        Column("case", "text", "The id of the case that was ruled on; null for an end."),
        Column("continued_in", "text", "The fork in which a ruling lets the game go on. Then no seat has a place."),
        Column("seat", "text", "The seat; each has a row."),
        Column("number", "number", "The number of the seat at the table, from 1."),
        Column("player", "text", "The account that held the seat at the end; null when it was free."),
        Column("place", "number", "The place of the seat. Seats that tie have the same."),
        Column("won", "yes or no", "Whether the seat has won."),
    ),
    "refusals": (
        Column("ruleset", "text", "The id of the ruleset."),
        Column("rule", "text", "The id of the rule."),
        Column("title", "text", "The title of the rule; null for a rule that is not in the catalogues any more."),
        Column("refusals", "number", "How many commands it has refused, from the beginning until `at`."),
        Column("commands", "number", "How many commands were accepted in games of the ruleset until `at`."),
        Column("at", "time", "When the service was asked. Refusals leave no event, so they cannot be proved."),
    ),
}
"""The columns of each table, in their order."""


def event_rows(game: Game, records: Sequence[Record]) -> Iterator[Row]:
    """Yield the rows of `events`."""
    for record in records:
        cause = cause_of(record) if record.cause is not None else Cause()
        command = msgspec.json.decode(cause.command, type=_Typed).type if isinstance(cause.command, Raw) else None
        yield (
            *(game.id, record.version, record.at, record.type, record.schema, record.draws),
            *(cause.player, cause.seat, command, cause.by),
            record.event.decode(),
            record.cause.decode() if record.cause is not None else None,
        )


class _Typed(Struct):
    type: str


def roll_rows(game: Game, records: Sequence[Record], library: Library) -> Iterator[Row]:
    """Yield the rows of `rolls`."""
    ruleset = library.at(game.ruleset.id, game.began_with)
    for record in records:
        around = read_around(record)
        if isinstance(around, RulesUpgraded):
            ruleset = library.at(game.ruleset.id, around.to)
        if around is not None:
            continue
        number = 0
        for rolled in ruleset.rolled(read_event(ruleset, record)):
            sides = ruleset.dice[rolled.die]
            for face in rolled.faces:
                number += 1
                whose = rolled.seat, rolled.nation or None
                yield game.id, record.version, number, *whose, rolled.die, face, sides.count(face), len(sides)


def game_row(game: Game, records: Sequence[Record]) -> Row:
    """Return the row of `games`."""
    started = next((each.at for each in records if isinstance(read_around(each), GameStarted)), None)
    causes = [cause_of(record) for record in records if record.cause is not None]
    return (
        *(game.id, game.ruleset.id, game.ruleset.version, read_created(records[0]).board_key),
        *(causes[0].tournament, records[0].at, started, records[-1].at),
        *(len(game.players), len(records), sum(isinstance(cause.command, Raw) for cause in causes)),
        game.ruleset.round(game.table) if game.table is not None else 0,
        *(_end_of(records).rule, game.head.hex()),
    )


def end_rows(game: Game, records: Sequence[Record]) -> Iterator[Row]:
    """Yield the rows of `results` for the end of a game."""
    end = _end_of(records)
    seats = list(game.players.items())
    places = _places(order_of(game))
    for number, (seat, player) in enumerate(seats, start=1):
        head = (game.id, records[-1].at, "end", end.rule, None, None)
        yield *head, seat, number, player, places.get(seat), seat in end.winners


def ruled_rows(end: Sequence[Row], at: str, judgment: Judgment | None, case: str) -> Iterator[Row]:
    """Yield the rows of `results` for a ruling after the end. `end` has the rows of the end itself.

    `judgment` is the result from then on; None when the end itself is valid again.
    """
    order = judgment.order if judgment is not None else ()
    to = judgment.continued_in if judgment is not None else None
    places, winners = _places(order), order[0] if order else ()
    for row in end:
        game, seat = row[0], row[6]
        place, won = (row[9], row[10]) if judgment is None else (places.get(seat), seat in winners)
        if to is not None:
            place, won = None, None
        yield game, at, "ruling", RESULT_RULE, case, to, seat, row[7], row[8], place, won


def _end_of(records: Sequence[Record]) -> GameEnded:
    end = read_around(records[-1])
    if not isinstance(end, GameEnded):
        raise ValueError(f"version {records[-1].version} does not end the game")
    return end


def _places(order: Order) -> dict[Seat, int]:
    places: dict[Seat, int] = {}
    for tied in order:
        place = len(places) + 1
        places |= dict.fromkeys(tied, place)
    return places
