"""A table to try things out on: played by a ruleset's own rules, with dice that the caller gives, and without a log."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules.command import Command
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.table import Table
from service.bots.bot import Command as BotCommand
from service.bots.bot import Options, View


class Luck:
    """Random numbers from a seed. They need no proof of fairness, unlike those of real games, so they are fast."""

    secret = b""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def _of(self, draw: int) -> random.Random:
        return random.Random(self._seed * 1_000_003 + draw)

    def dice(self, draw: int, count: int, sides: int) -> tuple[int, ...]:
        """Return `count` faces, each 1..sides."""
        return tuple(self._of(draw).choices(range(1, sides + 1), k=count))

    def order(self, draw: int, items: Sequence[Any]) -> tuple[int, ...]:
        """Return the order in which shuffled items come."""
        return tuple(self._of(draw).sample(range(len(items)), len(items)))

    def salt(self, draw: int) -> bytes:
        """Return 16 bytes that no other draw has."""
        return draw.to_bytes(16, "big")


class Scratch:
    """A position in which commands can be tried. It never changes: giving a command returns another one."""

    def __init__(self, ruleset: Ruleset[Any], table: Table, vault: Vault, draws: int) -> None:
        self.ruleset = ruleset
        self.table = table
        self._vault = vault
        self._draws = draws

    @classmethod
    def after(cls, ruleset: Ruleset[Any], draft: Draft[Any], vault: Vault | None = None) -> "Scratch":
        """Return the position at the end of a draft. `vault` has the secrets from before the draft."""
        return cls(ruleset, draft.table, (vault or Vault()).joined_by(draft.secrets), draft.draws)

    @property
    def decisions(self) -> Sequence[Decision]:
        """The decisions that the game waits for; empty when it is over."""
        return self.ruleset.decisions(self.table)

    def view(self, seat: Seat) -> View:
        """Return what a seat sees, as the API shows it."""
        return msgspec.to_builtins(self.ruleset.view(self.table, self._vault.read_by(seat)))

    def options(self, seat: Seat) -> Options:
        """Return what a seat may do, as the API shows it."""
        return msgspec.to_builtins(self.ruleset.options(self.table, seat, self._vault.read_by(seat)))

    def play(self, seat: Seat, command: BotCommand, luck: Luck) -> "Scratch":
        """Return the position after a command. Raises `Refusal`."""
        read: Command[Any] = msgspec.convert(command, self.ruleset.command_union)
        draft = self.ruleset.decide(self.table, seat, read, luck, self._vault, self._draws)
        return Scratch.after(self.ruleset, draft, self._vault)
