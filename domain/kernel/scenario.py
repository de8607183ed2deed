"""Conformance scenarios: a position, dice, commands and their expected outcome, in TOML.

A file holds ``[[scenario]]`` tables; `Scenario` and `Move` define their fields. A run checks more than the file says:
an option must offer every accepted command and no refused one, a refusal must change nothing, and folding the events
must give the same table as deciding did. The smallest and the largest command of each option must be accepted.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import Struct, field

from domain.kernel.chance.draws import SECRET_BYTES, CommittedChance, ScriptedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.board import Board
from domain.kernel.rules.command import refuse_zeros
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.message import Event, type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.table import Table

T = TypeVar("T")

SPECTATOR: Final = "spectator"
ANY_CHANCE: Final = CommittedChance(bytes(SECRET_BYTES), GameId("scenario"), {})
"""Dice for commands that are only tried out."""


class Offered(Struct, forbid_unknown_fields=True):
    """A command that must, or must not, be an instance of one of a seat's options.

    Attributes:
        rule: the rule that the option must name; any when left out.
        decision: the kind of decision that the option must answer; any when left out.
    """

    seat: Seat
    command: dict[str, Any]
    rule: RuleId | None = None
    decision: str | None = None


class Move(Struct, forbid_unknown_fields=True):
    """One step: a command of a seat, or only a check of the table.

    Attributes:
        events: events that must happen in this order, perhaps with others between them. Given fields must match; ``{}``
            matches only an empty value. In a first step without a command, they are the events that opened the game.
        absent: types of events that must not happen.
        refused: the id of the rule that must refuse the command.
        then: paths into the table (``provinces.asia.owner``) and their values; absent fields have their defaults.
        decisions: decisions that must be open afterwards; given fields must match.
        offers: commands that an option must offer afterwards.
        lacks: commands that no option may offer afterwards.
        order: how the seats finished (TAB-END-03), as far as the ruleset says so: groups of seats that tie.
        sees: by seat, or ``spectator``, paths into its view and their values.
    """

    seat: Seat | None = None
    command: dict[str, Any] | None = None
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    absent: list[str] = field(default_factory=list[str])
    refused: RuleId | None = None
    then: dict[str, Any] = field(default_factory=dict[str, Any])
    decisions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    offers: list[Offered] = field(default_factory=list[Offered])
    lacks: list[Offered] = field(default_factory=list[Offered])
    order: list[list[Seat]] = field(default_factory=list[list[Seat]])
    sees: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])


class Written(Struct, kw_only=True):
    """What a scenario is about, and for which rulesets and versions it is written.

    It holds in every version of its rulesets unless `since` or `until` limits the versions. So a change of the rules
    needs a scenario for the old and one for the new behaviour, and all others show that nothing else changed.
    """

    rules: list[RuleId]
    rulesets: list[str] = field(default_factory=list[str])
    since: int = 1
    until: int | None = None

    def versions_of(self, ruleset: Ruleset[Any]) -> list[int] | None:
        """Return the versions of a ruleset for which this is written; None when it is not written for the ruleset.

        An edition that is based on another shares what is written for the newest version of that one.
        """
        if ruleset.id not in ruleset.catalogue.holders(self.rulesets, self.rules):
            return None
        if ruleset.catalogue.rulesets[ruleset.id].based_on is None or ruleset.id in self.rulesets:
            return [version for version in ruleset.versions if self.since <= version <= (self.until or version)]
        return list(ruleset.versions) if self.until is None else None


class Laid(Written, kw_only=True):
    """A position to start from, and the dice and lots that are fixed for what follows.

    `dice` lists the rolls in order; a face is a number from 1 up or a name of the ruleset's die. `lots` lists the items
    that come first in each shuffle; the others keep their order. Without `given` the game opens by the rules, for
    `players` seats, with `setup`.
    """

    title: str
    given: dict[str, Any] | None = None
    players: int | None = None
    setup: dict[str, Any] = field(default_factory=dict[str, Any])
    dice: list[list[int | str]] = field(default_factory=list[list[int | str]])
    lots: list[list[str]] = field(default_factory=list[list[str]])

    def chance(self, ruleset: Ruleset[Any]) -> ScriptedChance:
        """Return the chance that yields `dice` and `lots` from their beginning. Raises `ScenarioError`."""
        rolls = [_faces(roll, ruleset) for roll in self.dice]
        return ScriptedChance(rolls, {*map(len, ruleset.dice.values())}, self.lots)

    def opened(self, ruleset: Ruleset[Any], board: Board, chance: ScriptedChance) -> Draft[Any]:
        """Return the first position at which somebody must choose. Raises `Refusal` and `ScenarioError`."""
        if self.given is not None:
            try:
                draft = Draft(ruleset.arrange(self.given, board), chance, Vault())
                ruleset.conceal(draft, self.given)
                ruleset.advance(draft)
                return draft
            except (ValueError, KeyError, msgspec.ValidationError) as error:
                raise ScenarioError(f"the position makes no sense: {error}") from error
        setup = msgspec.convert(self.setup, ruleset.setup)
        players = self.players or ruleset.players[0]
        seats = ruleset.seats(players, setup)
        if not seats:
            raise Refusal("TAB-LIFE-02", f"You asked for a game of {players} players.", "The ruleset has no such game.")
        return ruleset.begin(ruleset.lay(seats, setup, board), chance)


class Scenario(Laid, forbid_unknown_fields=True, kw_only=True):
    """A scenario: its rules, the starting position, the dice and the steps.

    With `refused` there are no steps: that rule must refuse to open such a game.
    """

    step: list[Move] = field(default_factory=list[Move])
    refused: RuleId | None = None
    note: str = ""


class ScenarioFile(Struct, forbid_unknown_fields=True):
    """The scenarios of one file."""

    scenario: list[Scenario]


class ScenarioError(Exception):
    """A scenario that cannot be read or set up; the message says what is wrong."""


class Failure(Exception):
    """A scenario whose outcome is not as written; the message says at which step, and how."""


def read(text: str) -> list[Scenario]:
    """Return the scenarios of a file's text. Raises `ScenarioError`."""
    try:
        return msgspec.convert(tomllib.loads(text), ScenarioFile).scenario
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ScenarioError(str(error)) from error


