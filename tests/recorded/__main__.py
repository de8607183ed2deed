"""Record games of a new version of a ruleset: ``python -m tests.recorded RULESET [--games 20]``.

Plays games by the newest version, random and greedy, with every number of seats, and writes them to the version's
folder, which must not exist yet: recorded games are never recorded anew. Then it looks for further games that contain
the types of events and commands that are still missing, and prints those that it did not find. ``--missing`` only
prints these, for the games that are there.
"""

import argparse
import hashlib
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, UnsetType

from domain.boards import builtin
from domain.classic.ruleset import Classic
from domain.classic.start.setup import COLOURS
from domain.kernel.ids import Seat
from domain.kernel.log.clocked import DefaultGiven
from domain.kernel.log.ended import GameAbandoned
from domain.kernel.log.history import cause_of, starts_of_commands
from domain.kernel.log.lifecycle import (
    GAME_EVENTS,
    AnswerGiven,
    AnswerLeft,
    AnswerRevoked,
    GameAdjudicated,
    GameCancelled,
    GameForked,
    RulesUpgraded,
    SeatsMoved,
    Undo,
)
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.seated import AnsweredByHouse, SeatAssigned, SeatConfirmed
from domain.kernel.proof.reading import read
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.message import Event, type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from service.bots.registry import bot_for
from tests.helpers.play import Play, player_of
from tests.recorded import folder_of, packed, positions, recorded, sha256

GAMES: Final = 20
HUNTS: Final = 120
"""How many further games are tried for what is missing."""
STRAITS: Final = frozenset({"mare-aegaeum", "mare-hispalis", "oceanus-britannicus", "mare-tyrrhenum"})
"""Where galleys go for preference: what is rarest in Classic happens at sea, with leaders aboard, and at straits.

In a mixed game every second player is curious and the others are greedy, so that there are armies as well as galleys.
"""
CHATTER: Final = {"random": 0.06, "curious": 0.25, "mixed": 0.15}
"""How often a player gives a command that no decision asks for."""
CURIOSITY: Final = {"random": 0.25, "curious": 0.8, "mixed": 0.8}
"""How often a player prefers the command that was given least often so far."""
SECOND_THOUGHTS: Final = 0.02
"""How often a random player takes commands back, where that is possible."""
PAIRS: Final = 0.05
"""How often a random player sends two commands in one list."""
SETUPS: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {
    "conquest-classic-friz": ({}, {"homes": "picked"}),
    "conquest-classic-2005": ({}, {"homes": "picked"}),
    "conquest-campaign": ({}, {"seasons": 5}),
    "italia-1": (
        {},
        {"individual_targets": True, "allied_city_roads": True},
        {"rescue_cargo": True, "subject_vp_round_total": True},
        {"carthage_last_unit_window": False, "ignore_pyrrhus_faq": True},
    ),
    "italia-2": (
        {},
        {"individual_targets": True, "allied_city_roads": True},
        {"rescue_cargo": True, "subject_vp_round_total": True},
    ),
    "mare-nostrum": (
        {},
        {"layout": "free"},
        {"influence_chain_any_player": True},
        {"assignment": "dealt", "lone_offer_ends_trade": True},
    ),
}
"""What the creators of recorded games choose, in turn."""
CHOSEN_SINCE_2: Final = {"each_lone_leader": True, "generals_saved_with_fleet": True}
"""What the creators of Classic's games choose besides since its second version."""
LONGEST: Final = 7_000
"""A game with more events is not recorded; another one takes its place."""
MOVED_AT: Final = 40
"""The commands after which games that are moved to the newest version are moved there."""
PREMATURE: Final = frozenset({"propose-winner", "answer-winner"})
"""Commands by which random players could end a game before it has begun in earnest."""
IN_EARNEST: Final = {"random": 500, "curious": 2_000, "mixed": 2_000}
"""From this command on they may."""


ELSEWHERE: Final = {
    "conquest-classic-friz": frozenset({"units-abandoned"}),
    "conquest-classic-2005": frozenset(
        {
            *("ask-passage", "passage-asked", "answer-passage", "passage-answered"),
            *("grant-standing", "standing-granted", "withdraw-grant", "grant-withdrawn"),
            *("ask-retreat", "retreat-asked", "answer-retreat", "retreat-answered"),
            *("withdraw-passage-request", "passage-request-withdrawn"),
            *("withdraw-retreat-request", "retreat-request-withdrawn"),
            *("waive-talks", "talks-waived"),
            *("waive-all-talks", "all-talks-waived", "resume-talks", "talks-resumed"),
            *("take-leaders", "tribute-forgone"),
        }
    ),
    "italia-1": frozenset(
        {
            *("convert", "unit-converted", "conversion-declined", "convert-removed"),
            *("foederati-deserted", "knights-cut-off"),
        }
    ),
    "italia-2": frozenset({"elephants-met", "retreats-opened", "drive-off"}),
}
"""What a ruleset has only because it shares its chapters with another edition, and cannot happen in it."""

