"""Whole games between bots, in memory: to find dead ends and broken laws, and to measure."""

import hashlib
import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from domain.boards import builtin
from domain.kernel.chance.draws import commitment_to
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log import beginning, seating
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import Undo
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.request import sent_commands
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.marks import Figure
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from domain.library import LIBRARY
from service.base.pieces import LOCAL, in_pieces
from service.bots.bot import RANDOM, Bot
from service.bots.registry import levels

K = TypeVar("K", bound=str)

SIMULATOR: Final = PlayerId("simulator")
"""Who organizes the games."""

DEVIATIONS: Final = 1.96
"""The standard deviations on either side of the mean between which 95 % of a normal distribution lie."""

CHATTER = 0.02
"""How likely a random player gives a command that no decision asks for (proposes an alliance, grants a passage)."""


class Plan(Struct, frozen=True):
    """One game to be played. The seed fixes everything: dice, choices, seats."""

    ruleset: str
    seats: int
    seed: int
    commands: int = 20_000
    """The commands after which the game is broken off; classic rules know no other end than victory."""
    rounds: int | None = None
    """The game is broken off when a round beyond this one begins."""
    setup: dict[str, Any] = {}
    """What the creator of the game chooses."""
    documents: dict[str, bytes] = {}
    """Documents to play with instead of the ruleset's own, by name, as JSON."""
    level: str = RANDOM
    """Which of the ruleset's bots play."""
    version: int | None = None
    """The version of the ruleset; None for the newest."""
    day: str = "2026-01-01"
    """The day on which everything happens."""


class Outcome(Struct, frozen=True, omit_defaults=True):
    """How a simulated game went. `fault` says which law it broke; the plan reproduces it."""

    plan: Plan
    finished: bool
    winners: tuple[Seat, ...] = ()
    score: Mapping[Seat, Mapping[str, Figure]] = {}
    nations: Mapping[str, Mapping[str, Figure]] = {}
    """What the nations of all seats ended with, where seats lead several."""
    asked: Mapping[str, int] = {}
    """How often each kind of decision was asked."""
    events: int = 0
    commands: int = 0
    round: int = 0
    seconds: float = 0.0
    fault: str = ""


class Fault(Exception):
    """A law that a game broke."""


