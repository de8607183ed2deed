"""Recorded games through generated clients: what they decode and encode again is what the service sent.

``python -m tests.contract.round_trips [RULESET…]`` sends every event of every recorded game, and every hundredth
position with the options then; the test sends a part of them. Both send what the routes answer, made by the functions
of the routes.
"""

import itertools
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Protocol

import httpx
import msgspec
from jsonschema import Draft202012Validator, ValidationError, validators
from msgspec import Struct, UnsetType

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId
from domain.kernel.log.fold import fold, later
from domain.kernel.log.game import Game
from domain.kernel.log.history import retraction
from domain.kernel.log.record import Record
from domain.kernel.proof import export
from domain.kernel.rules.board import from_canonical
from domain.kernel.rules.message import type_name
from domain.library import LIBRARY
from service.api.contract import files as contract
from service.api.contract.operations import SCHEMAS
from service.api.play.routes import options_view, state_view
from service.api.response import encode
from service.api.rulesets import schemas
from service.games.views import Viewer, event_view
from tests.contract import clients, readers
from tests.recorded import Recorded, recorded

Value = dict[str, Any]

PAGE: Final = 500
EVERY: Final = 100
"""Positions and options are sent of every version that this divides."""
EACH: Final = 2
"""The events of each type, and of each type of command that caused one, that are tried."""
OPTIONS: Final = 10
"""With as many options of each ruleset, and the positions of these games, a part has enough."""
LOGGED: Final = 20
"""The events of each game that are also read from the log of all games."""


class Sent(Struct, frozen=True):
    """What a game sends: its events, and positions and options by the shape of their answer."""

    ruleset: str
    game: str
    events: list[Value]
    answers: list[tuple[str, Value]]


class Count(Struct):
    """How much was sent, and how much of it came back equal, as what it was."""

    sent: int = 0
    equal: int = 0


Counts = dict[tuple[str, str, str], Count]
"""By ruleset, by the shape that was sent, and by who read it."""


# --- What is sent -----------------------------------------------------------------------------------------------------


class Log(Struct, frozen=True):
    """A recorded game, read as quickly as can be: `tests.recorded` is where it is verified."""

    header: export.Header
    records: list[Record]
    vault: Vault

    @classmethod
    def of(cls, each: Recorded) -> "Log":
        first, *lines = each.lines()
        rows = [_row(line) for line in lines if line.startswith(b'{"at":')]
        secrets = [_secret(line).secret for line in lines if line.startswith(b'{"secret":')]
        records = [
            Record(
                row.version,
                bytes(row.event),
                row.schema,
                row.draws,
                row.at,
                None if isinstance(row.cause, UnsetType) else bytes(row.cause),
                bytes.fromhex(row.hash),
            )
            for row in rows
        ]
        return cls(msgspec.json.decode(first, type=export.Header), records, Vault(secrets))


_row: Final = msgspec.json.Decoder(export.Row).decode
_secret: Final = msgspec.json.Decoder(export.Published).decode


def sent(log: Log, records: Iterable[Record] | None = None, *, positions: bool = True) -> Sent:
    """Return what the service answers to somebody who may see everything: of some records, or of all."""
    header, viewer = log.header, Viewer(everything=True)
    chosen = log.records if records is None else records
    events = [_decoded(event_view(header.ruleset, record, log.vault, viewer)) for record in chosen]
    answers: list[tuple[str, Value]] = []
    for game in _positions(log) if positions else ():
        view = game.view(None, log.vault, everything=True)
        answers.append(("StateView", _decoded(state_view(game, viewer, view))))
        for seat in dict.fromkeys(seat for decision in game.decisions for seat in decision.seats):
            answers.append(("OptionsView", _decoded(options_view(game, seat, log.vault))))
    return Sent(header.ruleset, header.game, events, answers)