CLASSIC_2: Final = frozenset(
    {
        *("deal-proposed", "prisoner-handed-over"),
        *("homes-assigned", "some-leaders-spared"),
        *("withdraw-agreement", "agreement-withdrawn", "acclamation-lapsed"),
        *("withdraw-passage-request", "passage-request-withdrawn"),
        *("withdraw-retreat-request", "retreat-request-withdrawn"),
    }
)
LATER: Final[Mapping[str, Mapping[int, frozenset[str]]]] = {
    "conquest-classic-friz": {
        2: CLASSIC_2
        | {
            *("waive-talks", "talks-waived"),
            *("waive-all-talks", "all-talks-waived", "resume-talks", "talks-resumed"),
        }
    },
    "conquest-classic-2005": {2: CLASSIC_2},
    "mare-nostrum": {2: frozenset({"civilizations-dealt", "seats-moved"})},
}
"""By ruleset: the types that came with a version, so that games of the versions before need not contain them."""

UNTIL: Final[Mapping[str, Mapping[int, frozenset[str]]]] = {
    "conquest-classic-friz": {1: frozenset({"ransom-proposed"})},
    "conquest-classic-2005": {1: frozenset({"ransom-proposed"})},
}
"""By ruleset: the types that a version was the last to bring about."""


class TooLong(Exception):
    """A game that does not come to an end."""


class Plan(Struct, frozen=True):
    """A game to be recorded."""

    number: int
    players: int
    temper: Literal["random", "greedy", "curious", "mixed"]
    setup: Mapping[str, Any]
    attempt: int = 0
    moved: bool = False
    """Whether it begins with the version before, and is moved on."""

    @property
    def name(self) -> str:
        return f"{self.number:02d}-{self.players}-{self.temper}.jsonl.xz"


class Recording:
    """One game as it is played for the record. `given` counts how often each command was, over all games."""

    def __init__(self, ruleset: Ruleset[Any], plan: Plan, given: Counter[str]) -> None:
        name = f"{ruleset.id}/{ruleset.version}/{plan.number}/{plan.attempt}"
        self.rng = random.Random(f"recorded/{name}")
        self.given = given
        self.temper = plan.temper
        first = ruleset.at(ruleset.version - 1) if plan.moved else ruleset
        board = first.equip(builtin(first.board))
        self.bot = bot_for(ruleset.id, self.rng, msgspec.to_builtins(board))
        seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:6])
        self.newest = ruleset.version
        self.play = Play(first, board, plan.players, seed, plan.setup, start=False)
        self.sit_down()

    def sit_down(self) -> None:
        """Seat everybody; one leaves again and comes back with other entropy."""
        play = self.play
        for seat in play.game.players:
            play.sit(seat, player_of(seat), f"entropy of {seat}", key=self.key())
        undecided = self.rng.choice(list(play.game.players))
        play.leave(undecided, player_of(undecided))
        play.sit(undecided, player_of(undecided))
        play.start()

    def key(self) -> str:
        return f"{self.rng.getrandbits(128):032x}"

    def run(self) -> Play:
        """Play to the end. Raises `TooLong`."""
        play, commands = self.play, 0
        while play.game.status == "running":
            commands += 1
            if len(play.records) > LONGEST:
                raise TooLong
            if commands >= MOVED_AT and play.game.ruleset.version < self.newest:
                with suppress(Refusal):  # where it cannot be carried over now, it is moved later
                    play.upgrade(self.newest)
            if self.temper == "greedy":
                self.move_well(play.game.decisions[0].seats[0])
                continue
            self.is_early = commands < IN_EARNEST[self.temper]
            if play.game.undo_to and self.rng.random() < SECOND_THOUGHTS:
                assert play.game.undo_seat is not None
                play.undo(play.game.undo_seat, self.rng.choice(play.game.undo_to))
            elif commands % 401 == 0:
                starts = sorted(starts_of_commands(play.records))[-10:]
                play.rule(self.rng.choice(starts), "A slip of the hand.")
            else:
                self.move_at_random()
        return play

    def move_well(self, seat: Seat) -> None:
        play = self.play
        view = msgspec.to_builtins(play.game.view(seat, play.vault))
        self.give(seat, self.bot.choose(seat, view, msgspec.to_builtins(play.game.options(seat, play.vault))))

    def move_at_random(self) -> None:
        play = self.play
        seat, seats = self.rng.choice(play.waiting), list(play.game.players)
        if self.temper == "mixed" and seats.index(seat) % 2:
            self.move_well(seat)
            return
        if self.rng.random() < CHATTER[self.temper]:
            seat = self.rng.choice(seats)
        option = self.option(play.options(seat))
        if option is None:
            return
        command = self.sample(option)
        if self.rng.random() >= PAIRS:
            self.give(seat, command)
            return
        tried = play.try_command(seat, command)
        game, vault = tried.game, play.vault.joined_by(tried.secrets)
        more = [option for option in game.options(seat, vault) if option.command != type_name(Undo)]
        if game.undo_to and more and seat in {each for decision in game.decisions for each in decision.seats}:
            self.give(seat, command, schema.sample(self.rng.choice(more).schema, self.rng))
        else:
            self.give(seat, command)

    def sample(self, option: Option) -> dict[str, Any]:
        if self.temper == "random":
            return schema.sample(option.schema, self.rng)
        return max((schema.sample(option.schema, self.rng) for _ in range(8)), key=seafaring)

    def option(self, options: Sequence[Option]) -> Option | None:
        """Return an option to choose: mostly one that answers a decision, now and then of the rarest command."""
        options = [option for option in options if not (self.is_early and option.command in PREMATURE)]
        answers = [option for option in options if option.decision]
        others = [option for option in options if not option.decision]
        chosen = others if others and (not answers or self.rng.random() < CHATTER[self.temper]) else answers
        if not chosen:
            return None
        if self.rng.random() < CURIOSITY[self.temper]:
            rarest = min(self.given[option.command] for option in chosen)
            chosen = [option for option in chosen if self.given[option.command] == rarest]
            if self.temper != "random":  # where there is most to choose from, most can follow
                return max(chosen, key=lambda option: len(msgspec.json.encode(option.schema)))
        return self.rng.choice(chosen)

    def give(self, seat: Seat, *commands: Any) -> None:
        play = self.play
        self.given.update(command["type"] for command in commands)
        read_commands = [play.ruleset.read_command(msgspec.json.encode(command)) for command in commands]
        key = self.key() if len(commands) > 1 or self.rng.random() < 0.3 else None
        cause = Cause(play.game.players[seat], key=key)
        play.take(play.game.command(seat, read_commands, play.chance, play.vault, cause, play.now))