def run(scenario: Scenario, ruleset: Ruleset[Any], board: Board) -> None:
    """Play a scenario by `ruleset`. Raises `Failure`, or `ScenarioError` when it cannot be set up."""
    if not scenario.step and scenario.refused is None:
        raise ScenarioError("a scenario has a step, or says by which rule it is refused")
    board = ruleset.equip(board)
    chance = scenario.chance(ruleset)
    draft = _opened(scenario, ruleset, board, chance)
    if draft is None:
        return
    table, vault, draws = draft.table, Vault(draft.secrets), draft.draws
    movers = {move.seat for move in scenario.step if move.seat is not None}
    opening = draft.events
    for number, move in enumerate(scenario.step, start=1):
        try:
            after = None
            if move.command is None:
                _check_events(move, ruleset, opening if number == 1 else [])
            else:
                after = _play(move, ruleset, table, chance, vault, draws)
                if after is not None:
                    table, vault, draws = after.table, vault.joined_by(after.secrets), after.draws
            _check(move, ruleset, table, vault)
            _check_order(move, ruleset, table)
            _check_views(move, ruleset, table, vault)
            if after is not None or number == 1:
                _check_options(movers, ruleset, table, vault, draws)
        except (Failure, LookupError) as failure:
            raise Failure(f"step {number}: {failure}") from failure
    if chance.used != len(scenario.dice):
        raise Failure(f"the scenario has {len(scenario.dice)} rolls; {chance.used} were rolled")
    if chance.shuffles < len(scenario.lots):
        raise Failure(f"the scenario has {len(scenario.lots)} shuffles; {chance.shuffles} were made")


def _faces(roll: Sequence[int | str], ruleset: Ruleset[Any]) -> list[int]:
    try:
        return [face if isinstance(face, int) else ruleset.die[face] for face in roll]
    except KeyError as unknown:
        raise ScenarioError(f"the die has no face {unknown}; it has {', '.join(ruleset.die)}") from unknown


def _opened(scenario: Scenario, ruleset: Ruleset[Any], board: Board, chance: ScriptedChance) -> Draft[Any] | None:
    """Return the opened game; None when it was refused as expected."""
    try:
        draft = scenario.opened(ruleset, board, chance)
    except Refusal as refusal:
        expected = scenario.refused or "no refusal"
        _require(refusal.rule == scenario.refused, f"the game was refused by {refusal}; {expected} was expected")
        return None
    _require(scenario.refused is None, f"the game was opened; a refusal by {scenario.refused} was expected")
    return draft


