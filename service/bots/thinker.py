"""A bot that looks ahead. It knows what its view says and no more, and plays on from there by the rules themselves.

What it cannot see it makes up, another way each time (`Ruleset.imagine`). In every such world it tries the command that
the greedy bot would give and some others, lets greedy bots play on for a while, and looks how its seat then stands. It
prefers another command only when that was clearly better over several worlds.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Final, Protocol

import msgspec
from msgspec import Struct

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.rules import schema
from domain.kernel.rules.documents import unpacked
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from service.bots.bot import Board, Bot, Command, Options, View
from service.bots.scratch import Luck, Scratch

GUESSES: Final = 6
"""How often to make up another world when the seat would not have its present options in one."""
FAVOURITES: Final = 3
"""How often the greedy bot is asked what it would do; it does not always say the same."""
OTHERS: Final = 24
"""How many other commands are looked at."""
IDEAS: Final = 16
"""How many of these are ideas of the guide at most."""
MOST: Final = 6
"""How many commands are played on from: the greedy bot's, and those after which the seat stands best at once."""
ENOUGH: Final = 16
"""The most worlds in which each command that is still in question is tried."""
HALVED: Final = (0, 1, 3, 7)
"""The worlds after which only the better half of the commands stays in question."""
CLEARLY: Final = 1.0
"""The standard errors by which another command must be better than the greedy bot's."""
LAST: Final = 2
"""A game is not played on for longer than this many times `Outlook.commands`."""


class Guide(Bot, Protocol):
    """A bot that answers quickly and can tell how everybody stands."""

    def standings(self, view: View) -> Mapping[str, float]:
        """Return how well each seat stands, by what `view` shows; 0 for one that is lost."""
        ...

    def ideas(self, seat: str, view: View, options: Options) -> Sequence[Command]:
        """Return commands that deserve a thought, the best first; chance finds others."""
        return ()


class Outlook(Struct, frozen=True):
    """How a thinker looks ahead.

    Attributes:
        guide: a bot that plays on for all seats, and then says how each stands.
        commands: how many commands it plays before it goes on to the end of a phase.
        margin: how much better than the greedy bot's another command must be, on a scale from -1 to 1. So a plan of
            that bot which pays off later is not given up for a small gain.
    """

    guide: Callable[[random.Random, Board], Guide]
    commands: int = 6
    margin: float = 0.0


class Budget(Struct, frozen=True):
    """What a thinker may spend on one command.

    Attributes:
        seconds: how long it may think.
        nodes: how many commands it may try out. If this limit is reached before the seconds are over, the choice
            depends on its random numbers alone.
    """

    seconds: float = 0.7
    nodes: int = 1_000_000


