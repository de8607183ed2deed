"""A game played in memory by its options: what the laws and the tests of the kernel look at."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import partial
from random import Random
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.kernel.chance.draws import Chance, commitment_to
from domain.kernel.chance.secret import Secret, Vault
from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, TournamentId, Version
from domain.kernel.log import answering, beginning, ending, forking, officials, organizing, retracting, seating
from domain.kernel.log.answers import MOST, read_answer
from domain.kernel.log.fold import earlier_of, fold, retract
from domain.kernel.log.following import following
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import starts_of_commands
from domain.kernel.log.lifecycle import Forking, Purpose, Sight
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.request import sent_commands
from domain.kernel.log.upgrading import upgrade
from domain.kernel.proof.export import Past, export
from domain.kernel.rules import schema
from domain.kernel.rules.board import Board
from domain.kernel.rules.decision import Option
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Library, Ruleset

ORGANIZER = PlayerId("organizer")
OFFICIAL = PlayerId("official")
CASE = CaseId("c4xq2m7ahbk3oxw7c")
CHATTER = 0.02
"""How often a command is drawn from all options, not only from those that answer a decision."""


def player_of(seat: Seat) -> PlayerId:
    return PlayerId(f"player-{seat}")


class Play:
    """A game with its log and its secrets; every act goes through the kernel as the service's acts do."""

    parent: "Play | None" = None
    version: Version = 0
    """The version of the parent at which a fork began."""
    may_end = False
    """Whether what happens around the table at random may end the game: by agreement."""

    def __init__(
        self,
        ruleset: Ruleset[Any],
        board: Board,
        players: int,
        seed: int = 1,
        setup: Mapping[str, Any] | None = None,
        *,
        start: bool = True,
        forks: Forking = "players",
        abandoned_after: int | UnsetType = UNSET,
        organizer_sees: Sight = "spectator",
        tournament: TournamentId | None = None,
        rematch_of: GameId | UnsetType = UNSET,
        offered_until: str | UnsetType = UNSET,
    ) -> None:
        self.ruleset = ruleset
        self.board = board
        self.library = Library([ruleset])
        self.secret = hashlib.sha256(f"secret {seed}".encode()).digest()
        self.records: list[Record] = []
        self.secrets: list[Secret] = []
        self.at_each_version: dict[Version, Game] = {}
        self.take(
            beginning.create(
                ruleset,
                GameId(f"game-{seed}"),
                players,
                setup=setup or {},
                board=board,
                organizer=ORGANIZER,
                forks=forks,
                abandoned_after=abandoned_after,
                organizer_sees=organizer_sees,
                rematch_of=rematch_of,
                offered_until=offered_until,
                commitment=commitment_to(self.secret),
                cause=Cause(ORGANIZER, tournament=tournament),
                at=self.now,
            )
        )
        if start:
            for seat in self.game.players:
                self.sit(seat, player_of(seat), f"entropy of {seat}")
            self.start()

    def fork(
        self,
        version: Version | None = None,
        purpose: Purpose = "analysis",
        by: PlayerId | None = None,
        seed: int = 2,
    ) -> "Play":
        """Return the play of a fork of this game; at its present version when none is named."""
        version, by = version or self.game.version, by or self.game.organizer
        fork, parent = copy(self), self.fold(version)
        forking.require_forkable(self.game, parent, purpose, by, self.records, self.vault)
        fork.parent, fork.version = self, version
        fork.secret = hashlib.sha256(f"secret {seed} of a fork".encode()).digest()
        fork.records, fork.secrets, fork.at_each_version = [], [], {}
        secrets, name = forking.hidden(parent, self.vault), GameId(f"{self.game.id}-{seed}")
        until, commitment = forking.withheld(self.game, parent, secrets), commitment_to(fork.secret)
        fork.take(forking.fork(parent, name, purpose, commitment, Cause(by), self.now, secrets, withheld=until))
        return fork

    @property
    def pasts(self) -> list[Past]:
        """The games that a fork goes back to, as those see them who see everything."""
        if self.parent is None:
            return []
        secret = self.parent.secret if self.parent.game.status == "over" else None
        records = self.parent.records[: self.version]
        return [*self.parent.pasts, Past(self.parent.fold(self.version), records, self.parent.vault, secret)]

    @property
    def now(self) -> str:
        own = f"2026-01-01T00:00:0{self.depth}.{len(self.records):06}Z"
        return max(own, self.records[-1].at) if self.records else own  # a game that a store gave has later times

    @property
    def depth(self) -> int:
        return self.parent.depth + 1 if self.parent is not None else 0

    @property
    def chance(self) -> Chance:
        return self.game.chance(self.secret)

    @property
    def vault(self) -> Vault:
        return Vault(self.secrets)

    def take(self, step: Decided) -> Decided:
        self.game = step.game
        self.records.extend(step.records)
        self.secrets.extend(step.secrets)
        self.at_each_version[step.game.version] = step.game
        return step

    def sit(self, seat: Seat, player: PlayerId, entropy: str = "", key: str | None = None) -> Decided:
        return self.take(seating.take_seat(self.game, seat, entropy, Cause(player, key=key), self.now))

    def assign(self, seat: Seat, player: PlayerId, by: PlayerId = ORGANIZER, **cause: Any) -> Decided:
        return self.take(seating.assign_seat(self.game, seat, player, Cause(by, **cause), self.now))

    def confirm(self, seat: Seat, player: PlayerId, entropy: str = "") -> Decided:
        return self.take(seating.confirm_seat(self.game, seat, entropy, Cause(player), self.now))

    def leave(self, seat: Seat, player: PlayerId) -> Decided:
        return self.take(seating.leave_seat(self.game, seat, Cause(player), self.now))

    def cancel(self, player: PlayerId = ORGANIZER, **cause: Any) -> Decided:
        return self.take(beginning.cancel(self.game, Cause(player, **cause), self.now))

    def start(self) -> Decided:
        return self.take(beginning.start(self.game, self.chance, Cause(self.game.organizer), self.now))

    def at(self, version: Version) -> "Play":
        """Return the play as it stood at a version at which a request ended."""
        earlier = copy(self)
        earlier.game = self.at_each_version[version]
        earlier.records = self.records[:version]
        earlier.secrets = list(self.secrets)
        earlier.at_each_version = {at: game for at, game in self.at_each_version.items() if at <= version}
        return earlier

    def try_command(self, seat: Seat, *commands: Any, tentative: bool = False) -> Decided:
        """Return what commands (structs, or JSON-shaped) would come to. Raises `Refusal`."""
        given = sent_commands(self.ruleset, [msgspec.json.encode(command) for command in commands])
        cause = Cause(self.game.players[seat] if seat in self.game.players else player_of(seat))
        return self.game.command(seat, given, self.chance, self.vault, cause, self.now, tentative=tentative)

    def command(self, seat: Seat, *commands: Any) -> Decided:
        return self._answered(self.try_command(seat, *commands))

    def _answered(self, step: Decided) -> Decided:
        """Take what was decided, and what follows at once: answers left in advance, and those of the house."""
        chance, at, vault = self.chance, self.now, self.vault
        whole = self.take(step)
        for due in following(step, chance, vault, at):
            whole = whole.then(self.take(due))
        return whole

    def try_leave(self, seat: Seat, answer: Mapping[str, Any]) -> Decided:
        """Return what leaving an answer in advance (JSON-shaped) would come to. Raises `Refusal`."""
        cause = Cause(self.game.players[seat])
        return answering.leave_answer(self.game, seat, read_answer(answer), self.chance, cause, self.now)

    def leave_answer(self, seat: Seat, answer: Mapping[str, Any]) -> Decided:
        return self._answered(self.try_leave(seat, answer))

    def revoke_answer(self, seat: Seat, left: Version) -> Decided:
        return self._answered(answering.revoke_answer(self.game, seat, left, Cause(self.game.players[seat]), self.now))

    def undo(self, seat: Seat, to: Version) -> Decided:
        cause = Cause(self.game.players[seat], seat)
        return self._answered(retract(self.game, to, "undo", self.records, self.library, cause, self.now))

    def rule(self, to: Version, reason: str = "a slip") -> Decided:
        cause = Cause(self.game.organizer)
        return self._answered(retract(self.game, to, "ruling", self.records, self.library, cause, self.now, reason))

    # --- around the table ---

    @property
    def on_a_case(self) -> Cause:
        return Cause(OFFICIAL, case=CASE)

    def name_official(self, player: PlayerId = OFFICIAL, cause: Cause | None = None) -> Decided:
        return self._answered(officials.name_official(self.game, player, cause or Cause(self.game.organizer), self.now))

    def release_official(self, player: PlayerId = OFFICIAL, cause: Cause | None = None) -> Decided:
        return self._answered(
            officials.release_official(self.game, player, cause or Cause(self.game.organizer), self.now)
        )

    def pass_on(self, player: PlayerId, cause: Cause | None = None) -> Decided:
        cause = cause or Cause(self.game.organizer)
        return self._answered(organizing.pass_on(self.game, player, cause, self.now))

    def rule_back(self, to: Version, reason: str = "a slip", cause: Cause | None = None) -> Decided:
        cause, earlier = cause or self.on_a_case, earlier_of(self.game, self.records, self.library)
        return self._answered(officials.rule_back(self.game, to, reason, self.records, earlier, cause, self.now))

    def rule_result(self, order: Any, reason: str = "time is up", cause: Cause | None = None) -> Decided:
        return self._answered(
            officials.rule_result(self.game, order, reason, self.chance, cause or self.on_a_case, self.now)
        )

    def rule_pause(self, reason: str = "we look", cause: Cause | None = None) -> Decided:
        return self._answered(officials.rule_pause(self.game, reason, cause or self.on_a_case, self.now))

    def rule_resume(self, cause: Cause | None = None) -> Decided:
        return self._answered(officials.rule_resume(self.game, cause or self.on_a_case, self.now))

    def resume(self, player: PlayerId = OFFICIAL) -> Decided:
        return self._answered(officials.resume(self.game, Cause(player), self.now))

    def ask_take_back(self, seat: Seat, to: Version) -> Decided:
        cause, earlier = Cause(self.game.players[seat]), earlier_of(self.game, self.records, self.library)
        return self._answered(retracting.ask_take_back(self.game, seat, to, self.records, earlier, cause, self.now))

    def answer_take_back(self, seat: Seat, asked: Version, *, agrees: bool = True) -> Decided:
        cause, earlier = Cause(self.game.players[seat]), earlier_of(self.game, self.records, self.library)
        return self._answered(retracting.answer_take_back(self.game, seat, asked, agrees, earlier, cause, self.now))

    def propose_end(self, seat: Seat, *order: Iterable[Seat]) -> Decided:
        cause = Cause(self.game.players[seat])
        return self._answered(ending.propose_end(self.game, seat, [*map(tuple, order)], self.chance, cause, self.now))

    def answer_end(self, seat: Seat, proposed: Version, *, agrees: bool = True) -> Decided:
        cause = Cause(self.game.players[seat])
        return self._answered(ending.answer_end(self.game, seat, proposed, agrees, self.chance, cause, self.now))

    def abandon(self, at: str, since: str | None = None) -> Decided:
        return self._answered(ending.abandon(self.game, since or self.records[-1].at, self.chance, at))

    def give_up(self, seat: Seat) -> Decided:
        cause, earlier = Cause(self.game.players[seat]), earlier_of(self.game, self.records, self.library)
        return self._answered(seating.give_up_seat(self.game, seat, earlier, cause, self.now))

    def take_over(self, seat: Seat, player: PlayerId) -> Decided:
        return self._answered(seating.take_over_seat(self.game, seat, Cause(player), self.now))

    def offer(self, seat: Seat, to: PlayerId | None = None, *, by: PlayerId | None = None, **more: Any) -> Decided:
        """Offer a seat, as its player or as the official `by`."""
        cause = Cause(by, **more) if by is not None else Cause(self.game.players[seat], seat)
        return self._answered(seating.offer_seat(self.game, seat, to, cause, self.now))

    def withdraw_offer(self, seat: Seat, *, by: PlayerId | None = None, **more: Any) -> Decided:
        cause = Cause(by, **more) if by is not None else Cause(self.game.players[seat], seat)
        return self._answered(seating.withdraw_offer(self.game, seat, cause, self.now))

    def resign(self, seat: Seat) -> Decided:
        cause, earlier = Cause(self.game.players[seat]), earlier_of(self.game, self.records, self.library)
        return self._answered(seating.resign(self.game, seat, earlier, self.chance, cause, self.now))

    def try_upgrade(self, to: int, player: PlayerId = ORGANIZER) -> Decided:
        """Return what moving on to a newer version of the ruleset would come to. Raises `Refusal`."""
        return upgrade(self.game, to, self.chance, self.vault, Cause(player), self.now)

    def upgrade(self, to: int) -> Decided:
        return self._answered(self.try_upgrade(to))

    def fold(self, version: Version | None = None) -> Game:
        records, past = self.records[:version], self.parent.fold(self.version) if self.parent is not None else None
        return fold(records, self.game.id, self.library, lambda _: self.board, past)

    def export(self, seat: Seat | None = None, *, everything: bool = False) -> list[bytes]:
        return list(export(self.game, self.records, self.vault, seat, everything=everything, pasts=self.pasts))

    # --- by chance ---

    @property
    def waiting(self) -> list[Seat]:
        """The seats that an open decision waits for, each once."""
        return list(dict.fromkeys(seat for decision in self.game.decisions for seat in decision.seats))

    def options(self, seat: Seat) -> list[Option]:
        """The options of a seat but for undo, which goes round in circles."""
        return [option for option in self.game.options(seat, self.vault) if option.command != "undo"]

    def pick(self, rng: Random) -> tuple[Seat, dict[str, Any]]:
        """Return a command that some waiting seat may give: one of its options, drawn at random.

        One that answers no decision is rare where others do, so that a game gets on.
        """
        seat = rng.choice(self.waiting)
        options = self.options(seat)
        assert options, f"{seat} must choose and has no option"
        answers = [option for option in options if option.decision]
        chosen = rng.choice(answers if answers and rng.random() >= CHATTER else options)
        return seat, schema.sample(chosen.schema, rng)

    def step(self, rng: Random) -> Decided:
        return self.command(*self.pick(rng))

    def leave_at_random(self, rng: Random) -> Decided | None:
        """Let a seat that is asked something leave an answer to it, on some condition; None when nobody can."""
        seat = rng.choice(self.waiting)
        decision = rng.choice([decision for decision in self.game.decisions if seat in decision.seats])
        fit = {type_name(each) for each in self.ruleset.commands if decision.kind in each.answers}
        options = [option for option in self.options(seat) if option.command in fit]
        if not options or len(self.game.answers) >= MOST:
            return None
        plain = {name: value for name, value in decision.about.items() if isinstance(value, str | int)}
        when = {name: {"equals": value} for name, value in plain.items() if rng.random() < 0.3}
        answer = {
            "decision": decision.kind,
            "command": schema.sample(rng.choice(options).schema, rng),
            "when": msgspec.to_builtins(when),
            "until": rng.choice(("revoked", "once", "round")),
        }
        able = [each for each in self.game.players if each not in self.game.around.resigned]
        return self.leave_answer(rng.choice((seat, rng.choice(able))), answer)

    def around_at_random(self, rng: Random) -> Decided:
        """Let something happen around the table that may happen now: officials, rulings, requests of seats."""
        around, named = self.game.around, f"official-{rng.randrange(4)}"
        acts: list[Callable[[], Decided]] = []
        if around.is_official(OFFICIAL):
            acts.append(self.rule_resume if around.paused is not None else self.rule_pause)
            if starts := sorted(starts_of_commands(self.records)):
                acts.append(lambda: self.rule_back(rng.choice(starts)))
        else:
            acts.append(self.name_official)
        if around.is_official(PlayerId(named)):
            acts.append(lambda: self.release_official(PlayerId(named)))
        else:
            acts.append(lambda: self.name_official(PlayerId(named)))
        if not self.game.is_analysis:
            acts += [partial(self.pass_on, player) for player in organizing.heirs(self.game)[:1]]
        seat = rng.choice(list(self.game.players))
        if seat in around.given_up and seat not in around.offers:
            acts.append(lambda: self.take_over(seat, PlayerId(f"substitute-{len(self.records)}")))
        elif seat not in around.given_up and not self.game.is_analysis:
            acts.append(lambda: self.give_up(seat))
        able = [each for each in self.game.players if each not in around.resigned]
        seats = able if around.paused is None else []
        answers = [act for seat in seats for act in self._answers(seat, rng)]
        if answers and rng.random() < 0.8:
            return rng.choice(answers)()
        return rng.choice([*acts, *(act for seat in seats for act in self._requests(seat, rng))])()

    def _answers(self, seat: Seat, rng: Random) -> Iterator[Callable[[], Decided]]:
        for at, each in self.game.around.asked.items():
            if seat in self.game.asked_by(each):
                yield lambda at=at: self.answer_take_back(seat, at, agrees=rng.random() < 0.9)
            elif seat == each.seat and not each.is_closed and rng.random() < 0.1:
                yield lambda at=at: self.answer_take_back(seat, at, agrees=False)
        for at, each in ending.open_ends(self.game).items():
            if seat in each.waits_for:
                agrees = rng.random() < 0.9 and (self.may_end or each.waits_for != (seat,))
                yield lambda at=at, agrees=agrees: self.answer_end(seat, at, agrees=agrees)
            elif seat in (each.seat, *each.asks) and rng.random() < 0.05:
                yield lambda at=at: self.answer_end(seat, at, agrees=False)

    def _requests(self, seat: Seat, rng: Random) -> Iterator[Callable[[], Decided]]:
        requests = self.game.around.asked
        if self.game.around.open_request(seat) is None:
            asked = {each.to for each in requests.values() if each.seat == seat}
            if own := sorted(starts_of_commands(self.records, seat) - asked):
                yield lambda: self.ask_take_back(seat, rng.choice(own[-6:]))
        if rng.random() < 0.3 and self._may_propose_end(seat):
            yield lambda: self.propose_end(seat, *self._some_order(rng))

    def _may_propose_end(self, seat: Seat) -> bool:
        """Tell whether a seat may propose an end now, which does not end the game at once."""
        game, out = self.game, self.game.ruleset.out(self.game.table)
        present = [each for each in game.present if each not in out]
        fresh = game.around.end_of(seat, game.round) is None
        return not game.is_analysis and seat in present and len(present) > 1 and fresh

    def _some_order(self, rng: Random) -> list[tuple[Seat, ...]]:
        """Return some order of the seats, at whose head two seats tie, as an agreed end may have it in every game."""
        seats = rng.sample(list(self.game.players), len(self.game.players))
        order = [tuple(seats[:2])]
        for seat in seats[2:]:
            if rng.random() < 0.5:
                order[-1] = (*order[-1], seat)
            else:
                order.append((seat,))
        return order

    def run(self, rng: Random, limit: int = 100_000) -> "Play":
        """Play at random until the game is over, or until `limit` commands were given."""
        for _ in range(limit):
            if self.game.status != "running":
                break
            self.step(rng)
        return self


def joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(lines)