def _play(
    move: Move, ruleset: Ruleset[Any], table: Table, chance: ScriptedChance, vault: Vault, draws: int
) -> Draft[Any] | None:
    seat = Seat(move.seat or "")
    try:
        command = ruleset.read_command(msgspec.json.encode(move.command))
    except msgspec.ValidationError as error:
        raise Failure(f"{move.command} is no command: {error}") from error
    before, rolled = table.digest(), chance.used
    offered = _on_offer(ruleset, table, vault, seat, msgspec.to_builtins(command))
    try:
        refuse_zeros(type(command), move.command or {})
    except Refusal as refusal:
        if refusal.rule != move.refused:
            raise Failure(f"refused by {refusal}; {move.refused or 'no refusal'} was expected") from refusal
        return None
    try:
        draft = ruleset.decide(table, seat, command, chance, vault, draws)
    except Refusal as refusal:
        _check_rule(refusal, ruleset)
        if move.refused is None:
            raise Failure(f"{move.command} was refused: {refusal}") from refusal
        if refusal.rule != move.refused:
            raise Failure(f"refused by {refusal}; {move.refused} was expected") from refusal
        _require(not offered, f"{move.command} is refused by {refusal.rule}, but on offer")
        _require(table.digest() == before and chance.used == rolled, "the refusal left a trace")
        return None
    _require(move.refused is None, f"{move.command} was accepted; a refusal by {move.refused} was expected")
    _require(offered, f"{move.command} was accepted, but no option offers it")
    _require(table.digest() == before, "deciding changed the table that it was given")
    _check_fold(ruleset, table, draft)
    _check_events(move, ruleset, draft.events)
    return draft


def _check_rule(refusal: Refusal, ruleset: Ruleset[Any]) -> None:
    catalogue = common_rules() if refusal.rule.startswith("TAB-") else ruleset.catalogue
    holds = catalogue.rule(refusal.rule).holds_in(ruleset.id)
    _require(holds, f"refused by {refusal}, a rule that {ruleset.id} does not have: name the ruleset in its `applies`")


def _check_fold(ruleset: Ruleset[Any], table: Table, draft: Draft[Any]) -> None:
    folded = table.copy()
    stored = msgspec.json.encode(draft.events)
    for event in msgspec.json.decode(stored, type=list[ruleset.event_union]):
        event.apply(folded)
    _require(folded.digest() == draft.table.digest(), "folding the events gives another table")


def _check_events(move: Move, ruleset: Ruleset[Any], events: Sequence[Event[Any]]) -> None:
    if unknown := {*move.absent} - {*map(type_name, ruleset.events)}:
        raise Failure(f"no event is called {' or '.join(sorted(unknown))}")
    happened: list[dict[str, Any]] = [msgspec.to_builtins(event) for event in events]
    rest = iter(happened)
    for expected in move.events:
        if not any(fits(expected, event) for event in rest):
            raise Failure(f"no event {expected} (in this order) among {_listed(happened)}")
    for event in happened:
        _require(event["type"] not in move.absent, f"{event} happened")


def _check(move: Move, ruleset: Ruleset[Any], table: Table, vault: Vault) -> None:
    for path, expected in move.then.items():
        actual = _at(table, path)
        _require(same(expected, actual), f"{path} is {actual!r}, not {expected!r}")
    decisions: list[dict[str, Any]] = msgspec.to_builtins(ruleset.decisions(table))
    for expected in move.decisions:
        _require(any(fits(expected, actual) for actual in decisions), f"{expected} is not open: {_listed(decisions)}")
    for offer in move.offers:
        _require(_offered(offer, ruleset, table, vault), f"not on offer: {msgspec.to_builtins(offer)}")
    for offer in move.lacks:
        _require(not _offered(offer, ruleset, table, vault), f"on offer: {msgspec.to_builtins(offer)}")


def _check_order(move: Move, ruleset: Ruleset[Any], table: Table) -> None:
    order = [list(group) for group in ruleset.order(table)]
    _require(not move.order or order == move.order, f"the seats finished as {order}, not as {move.order}")


def _check_views(move: Move, ruleset: Ruleset[Any], table: Table, vault: Vault) -> None:
    for viewer, paths in move.sees.items():
        reader = None if viewer == SPECTATOR else Seat(viewer)
        view = ruleset.view(table, vault.read_by(reader))
        for path, expected in paths.items():
            actual = _at(view, path)
            _require(same(expected, actual), f"{viewer} sees {path} as {actual!r}, not {expected!r}")


