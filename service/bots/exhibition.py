"""Games that bots play for spectators: through the HTTP API, slowly enough to be watched."""

import contextlib
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from tabularium_client import TabulariumError

from domain.kernel.ids import PlayerId
from service.bots.client import Client
from service.bots.demonstration import Demonstration
from service.observe.logging import log

PACE: Final = 1.0
"""Seconds between two commands."""
INTERMISSION: Final = 15.0
"""Seconds between two games."""
TROUBLE: Final = 5.0
"""Seconds between a failed command and the next attempt."""
PATIENCE: Final = 6
"""How many failures in a row end a game."""
ENOUGH: Final = 20_000
"""Commands after which the bots stop until the service is started again, so that their games do not fill the disk."""

SEATS: Final = 4
NAMES: Final = ("Livia, a bot", "Marcus, a bot", "Claudia, a bot", "Titus, a bot")


class Notes(Struct):
    """What is kept in the file: the tokens of the bots, their game, and how many games they have begun."""

    tokens: list[str] = []
    game: str = ""
    begun: int = 0


class Exhibition:
    """Plays demonstration games one after another, each on another board than the one before.

    The notes are kept in a file, so that after a restart the bots go on with their game.
    """

    def __init__(
        self,
        address: str,
        notes: Path,
        pace: float = PACE,
        show: Callable[[str], None] = lambda address: None,
        hush: Callable[[PlayerId], None] = lambda player: None,
    ) -> None:
        """`show` gets the address of every game that begins or goes on, `hush` the accounts of the bots."""
        self._address = address
        self._file = notes
        self._pace = pace
        self._show = show
        self._hush = hush
        self._notes = Notes()
        self._stopped = threading.Event()
        self._commands_given = 0

    def play(self) -> None:
        """Play until `stop` is called, or the bots have given `ENOUGH` commands."""
        try:
            with Client(reached(self._address)) as client:
                self._play(client)
        except TabulariumError as problem:
            if not self._stopped.is_set():
                log.warning("demonstration ended", why=str(problem))
        except Exception:
            log.error("demonstration failed", exc_info=True)

    def stop(self) -> None:
        self._stopped.set()

    def _play(self, client: Client) -> None:
        self._read_notes()
        bots = self._enlist(client)
        rulesets = _in_turn(client.get("/v1/rulesets")["items"])
        while not self._stopped.is_set() and self._commands_given < ENOUGH:
            demonstration = self._resumed(client, bots) or self._begin_game(client, bots, rulesets)
            self._show(f"{self._address}/games/{demonstration.game}")
            self._play_out(demonstration)
            if not self._stopped.wait(min(INTERMISSION, 15 * self._pace)):
                self._notes.game = ""

    def _play_out(self, demonstration: Demonstration) -> None:
        failures = 0
        while failures < PATIENCE and self._commands_given < ENOUGH and not self._stopped.wait(self._pace):
            try:
                if not demonstration.step():
                    return
                failures, self._commands_given = 0, self._commands_given + 1
            except TabulariumError as problem:
                failures += 1
                if not self._stopped.is_set():
                    log.warning("demonstration waits", game=demonstration.game, why=str(problem))
                self._stopped.wait(TROUBLE)

    def _enlist(self, client: Client) -> list[Client]:
        """Return the bots of the notes. If the service does not know them all any more, register new ones."""
        bots: list[Client] = []
        for token in self._notes.tokens:
            bot = client.as_player(token)
            with contextlib.suppress(TabulariumError):
                self._hush(bot.get("/v1/players/me")["id"])
                bots.append(bot)
        if len(bots) < SEATS:
            registered = [client.post("/v1/players", {"name": name}) for name in NAMES]
            for each in registered:
                self._hush(each["player"]["id"])
            self._notes = Notes([each["token"] for each in registered])
            self._write_notes()
            bots = [client.as_player(token) for token in self._notes.tokens]
        return bots

    def _resumed(self, client: Client, bots: Sequence[Client]) -> Demonstration | None:
        if not self._notes.game:
            return None
        try:
            game = bots[0].get(f"/v1/games/{self._notes.game}")
        except TabulariumError:
            return None
        if game["status"] != "running":
            return None
        demonstration = Demonstration(game["ruleset"], len(game["seats"]), secrets.randbits(32))
        demonstration.resume(client, bots, game)
        return demonstration

    def _begin_game(
        self, client: Client, bots: Sequence[Client], rulesets: Sequence[Mapping[str, Any]]
    ) -> Demonstration:
        ruleset = rulesets[self._notes.begun % len(rulesets)]
        seats = min(ruleset["players"], key=lambda players: (players > SEATS, abs(players - SEATS)))
        title = f"Bots play {ruleset['title']}"
        demonstration = Demonstration(ruleset["id"], seats, secrets.randbits(32), title)
        demonstration.begin(client, bots[:seats])
        self._notes.game, self._notes.begun = demonstration.game, self._notes.begun + 1
        self._write_notes()
        return demonstration

    def _read_notes(self) -> None:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            self._notes = msgspec.json.decode(self._file.read_bytes(), type=Notes)

    def _write_notes(self) -> None:
        try:
            self._file.touch(0o600)
            self._file.write_bytes(msgspec.json.encode(self._notes))
        except OSError as error:
            log.warning("demonstration cannot be noted", file=str(self._file), why=error.strerror)


@contextlib.contextmanager
def exhibiting(exhibition: Exhibition) -> Iterator[None]:
    """A context in which an exhibition plays, in a thread of its own."""
    playing = threading.Thread(target=exhibition.play, name="exhibition", daemon=True)
    playing.start()
    try:
        yield
    finally:
        exhibition.stop()
        playing.join(2)


def reached(address: str) -> str:
    """Return the address at which this machine reaches a service: the loopback address if it listens on all."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
    place = urlsplit(address)
    host = everywhere.get(place.hostname or "")
    return f"{place.scheme}://{host}:{place.port}" if host else address


def _in_turn(rulesets: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return rulesets in an order in which, if possible, each has another board than the one before it.

    Some come more than once.
    """
    boards: dict[str, list[Mapping[str, Any]]] = {}
    for ruleset in rulesets:
        boards.setdefault(ruleset["board"], []).append(ruleset)
    rounds = max(map(len, boards.values()))
    return [played[number % len(played)] for number in range(rounds) for played in boards.values()]