class Thinker:
    """Chooses what goes best for its seat when greedy bots play on."""

    def __init__(
        self,
        rng: random.Random,
        board: Board,
        *,
        ruleset: str,
        greedy: Callable[[random.Random, Board], Bot],
        outlook: Outlook,
        budget: Budget = Budget(),  # noqa: B008  it is frozen
    ) -> None:
        game: Mapping[str, Any] = board.get("game", {})
        plain = {name: value for name, value in board.items() if name != "game"}
        self._rng = rng
        self._id = ruleset
        self._version: int = game.get("ruleset_version", LIBRARY.current(ruleset).version)
        self._setup = msgspec.convert(game.get("setup", {}), self.ruleset.setup)
        self._board = unpacked(msgspec.json.encode(plain), self.ruleset.documents)
        self._bots_rng = random.Random()
        self._greedy = greedy(self._bots_rng, plain)
        self._guide = outlook.guide(self._bots_rng, plain)
        self._outlook = outlook
        self._budget = budget
        self._nodes = 0
        self._until = 0.0

    @property
    def ruleset(self) -> Ruleset[Any]:
        """The version of the rules by which it thinks."""
        return LIBRARY.at(self._id, self._version)

    def choose(self, seat: str, view: View, options: Options) -> Command:
        """Return a command that answers a decision for which the seat is asked."""
        self._nodes, self._until = 0, time.thread_time() + self._budget.seconds
        seed = self._rng.getrandbits(32)
        commands = self._candidates(seat, view, options, seed)
        return commands[self._best(Seat(seat), view, options, commands, seed)]

    # --- what to try ---

    def _candidates(self, seat: str, view: View, options: Options, seed: int) -> list[Command]:
        """Return commands to try, what the greedy bot would do first."""
        answers = [option for option in options if option.get("decision") and option["command"] != "undo"]
        candidates: dict[bytes, Command] = {}
        for number in range(FAVOURITES):
            self._bots_rng.seed(seed + number)
            command = self._greedy.choose(seat, view, options)
            candidates.setdefault(msgspec.json.encode(command), command)
        self._bots_rng.seed(seed)
        favourites = len(candidates)
        for command in self._guide.ideas(seat, view, options):
            if len(candidates) == favourites + IDEAS:
                break
            candidates.setdefault(msgspec.json.encode(command), command)
        for number in range(favourites + OTHERS - len(candidates)):
            command = schema.sample(answers[number % len(answers)]["schema"], self._bots_rng)
            candidates.setdefault(msgspec.json.encode(command), command)
        commands = list(candidates.values())
        if len(commands) <= MOST:
            return commands
        scratch = self._imagined(Seat(seat), view, options, seed)
        if scratch is None:
            return commands[:1]
        others = commands[favourites:]
        stands = [self._after(scratch, Seat(seat), command, seed) for command in others]
        ranked = sorted(range(len(others)), key=stands.__getitem__, reverse=True)
        return commands[:favourites] + [others[number] for number in ranked[: MOST - favourites]]

    def _after(self, scratch: Scratch, seat: Seat, command: Command, seed: int) -> float:
        """Return how the seat stands right after a command; -1, the least, when it is refused."""
        self._nodes += 1
        try:
            return self._standing(scratch.play(seat, command, Luck(seed)), seat)
        except Refusal:
            return -1.0

    # --- trying it ---

    def _best(self, seat: Seat, view: View, options: Options, commands: Sequence[Command], seed: int) -> int:
        """Return the number of the command that did best. From world to world, fewer commands stay in question."""
        tried: dict[int, list[float]] = {number: [] for number in range(len(commands))}
        for world in range(ENOUGH):
            if len(tried) == 1 or not self._go_on:
                break
            scratch = self._imagined(seat, view, options, seed + world)
            if scratch is None:
                break
            results = {number: self._outcome(scratch, seat, commands[number], seed + world) for number in tried}
            if not self._go_on:
                break  # the last ones may have been cut short
            for number, result in results.items():
                if result is not None:
                    tried[number].append(result)
                elif number == 0:
                    return 0
                else:
                    del tried[number]
            if world and len({*map(tuple, tried.values())}) == 1:
                return 0  # nothing that it can do makes a difference
            if world in HALVED:
                tried = _better_half(tried)
        return clearly_best(tried, self._outlook.margin)

    @property
    def _go_on(self) -> bool:
        return self._nodes < self._budget.nodes and time.thread_time() < self._until

    def _imagined(self, seat: Seat, view: View, options: Options, seed: int) -> Scratch | None:
        """Return a position like the real one, with what the seat cannot see made up.

        The seat has the same options there as in reality. None if no guess leads to such a position.
        """
        answers = [option["schema"] for option in options if option.get("decision")]
        rng, ruleset = random.Random(seed), self.ruleset
        for _ in range(GUESSES):
            view_now = msgspec.convert(view, ruleset.view_type)
            bare = ruleset.lay(tuple(map(Seat, view["seats"])), self._setup, self._board)
            draft = Draft(bare, Luck(seed), Vault())
            try:
                ruleset.imagine(draft, view_now, seat, rng)
                scratch = Scratch.after(ruleset, draft)
                if [each["schema"] for each in scratch.options(seat) if each.get("decision")] == answers:
                    return scratch
            except (AssertionError, LookupError, ValueError):
                continue  # it was no position of this game
        return None

    def _outcome(self, scratch: Scratch, seat: Seat, command: Command, seed: int) -> float | None:
        """Return how the seat stands when greedy bots have played on from a command; None when it is refused."""
        luck, ruleset = Luck(seed), self.ruleset
        self._bots_rng.seed(seed)
        try:
            now = scratch.play(seat, command, luck)
        except Refusal:
            return None
        played, phase = 1, ruleset.heading(now.table)
        while self._go_on and played < LAST * self._outlook.commands and (decisions := now.decisions):
            if played >= self._outlook.commands and ruleset.heading(now.table) != phase:
                break
            phase, other = ruleset.heading(now.table), decisions[0].seats[0]
            try:
                now = now.play(other, self._guide.choose(other, now.view(other), now.options(other)), luck)
            except (Refusal, AssertionError, LookupError, ValueError, StopIteration):
                break  # what was made up did not fit together
            played += 1
        self._nodes += played
        return self._standing(now, seat)

    def _standing(self, now: Scratch, seat: Seat) -> float:
        """Return how much better a seat stands than the others, from -1 to 1."""
        if (result := self.ruleset.result(now.table)) is not None:
            return 1.0 / len(result.winners) if seat in result.winners else -1.0
        stands = dict(self._guide.standings(now.view(seat)))
        own, others = stands.pop(seat), [*stands.values()]
        return (own - (max(others) + fmean(others)) / 2) / max(1.0, abs(own) + max(map(abs, others)))


def _better_half(tried: Mapping[int, list[float]]) -> dict[int, list[float]]:
    """Return the better half of the commands with their results, and the first command in any case."""
    ranked = sorted(tried, key=lambda number: fmean(tried[number]), reverse=True)
    numbers = {0, *ranked[: max(1, (len(ranked) + 1) // 2)]}
    return {number: tried[number] for number in sorted(numbers)}


def clearly_best(tried: Mapping[int, list[float]], margin: float = 0.0) -> int:
    """Return the number of the best command: 0, unless another one was clearly better in the same worlds."""
    best = max(tried, key=lambda number: (fmean(tried[number] or [0.0]), -number))
    leads = [one - other for one, other in zip(tried[best], tried[0], strict=True)]
    if len(leads) < 2:
        return 0
    return best if fmean(leads) > margin + CLEARLY * stdev(leads) / len(leads) ** 0.5 else 0
