"""Two games that differ in what is hidden: bare tables, whose chance may be anything."""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from random import Random
from typing import Any

import msgspec

from domain.kernel.chance.draws import Chance, CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, Seat
from domain.kernel.rules.board import Board
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Event
from domain.kernel.rules.ruleset import Ruleset


@cache
def chance_of(seed: int) -> CommittedChance:
    return CommittedChance(bytes([seed % 256]) * 32, GameId("twins"), {})


class Swapped:
    """Chance as another one's, but for two places of one shuffle."""

    def __init__(self, chance: Chance, rng: Random) -> None:
        self.secret = chance.secret
        self._chance = chance
        self._rng = rng
        self._swapped = False

    def dice(self, draw: int, count: int, sides: int) -> tuple[int, ...]:
        return self._chance.dice(draw, count, sides)

    def salt(self, draw: int) -> bytes:
        return self._chance.salt(draw)

    def order(self, draw: int, items: Sequence[Any]) -> tuple[int, ...]:
        order = list(self._chance.order(draw, items))
        if not self._swapped and len(items) > 1:
            one, other = self._rng.sample(range(len(items)), 2)
            order[one], order[other] = order[other], order[one]
            self._swapped = True
        return tuple(order)


class Bare:
    """A table, its secrets and what happened to it, without the game around it: its chance may be anything."""

    def __init__(
        self, ruleset: Ruleset[Any], board: Board, seats: tuple[Seat, ...], setup: Any, chance: Chance
    ) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.chance = chance
        self.vault = Vault()
        self.events: list[Event[Any]] = []
        self.revealed = False
        self.draws: list[int] = []
        self._take(ruleset.begin(ruleset.lay(seats, setup, board), chance))

    def fork(self) -> "Bare":
        """Return a game that goes on from here; what has been told so far is left out."""
        forked = copy(self)
        forked.events, forked.draws = [], self.draws[-1:]
        return forked

    def _take(self, draft: Draft[Any]) -> None:
        self.table = draft.table
        self.vault = self.vault.joined_by(draft.secrets)
        self.events.extend(draft.events)
        self.draws.extend(draws for _, draws in draft.happened)
        self.revealed = any(event.reveals for event in draft.events)

    @property
    def secrets(self) -> Mapping[str, Any]:
        return self.vault.all()

    def options(self, seat: Seat) -> list[Any]:
        return self.ruleset.options(self.table, seat, self.vault.read_by(seat))

    def answers(self, seat: Seat) -> list[Any]:
        """The options that answer a decision; all of them when none says so."""
        options = self.options(seat)
        return [option for option in options if option.decision] or options

    def after(self, seat: Seat, command: Any) -> "Bare":
        """Return the game itself, when the command has been given."""
        self.command(seat, command)
        return self

    def command(self, seat: Seat, command: Any) -> None:
        read = self.ruleset.read_command(msgspec.json.encode(command))
        self._take(self.ruleset.decide(self.table, seat, read, self.chance, self.vault, self.draws[-1]))

    def read_by(self, viewer: Seat | None) -> list[Any]:
        return [secret.value for secret in self.vault.all().values() if viewer in secret.readers]

    def hidden_from(self, viewer: Seat | None) -> list[Any]:
        return [secret.value for secret in self.vault.all().values() if viewer not in secret.readers]

    def seen_by(self, viewer: Seat | None) -> str:
        """All that a viewer is shown, with commitments numbered: their bytes tell nothing."""
        told = [
            self.events,
            self.draws,
            self.ruleset.view(self.table, self.vault.read_by(viewer)),
            self.ruleset.decisions(self.table),
            self.options(viewer) if viewer else [],
            [secret.readers for secret in self.vault.all().values()],
        ]
        numbers: dict[str, str] = {}
        return re.sub(
            "[0-9a-f]{64}",
            lambda found: numbers.setdefault(found[0], f"#{len(numbers)}"),
            msgspec.json.encode(told).decode(),
        )