def _check_options(movers: Set[Seat], ruleset: Ruleset[Any], table: Table, vault: Vault, draws: int) -> None:
    """Try the smallest and largest command of each option of the seats that have to decide or move in the scenario."""
    deciding = {seat for decision in ruleset.decisions(table) for seat in decision.seats}
    for seat in sorted(deciding | movers):
        for option in ruleset.options(table, seat, vault.read_by(seat)):
            for edge in (_Edge(0), _Edge(-1)):
                try:
                    command = schema.sample(option.schema, edge, attempts=1)
                    read = ruleset.read_command(msgspec.json.encode(command))
                    ruleset.decide(table, seat, read, ANY_CHANCE, vault, draws)
                except (ValueError, LookupError, msgspec.ValidationError, Refusal) as error:
                    raise Failure(f"{option.title!r} is on offer to {seat}, but: {error}") from error


class _Edge:
    """A source of chance that always returns the smallest and first (0), or the largest and last (-1)."""

    def __init__(self, edge: int) -> None:
        self._edge = edge

    def random(self) -> float:
        return -self._edge * 0.999

    def randint(self, a: int, b: int) -> int:
        return (a, b)[self._edge]

    def choice(self, seq: Sequence[T]) -> T:
        return seq[self._edge]

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        return list(population[len(population) - k :] if self._edge else population[:k])


def _on_offer(ruleset: Ruleset[Any], table: Table, vault: Vault, seat: Seat, command: dict[str, Any]) -> bool:
    return _offered(Offered(seat, command), ruleset, table, vault)


def _offered(offer: Offered, ruleset: Ruleset[Any], table: Table, vault: Vault) -> bool:
    return any(
        schema.matches(option.schema, offer.command)
        and offer.rule in (None, option.rule)
        and offer.decision in (None, option.decision)
        for option in ruleset.options(table, offer.seat, vault.read_by(offer.seat))
    )


def _at(position: Struct, path: str) -> Any:
    """Return the value at a path, as JSON; None when it is absent. Raises `Failure` when there is no such field.

    Otherwise a misspelt field would pass for one with its default value.
    """
    state: Any = position
    for part in path.split("."):
        match state:
            case Struct():
                _require(part in state.__struct_fields__, f"{path}: there is no field {part}")
                state = getattr(state, part)
            case Mapping():
                state = cast(Mapping[str, Any], state).get(part)
            case Sequence() if part.isdigit():
                items = cast(Sequence[Any], state)
                state = items[int(part)] if int(part) < len(items) else None
            case _:
                _require(state is None, f"{path}: there is nothing in {state!r}")
    return msgspec.to_builtins(state)


def fits(expected: Any, actual: Any) -> bool:
    """Tell whether `actual` has everything that `expected` has; its objects may have more fields."""
    if expected and isinstance(expected, dict) and isinstance(actual, Mapping):
        fields = cast(dict[str, Any], expected)
        return all(fits(value, cast(Mapping[str, Any], actual).get(name)) for name, value in fields.items())
    return same(expected, actual)


def same(expected: Any, actual: Any) -> bool:
    """Compare as JSON. All empty values are the same: absent fields, null, 0, false, empty texts, lists and objects."""
    if not expected and not actual:
        return True
    if isinstance(expected, dict) and isinstance(actual, Mapping):
        one, other = cast(dict[str, Any], expected), cast(Mapping[str, Any], actual)
        return all(same(one.get(name), other.get(name)) for name in {*one, *other})
    if isinstance(expected, list) and isinstance(actual, list | tuple):
        items, others = cast(list[Any], expected), cast(Sequence[Any], actual)
        return len(items) == len(others) and all(map(same, items, others))
    return expected == actual


def _listed(items: Iterable[Mapping[str, Any]]) -> str:
    return "; ".join(str(dict(item)) for item in items) or "none"


def _require(condition: object, complaint: str) -> None:
    if not condition:
        raise Failure(complaint)


def runs(scenarios: Iterable[Scenario], rulesets: Iterable[Ruleset[Any]]) -> Iterator[tuple[Scenario, Ruleset[Any]]]:
    """Yield each scenario with each ruleset and version for which it is written.

    Raises:
        ScenarioError: a scenario is written for a ruleset, but for none of its versions.
    """
    all_rulesets = list(rulesets)
    for scenario in scenarios:
        for ruleset in all_rulesets:
            versions = scenario.versions_of(ruleset)
            if versions is None:
                continue
            if not versions:
                newest = ruleset.versions[-1]
                raise ScenarioError(f"{scenario.title!r} holds in no version of {ruleset.id}; it has 1 to {newest}")
            yield from ((scenario, ruleset.at(version)) for version in versions)