def _positions(log: Log) -> Iterator[Game]:
    board = from_canonical(msgspec.json.decode(log.header.board))
    game: Game | None = None
    every = min(EVERY, max(1, len(log.records) // 20))  # short games have twenty positions as well
    for end in range(every, len(log.records), every):
        since = log.records[game.version : end] if game is not None else ()
        if game is None or any(retraction(record) is not None for record in since):
            game = fold(log.records[:end], GameId(log.header.game), LIBRARY, lambda _: board)
        else:
            game = later(game, since)
        if game.table is not None:
            yield game


def _decoded(answer: Any) -> Value:
    return msgspec.json.decode(encode(answer))


def part(games: Iterable[Recorded]) -> Iterator[Sent]:
    """Yield what games send: `EACH` events of each type and caused by each command, and at least `OPTIONS` options.

    Options come from the shortest games first, because a position of a long one takes longest to reach.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    options: Counter[str] = Counter()
    for each in sorted(games, key=lambda each: each.path.stat().st_size):
        log = Log.of(each)
        chosen: list[Record] = []
        for record in log.records:
            kinds = [(each.ruleset, "event", record.type)]
            if record.cause is not None and (command := _cause(record.cause).command) is not None:
                kinds.append((each.ruleset, "command", command.type))
            if any(seen[kind] < EACH for kind in kinds):
                seen.update(kinds)
                chosen.append(record)
        game = sent(log, chosen, positions=options[each.ruleset] < OPTIONS)
        options[each.ruleset] += sum(shape == "OptionsView" for shape, _ in game.answers)
        yield game


class _Command(Struct):
    type: str


class _Cause(Struct):
    command: _Command | None = None


_cause: Final = msgspec.json.Decoder(_Cause).decode


# --- Through the clients ----------------------------------------------------------------------------------------------


class Reader(Protocol):
    """Somebody who knows the contract only."""

    name: str

    def read(self, answers: Sequence[tuple[str, Value]]) -> Iterator[bool]:
        """Yield for each answer, given by the name of its shape, whether it came back equal, as what it was."""
        ...


class PythonReader:
    """A client of openapi-python-client: its own functions, over a transport that answers."""

    name = "openapi-python-client"

    def __init__(self, folder: Path) -> None:
        self._package = clients.python_client(contract.published(LIBRARY), folder)
        self._answered = b""
        transport = httpx.MockTransport(lambda _: httpx.Response(200, content=self._answered))
        self._client = self._package.Client(base_url="http://service", httpx_args={"transport": transport})

    def read(self, answers: Sequence[tuple[str, Value]]) -> Iterator[bool]:
        for shape, several in itertools.groupby(answers, key=lambda answer: answer[0]):
            values = [value for _, value in several]
            match shape:
                case "EventView":
                    for page in _pages(values):
                        items = self._ask("log.list_events", {"items": page, "next": None}, "g").items
                        yield from map(self._is_event, page, items)
                case "LoggedEvent":
                    for page in _pages(values):
                        items = self._ask("administration.read_log", {"items": page, "next": "c", "last": True}).items
                        for value, item in zip(page, items, strict=True):
                            yield self._is_event(value["event"], item.event) and item.to_dict() == value
                case "StateView":
                    for value in values:
                        item = self._ask("play.show_state", value, "g")
                        family = _family(value["ruleset"])
                        named = _is_called(item, f"{family}StateView") and _is_called(item.view, f"{family}View")
                        yield named and item.to_dict() == value
                case _:
                    for value in values:
                        item = self._ask("play.show_options", value, "g")
                        yield _is_called(item, _family(value["ruleset"]) + shape) and item.to_dict() == value

    def _ask(self, name: str, answer: Value, *given: Any) -> Any:
        self._answered = json.dumps(answer).encode()
        return clients.function(self._package, name).sync(*given, client=self._client)

    @staticmethod
    def _is_event(value: Value, item: Any) -> bool:
        family, named = _family(value["ruleset"]), _names(value["ruleset"])[value["type"]]
        return _is_called(item, f"{family}EventView") and _is_called(item.event, named) and item.to_dict() == value


class TypeScriptReader:
    """A program over the types of a generator, without a cast, that reads each field by its name."""

    def __init__(self, generator: str, folder: Path) -> None:
        self.name = generator
        self._folder = folder = folder / generator.strip("@")
        folder.mkdir(parents=True)
        document = contract.published(LIBRARY)
        clients.typescript_client(document, folder, generator)
        (folder / "reader.ts").write_text(readers.program(json.loads(document)))
        clients.compile_typescript(folder)

    def read(self, answers: Sequence[tuple[str, Value]]) -> Iterator[bool]:
        given, gotten = self._folder / "given.jsonl", self._folder / "gotten.jsonl"
        given.write_text("\n".join(json.dumps({"shape": shape, "value": value}) for shape, value in answers))
        clients.node(self._folder / "reader.js", given, gotten)
        for (_, value), line in zip(answers, gotten.read_text().splitlines(), strict=True):
            yield json.loads(line) == value


READERS: Final[Mapping[str, Callable[[Path], Reader]]] = {
    PythonReader.name: PythonReader,
    **{generator: partial(TypeScriptReader, generator) for generator in clients.TYPESCRIPT},
}
"""Those that need a client generated first, by the generator; each in a folder."""


class SchemaReader:
    """The document's schemas alone, where a discriminator alone says which of several holds."""

    name = "JSON Schema"

    def __init__(self) -> None:
        components = json.loads(contract.published(LIBRARY))["components"]
        self._validators = {
            name: _ByDiscriminator({"$ref": f"{SCHEMAS}{name}", "components": components}) for name in readers.ROOTS
        }

    def read(self, answers: Sequence[tuple[str, Value]]) -> Iterator[bool]:
        for shape, value in answers:
            yield self._validators[shape].is_valid(value)


def _one_of(validator: Any, branches: Any, instance: Any, schema: Value) -> Iterator[Any]:
    discriminator = schema.get("discriminator")
    if discriminator is None:
        yield from Draft202012Validator.VALIDATORS["oneOf"](validator, branches, instance, schema)
        return
    place = discriminator["mapping"].get(instance.get(discriminator["propertyName"]))
    if place is None:
        yield ValidationError(f"{discriminator['propertyName']} is not in the mapping")
    else:
        yield from validator.descend(instance, {"$ref": place})


_ByDiscriminator: Final = validators.extend(Draft202012Validator, {"oneOf": _one_of})


def read_all(games: Iterable[Sent], everybody: Sequence[Reader]) -> Counts:
    """Send games to all readers, and at the end some events of each in one log."""
    counts: Counts = defaultdict(Count)
    log: list[Value] = []

    def send(answers: Sequence[tuple[str, Value]]) -> None:
        for reader in everybody:
            for (shape, value), equal in zip(answers, reader.read(answers), strict=True):
                ruleset = (value["event"] if shape == "LoggedEvent" else value)["ruleset"]
                count = counts[ruleset, shape, reader.name]
                count.sent += 1
                count.equal += equal

    for game in games:
        send([*(("EventView", event) for event in game.events), *game.answers])
        log += ({"game": game.game, "event": event} for event in game.events[:LOGGED])
    random.Random(1).shuffle(log)
    send([("LoggedEvent", logged) for logged in log])
    return counts


def _is_called(item: Any, name: str) -> bool:
    return type(item).__name__ == name


def _family(ruleset: str) -> str:
    return schemas.family_of(LIBRARY.current(ruleset))


@cache
def _names(ruleset: str) -> dict[str, str]:
    """Return what the events of a ruleset are called in the contract, by their types."""
    return {type_name(shape): schemas.name_of(shape) for shape in schemas.event_types(LIBRARY.current(ruleset))}


def _pages(items: list[Value]) -> Iterator[list[Value]]:
    for start in range(0, len(items), PAGE):
        yield items[start : start + PAGE]


def main() -> int:
    """Send everything; return 1 when anything did not come back equal."""
    with tempfile.TemporaryDirectory() as folder:
        everybody = (SchemaReader(), *(reader(Path(folder)) for reader in READERS.values()))
        rulesets = sys.argv[1:] or LIBRARY.ids()
        games = (sent(Log.of(each)) for ruleset in rulesets for each in recorded(ruleset))
        counts = read_all(games, everybody)
    for (ruleset, shape, name), count in sorted(counts.items()):
        print(f"{ruleset}, {shape}, {name}: {count.sent} sent, {count.equal} equal")
    return int(any(count.sent != count.equal for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