def seafaring(command: Mapping[str, Any]) -> int:
    """Return how much a command is to the taste of curious players."""
    galleys: Any = command.get("galleys", 0)
    leaders: Any = command.get("leaders", ())
    bound = sum(isinstance(value, str) and value in STRAITS for value in command.values())
    return (galleys if isinstance(galleys, int) else 0) + 3 * bound + len(leaders)


def origin_of(ruleset: Ruleset[Any]) -> tuple[str, int]:
    """Return by which ruleset and version of these tables a ruleset plays: by the newest of the one it is based on."""
    base = ruleset.catalogue.rulesets[ruleset.id].based_on
    if base is None:
        return ruleset.id, ruleset.version
    return origin_of(LIBRARY.current(base))


def setups_of(ruleset: Ruleset[Any], players: int) -> Sequence[Mapping[str, Any]]:
    """Return what the creators of games with this number of players choose, in turn."""
    base, version = origin_of(ruleset)
    setups = SETUPS.get(base, ({},))
    colours = tuple(COLOURS)[-players:]
    if ruleset.id == "conquest-campaign":
        return (*setups, {"colours": colours})
    if not isinstance(ruleset, Classic) or version == 1:
        return setups
    agreed = {"agreed_homes": dict(zip(reversed(colours), ruleset.edition.homes[players], strict=True))}
    return (*setups, {"colours": colours, **CHOSEN_SINCE_2}, agreed)


