"""Inspections as they are answered."""

from typing import Annotated

from msgspec import Meta, Raw, Struct

from domain.judging.inspection import Draw, WayBack
from domain.judging.what_if import Outcomes
from domain.kernel.ids import LARGEST_INTEGER, GameId, RuleId, Seat, Version
from domain.kernel.rules.decision import Decision
from service.api.bodies import Identifier
from service.api.cases.bodies import CaseRuling, CaseSummary
from service.api.play.bodies import OptionsView
from service.api.rulesets.bodies import RuleView
from service.games.views import EventView


class InspectedEvent(Struct, frozen=True):
    """An event of the step.

    Attributes:
        text: what happened, in a sentence.
        counts: whether it counts; false if it has been taken back.
        rules: the ids of the rules that it concerns.
        event: the event, as you may see it.
    """

    text: str
    counts: bool
    rules: tuple[RuleId, ...]
    event: EventView


class Precedent(Struct, frozen=True):
    """An earlier ruling on one of these rules, in this game or another.

    Attributes:
        summary: the case.
        rulings: the rulings on it, the last one last.
    """

    summary: CaseSummary
    rulings: tuple[CaseRuling, ...]


class Inspection(Struct, frozen=True):
    """Everything known about one step of a game: the decision, the command, and its consequences.

    Attributes:
        game: the game.
        version: the version that was asked for.
        before: the version before the step, in which its command was decided. Its position is at
            `GET /v1/games/{game}/state` and in the pictures.
        after: the version after the step.
        ruleset_version: the version of the ruleset that judged it.
        heading: where in the game that was, in words; empty before it began.
        decisions: what the game waited for then.
        seat: whose command it was; null for what no seat did.
        command: the type of the command; null when there was none. The first event has the whole cause.
        at: when it was recorded, RFC 3339 in UTC.
        events: the events of the step.
        command_rules: the ids of the rules that the command concerns.
        rules: all rules that are named here, in full, as that version of the ruleset has them: what they say, where
            that stands, and whether the ruling is ours.
        alternatives: what else the seat could have done, as an option for each command; null when no seat did it, or
            when they would show what is hidden from you.
        draws: the draws of the step. When the game is over, each is computed again from the secret.
        commitment: the SHA-256 of the secret behind all draws.
        entropy: what seats added to the draws before the game began.
        secret: the secret, in hex; null until the game is over, because it would also tell the dice that are still to
            come.
        way_back: what going back to `before` would cost; null when the game is not running, or no command that counts
            began there.
        cases: the cases about these events, the newest first, at most 100.
        precedents: rulings on the same rules, the newest cases first, at most 10.
    """

    game: GameId
    version: Version
    before: Version
    after: Version
    ruleset_version: int
    heading: str
    decisions: tuple[Decision, ...]
    seat: Seat | None
    command: str | None
    at: str
    events: tuple[InspectedEvent, ...]
    command_rules: tuple[RuleId, ...]
    rules: tuple[RuleView, ...]
    alternatives: OptionsView | None
    draws: tuple[Draw, ...]
    commitment: str
    entropy: dict[Seat, str]
    secret: str | None
    way_back: WayBack | None
    cases: tuple[CaseSummary, ...]
    precedents: tuple[Precedent, ...]


class SeatCommand(Struct, frozen=True, forbid_unknown_fields=True):
    """A command of a seat.

    Attributes:
        seat: the seat.
        command: the command, as the seat would send it.
    """

    seat: Identifier
    command: Raw


class WhatIf(Struct, frozen=True, forbid_unknown_fields=True):
    """Commands to be tried at a version of a game, to see their consequences.

    Attributes:
        version: the version of the game.
        commands: the commands, one after another.
        times: how often they are played, each time with fresh dice.
    """

    version: Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
    commands: Annotated[tuple[SeatCommand, ...], Meta(min_length=1, max_length=20)]
    times: Annotated[int, Meta(ge=1, le=1000)] = 100


class WhatIfView(Outcomes, frozen=True, kw_only=True):
    """The consequences of commands that were tried at a version of a game.

    Attributes:
        game: the game.
        version: the version at which they were played.
    """

    game: GameId
    version: Version