class Simulation:
    """A game that is being played: by random choices among the options, or by `bot`."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rng = random.Random(f"{plan.ruleset}/{plan.seats}/{plan.seed}")
        self.secret = hashlib.sha256(f"simulation/{plan.seed}".encode()).digest()
        self.records: list[Record] = []
        self.vault = Vault()
        self.commands = 0
        self.questions = Counter[str]()
        self.game = self._begin()
        self.bot = self._bot()

    def _bot(self) -> Bot | None:
        """Return the bot that plays all seats; None for random choices, some of which no decision asks for."""
        if self.plan.level == RANDOM:
            return None
        return levels(self.plan.ruleset)[self.plan.level](self.rng, msgspec.to_builtins(self.game.board))

    def _begin(self) -> Game:
        ruleset = LIBRARY.current(self.plan.ruleset)
        if self.plan.version is not None:
            ruleset = ruleset.at(self.plan.version)
        step = beginning.create(
            ruleset,
            GameId(f"sim-{self.plan.seed}"),
            self.plan.seats,
            setup=self.plan.setup,
            board=ruleset.equip(builtin(ruleset.board), self.plan.documents),
            organizer=SIMULATOR,
            commitment=commitment_to(self.secret),
            cause=Cause(SIMULATOR),
            at=self._now(),
        )
        self._keep(step)
        for number, seat in enumerate(step.game.players, start=1):
            step = seating.take_seat(step.game, seat, "", Cause(PlayerId(f"bot-{number}")), self._now())
            self._keep(step)
        step = beginning.start(step.game, step.game.chance(self.secret), Cause(SIMULATOR), self._now())
        self._keep(step)
        return step.game

    def _now(self) -> str:
        second, micro = divmod(len(self.records), 1_000_000)
        return f"{self.plan.day}T00:00:{second:02d}.{micro:06d}Z"

    def _keep(self, step: Decided) -> None:
        self.records.extend(step.records)
        self.vault = self.vault.joined_by(step.secrets)

    def play(self) -> Iterator[Decided]:
        """Play command by command until the game ends or the plan breaks it off. Raises `Fault`."""
        while self.game.status == "running" and self.commands < self.plan.commands and not self._past_last_round():
            step = self._give(*self._choose())
            self._keep(step)
            self.game = step.game
            self.commands += 1
            yield step

    def _past_last_round(self) -> bool:
        return self.plan.rounds is not None and self.game.round > self.plan.rounds

    def _choose(self) -> tuple[Seat, Any]:
        """Return a seat and a command for it."""
        if self.bot is None:
            seat, option = self._choose_option()
            if option.decision:
                self.questions[option.decision] += 1
            return seat, self._sample(seat, option)
        decision = self.game.decisions[0]
        self.questions[decision.kind] += 1
        seat = decision.seats[0]
        view = msgspec.to_builtins(self.game.view(seat, self.vault))
        options = msgspec.to_builtins(self.game.options(seat, self.vault))
        return seat, self.bot.choose(seat, view, options)

    def _sample(self, seat: Seat, option: Option) -> Any:
        try:
            return schema.sample(option.schema, self.rng)
        except ValueError as error:
            raise Fault(f"an option of {seat} has no instance: {error}") from error

    def _choose_option(self) -> tuple[Seat, Option]:
        decisions = self.game.decisions
        if not decisions:
            raise Fault("the game is not over, and nobody has to decide")
        seat = self.rng.choice(self.rng.choice(decisions).seats)
        if self.rng.random() < CHATTER:
            seat = self.rng.choice(list(self.game.players))
        options = [option for option in self.game.options(seat, self.vault) if option.command != type_name(Undo)]
        answers = [option for option in options if option.decision]
        chatter = [option for option in options if not option.decision]
        if not answers and any(seat in decision.seats for decision in decisions):
            raise Fault(f"{seat} has to decide and has no option")
        if not answers and not chatter:
            return self._choose_option()
        return seat, self.rng.choice(chatter if chatter and (not answers or self.rng.random() < CHATTER) else answers)

    def _give(self, seat: Seat, command: Any) -> Decided:
        raw = msgspec.json.encode(command)
        game = self.game
        before = game.table.digest() if game.table and self.commands % 50 == 0 else ""
        try:
            commands, cause = sent_commands(game.ruleset, [raw]), Cause(game.players.get(seat))
            step = game.command(seat, commands, game.chance(self.secret), self.vault, cause, self._now())
        except (Refusal, msgspec.ValidationError, AssertionError, LookupError) as error:
            raise Fault(f"{seat} was offered {raw.decode()}, but: {error}") from error
        if before and game.table and game.table.digest() != before:
            raise Fault(f"deciding {raw.decode()} changed the table it was given")
        return step

    def check_fold(self) -> None:
        """Raise `Fault` unless folding the records gives the table that the game ended with."""
        folded = fold(self.records, self.game.id, LIBRARY, lambda _: self.game.board)
        for what, one, other in (
            ("table", folded.table and folded.table.digest(), self.game.table and self.game.table.digest()),
            ("undo", folded.undo, self.game.undo),
            ("draws", folded.draws, self.game.draws),
        ):
            if one != other:
                raise Fault(f"folding the log gives another {what}: {one} instead of {other}")


def play(plan: Plan) -> tuple[Outcome, Simulation]:
    """Play one game and check the laws on its way."""
    began = time.perf_counter()
    simulation = Simulation(plan)
    fault = ""
    try:
        for _ in simulation.play():
            pass
        simulation.check_fold()
    except Fault as broken:
        fault = str(broken)
    game = simulation.game
    outcome = Outcome(
        plan=plan,
        finished=game.status == "over",
        winners=game.result.winners if game.result else (),
        score=game.ruleset.score(game.table),
        nations=_nations(game),
        asked=simulation.questions,
        events=game.version,
        commands=simulation.commands,
        round=game.round,
        seconds=time.perf_counter() - began,
        fault=fault,
    )
    return outcome, simulation


def _nations(game: Game) -> dict[str, Mapping[str, Figure]]:
    """Return what each nation ended with, as everybody sees it."""
    marks = game.ruleset.marks(game.view(None, Vault()), game.names)
    return {each.nation: each.figures for standing in marks.standings for each in standing.nations}


def outcome_of(plan: Plan) -> Outcome:
    """Play one game, and return only its outcome, which can be sent between processes."""
    return play(plan)[0]


def play_all(plans: Sequence[Plan], processes: int, on: str = LOCAL) -> Iterator[Outcome]:
    """Play games side by side, as `in_pieces` does, and yield the outcomes in the order of the plans."""
    return in_pieces(outcome_of, plans, processes, on)


class Tables(Struct, frozen=True):
    """Games of one number of players in figures.

    Attributes:
        share: for each seat, the range in which its true share of the wins lies, with a probability of 95 %.
        score: what each seat ended with, on average.
        nations: what each nation ended with, on average, where seats lead several.
        asked: how often a game asks each kind of decision, on average.
    """

    games: int
    finished: int
    median_commands: int
    median_events: int
    wins: dict[Seat, int]
    share: dict[Seat, tuple[float, float]]
    score: dict[Seat, dict[str, float]]
    nations: dict[str, dict[str, float]]
    asked: dict[str, float]


class Summary(Struct, frozen=True):
    """Many games in figures. Medians are over all games; wins by seat over the finished ones."""

    games: int
    finished: int
    faults: int
    events: int
    median_events: int
    median_round: int
    wins: dict[Seat, int]
    seconds: float
    by_players: dict[int, Tables]


def summarize(outcomes: Iterable[Outcome], seconds: float) -> Summary:
    """Add up outcomes that took `seconds` of wall time."""
    results = list(outcomes)
    players = sorted({outcome.plan.seats for outcome in results})
    return Summary(
        games=len(results),
        finished=sum(outcome.finished for outcome in results),
        faults=sum(bool(outcome.fault) for outcome in results),
        events=sum(outcome.events for outcome in results),
        median_events=_median(outcome.events for outcome in results),
        median_round=_median(outcome.round for outcome in results),
        wins=_wins(results),
        seconds=round(seconds, 2),
        by_players={number: _tables([each for each in results if each.plan.seats == number]) for number in players},
    )


def _tables(outcomes: Sequence[Outcome]) -> Tables:
    wins, finished = _wins(outcomes), sum(outcome.finished for outcome in outcomes)
    decisions = sum((Counter(outcome.asked) for outcome in outcomes), Counter[str]())
    return Tables(
        games=len(outcomes),
        finished=finished,
        median_commands=_median(outcome.commands for outcome in outcomes),
        median_events=_median(outcome.events for outcome in outcomes),
        wins=wins,
        share={seat: spread(wins.get(seat, 0), finished) for outcome in outcomes[:1] for seat in outcome.score},
        score=_averages([outcome.score for outcome in outcomes]),
        nations=_averages([outcome.nations for outcome in outcomes]),
        asked={kind: round(times / len(outcomes), 1) for kind, times in decisions.most_common()},
    )


def _averages(games: Sequence[Mapping[K, Mapping[str, Figure]]]) -> dict[K, dict[str, float]]:
    """Return the averages of what seats, or nations, ended with."""
    sums: dict[K, dict[str, Figure]] = {}
    for each in games:
        for owner, figures in each.items():
            own = sums.setdefault(owner, {})
            for name, figure in figures.items():
                own[name] = own.get(name, 0) + figure
    return {owner: {name: round(of / len(games), 1) for name, of in figures.items()} for owner, figures in sums.items()}


def spread(wins: int, games: int) -> tuple[float, float]:
    """Return the range in which the true share of wins lies, with a probability of 95 % (Wilson's interval)."""
    if not games:
        return 0.0, 1.0
    share, square = wins / games, DEVIATIONS**2 / games
    half = math.sqrt(square * (share * (1 - share) + square / 4))
    low, high = ((share + square / 2 + side * half) / (1 + square) for side in (-1, 1))
    return max(0.0, round(low, 3)), min(1.0, round(high, 3))


def _wins(outcomes: Iterable[Outcome]) -> dict[Seat, int]:
    return dict(sorted(Counter[Seat](seat for outcome in outcomes for seat in outcome.winners).items()))


def _median(values: Iterable[int]) -> int:
    ordered = sorted(values) or [0]
    return ordered[len(ordered) // 2]


def plans(ruleset: str, games: int, seats: Sequence[int], seed: int, **limits: Any) -> list[Plan]:
    """Return `games` plans that go through the numbers of seats in turn, with seeds counted up from `seed`."""
    return [Plan(ruleset, seats[number % len(seats)], seed + number, **limits) for number in range(games)]