def plans(ruleset: Ruleset[Any], games: int) -> Iterator[Plan]:
    """Yield games: the numbers of seats in turn, then random and greedy players, then the set-ups."""
    for number in range(games):
        turn, seats = divmod(number, len(ruleset.players))
        temper = "greedy" if (turn + seats) % 2 else "random"
        players, moved = ruleset.players[seats], ruleset.version > 1 and number % 5 == 4
        setups = setups_of(ruleset, players)
        chosen = {} if moved else setups[number // 2 % len(setups)]
        yield Plan(number + 1, players, temper, chosen, moved=moved)


def hunts(ruleset: Ruleset[Any], first: int) -> Iterator[Plan]:
    """Yield games of curious players, alone or among greedy ones, for what is missing."""
    for attempt in range(HUNTS):
        players = ruleset.players[-1 - attempt % len(ruleset.players)]
        temper = "mixed" if attempt % 2 else "curious"
        setups = setups_of(ruleset, players)
        yield Plan(first, players, temper, setups[attempt % len(setups)], attempt)


class Album:
    """The games of one version as they are recorded."""

    def __init__(self, ruleset: Ruleset[Any]) -> None:
        self.ruleset = ruleset
        self.folder = folder_of(ruleset.id, ruleset.version)
        self.folder.mkdir(parents=True)
        self.given: Counter[str] = Counter()
        self.met: set[str] = set()
        self.expected: dict[str, Any] = {}

    def record(self, plan: Plan) -> None:
        """Play a game and keep it; another in its place when it does not end."""
        try:
            self.keep(plan, Recording(self.ruleset, plan, self.given).run())
        except TooLong:
            self.record(msgspec.structs.replace(plan, attempt=plan.attempt + 1))

    def hunt(self, plan: Plan) -> bool:
        """Play a game and keep it when it contains something new. Tell whether it did."""
        try:
            play = Recording(self.ruleset, plan, self.given).run()
        except TooLong:
            return False
        if self.wanted.isdisjoint(contained(play.records)):
            return False
        self.keep(plan, play)
        return True

    def keep(self, plan: Plan, play: Play) -> None:
        lines = play.export()
        (self.folder / plan.name).write_bytes(packed(lines))
        self.expected[plan.name] = {
            "sha256": sha256(lines),
            "positions": positions(play.game.id, play.board, play.records, LIBRARY),
        }
        self.met.update(contained(play.records))
        size = (self.folder / plan.name).stat().st_size
        print(f"{plan.name}: {len(play.records)} events, {size:,} bytes; missing: {len(self.wanted)}", flush=True)

    def close(self) -> None:
        index = msgspec.json.format(msgspec.json.encode(self.expected), indent=1)
        (self.folder / "positions.json").write_bytes(index + b"\n")

    @property
    def wanted(self) -> set[str]:
        """The types of events and commands that no game contains yet."""
        return kinds(self.ruleset) - self.met


def kinds(ruleset: Ruleset[Any]) -> set[str]:
    """Return the types of events and of commands that games of a ruleset may contain."""
    around = set(GAME_EVENTS) - {GameCancelled, GameForked}  # which begin or end no game that is recorded
    # These came after the first games were recorded.
    around -= {AnswerLeft, AnswerRevoked, AnswerGiven, AnsweredByHouse, DefaultGiven, GameAbandoned, GameAdjudicated}
    around -= {SeatAssigned, SeatConfirmed}
    around -= {each for each in GAME_EVENTS if each.stays}
    if ruleset.version == 1:
        around.remove(RulesUpgraded)  # a game that was moved on is kept with the version that it came to
    if all(event.seating is Event.seating for event in ruleset.events):
        around.remove(SeatsMoved)
    found = {type_name(kind) for kind in (*around, *ruleset.events, *ruleset.commands, Undo)}
    base, version = origin_of(ruleset)
    later = (names for since, names in LATER.get(base, {}).items() if since > version)
    former = (names for until, names in UNTIL.get(base, {}).items() if until < version)
    return found.difference(ELSEWHERE.get(base, frozenset()), *later, *former)


def contained(records: Iterable[Record]) -> set[str]:
    """Return the types of events and of commands in a log."""
    found: set[str] = set()
    for record in records:
        found.add(record.type)
        if not isinstance(command := cause_of(record).command, UnsetType):
            found.add(msgspec.json.decode(command)["type"])
    return found


def missing(ruleset: Ruleset[Any]) -> list[str]:
    """Return the types of events and of commands that no recorded game of a version contains."""
    games = recorded(ruleset.id, ruleset.version)
    return sorted(kinds(ruleset).difference(*(contained(read(game.lines()).records) for game in games)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    parser.add_argument("ruleset", choices=LIBRARY.ids())
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--missing", action="store_true", help="record nothing")
    said = parser.parse_args()
    ruleset = LIBRARY.current(said.ruleset)
    if not said.missing:
        if folder_of(ruleset.id, ruleset.version).exists():
            parser.error(f"{ruleset.id} version {ruleset.version} is recorded; recorded games are never recorded anew")
        album = Album(ruleset)
        for plan in plans(ruleset, said.games):
            album.record(plan)
        number = said.games + 1
        for plan in hunts(ruleset, number):
            if not album.wanted:
                break
            number += album.hunt(msgspec.structs.replace(plan, number=number))
        album.close()
    absent = missing(ruleset)
    print(f"in no game of {ruleset.id} version {ruleset.version}: {', '.join(absent) or 'nothing is missing'}")
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
