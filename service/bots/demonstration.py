"""A whole game between bots, through the HTTP API of a service."""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from service.base.settings import PREFIX
from service.bots.bot import Bot
from service.bots.client import Client
from service.bots.registry import bot_for

STARTED = "Tabularium is running at "


class NotStarted(Exception):
    """The service that was started for one game did not start."""


class Demonstration:
    """A game that bots play. The seed fixes what they choose; the dice are the service's.

    Attributes:
        game: the id of the game; empty until it has begun.
        fallen: how many seats are out of the game, as far as the view says.
    """

    def __init__(self, ruleset: str, seats: int, seed: int, title: str = "A demonstration") -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.title = title
        self.game = ""
        self.fallen = 0
        self._rng = random.Random(f"{ruleset}/{seats}/{seed}")
        self._players: dict[str, Client] = {}
        self._spectator: Client | None = None
        self._bot: Bot | None = None
        self._shown_version = 0

    def begin(self, client: Client, bots: Sequence[Client] = ()) -> None:
        """Create a game, seat the bots and start. Without `bots`, register some. Raises `TabulariumError`."""
        bots = bots or [self._register(client, f"bot {number}") for number in range(1, self.seats + 1)]
        body = {"ruleset": self.ruleset, "players": self.seats, "title": self.title}
        game = bots[0].post("/v1/games", body)
        self.resume(client, bots, game)
        for seat, bot in self._players.items():
            entropy = f"{self._rng.getrandbits(64):016x}"
            bot.post(f"/v1/games/{self.game}/seats", {"seat": seat, "entropy": entropy})
        bots[0].post(f"/v1/games/{self.game}/start", {})

    def resume(self, client: Client, bots: Sequence[Client], game: Mapping[str, Any]) -> None:
        """Go on with a game in which the bots sit, or will sit, in this order. Raises `TabulariumError`."""
        self._bot = bot_for(self.ruleset, self._rng, self._board(client))
        self.game, self._spectator = game["id"], client
        self._players = {place["seat"]: bot for place, bot in zip(game["seats"], bots, strict=False)}

    def _board(self, client: Client) -> Mapping[str, Any]:
        """Return the board and the documents that go with it."""
        path = f"/v1/rulesets/{self.ruleset}"
        names = client.get(path)["documents"]
        documents = {name: client.get(f"{path}/documents/{name}")["document"] for name in names}
        return {**client.get(f"{path}/board")["board"], "documents": documents}

    def play(self) -> Iterator[dict[str, Any]]:
        """Play to the end, yielding the history as it grows: passages of sentences. Raises `TabulariumError`."""
        yield from self._history()
        while self.step():
            yield from self._history()
        yield from self._history()

    def step(self) -> bool:
        """Give one command; return whether the game went on. Raises `TabulariumError`."""
        game = next(iter(self._players.values())).get(f"/v1/games/{self.game}")
        if game["status"] != "running":
            return False
        self._decide(game["decisions"][0]["seats"][0], f"demonstration-{game['version']}")
        return True

    def _decide(self, seat: str, key: str) -> None:
        assert self._bot is not None, "the game has begun"
        player = self._players[seat]
        view = player.get(f"/v1/games/{self.game}/state")["view"]
        options = player.get(f"/v1/games/{self.game}/options")["options"]
        seats = view.get("seats")  # only some rulesets' views say how each seat stands
        standings = seats.values() if isinstance(seats, Mapping) else ()
        self.fallen = sum(not standing.get("playing", True) for standing in standings)
        command = self._bot.choose(seat, view, options)
        player.command(self.game, command, key=key)

    def _history(self) -> Iterator[dict[str, Any]]:
        assert self._spectator is not None, "the game has begun"
        page: dict[str, Any] = {"next": self._shown_version}
        while page["next"] is not None:
            page = self._spectator.get(f"/v1/games/{self.game}/history", after=self._shown_version, limit=200)
            for passage in page["items"]:
                self._shown_version = passage["sentences"][-1]["version"]
                yield passage

    @staticmethod
    def _register(client: Client, name: str) -> Client:
        return client.as_player(client.post("/v1/players", {"name": name})["token"])


@contextmanager
def own_service(**settings: str) -> Iterator[str]:
    """Run a service on a free port and a temporary data directory; yield its address. Raises `NotStarted`.

    It has the caller's environment, with `settings` changed, which are named without the prefix.
    """
    with tempfile.TemporaryDirectory(prefix="tabularium-") as data:
        arguments = [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data", data]
        environ = {**os.environ, **{f"{PREFIX}{name.upper()}": value for name, value in settings.items()}}
        with subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ
        ) as process:
            try:
                assert process.stdout is not None, "its output is piped"
                first = process.stdout.readline().strip()
                if not first.startswith(STARTED):
                    raise NotStarted("the service of this game did not start; `tabularium serve` says why")
                yield first.removeprefix(STARTED)
            finally:
                process.terminate()
