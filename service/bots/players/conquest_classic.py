"""The bot for Conquest Classic."""

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from domain.kernel.rules import schema
from service.bots.bot import GREEDY, Board, Command, Options, View
from service.bots.thinker import Guide, Outlook

LEGION: Final = 7
"""Units that one leader may lead (CC-MOV-09)."""

ODDS: Final = 1.4
IMPATIENCE: Final = 0.03
"""A bot attacks with `ODDS` units against one, less `IMPATIENCE` for each round: an enemy who waits grows stronger."""

BEATEN: Final = 0.7
"""With fewer units than this against one, an army retreats."""

SCOUTING: Final = 12
ATTACK: Final = 20
"""What these marches are worth; a step towards an enemy Caesar is worth 4."""

# `standings` counts in talents of tribute. The weights come from 500 games between greedy bots: in their positions,
# tribute and captured generals predicted best who won. Units predicted next to nothing, wherever they stood; they are
# counted at less than their price, so that a thinker still buys some.
STRENGTH: Final[Mapping[str, float]] = {"infantry": 2.0, "cavalry": 3.5, "catapults": 5.0}
"""What a unit is worth."""
GENERAL: Final = 20.0
"""What a general is worth to the seat that he serves or, once he is captured, to his captor."""
REFUGE: Final = 15.0
"""What it is worth when a Caesar stands in a fortified province."""
THREAT: Final = 8.0
"""What each enemy unit near a Caesar costs, beyond as many as guard him.

Units that are not in his area or next to it count half. In a fortified province, each guard counts as two.
"""

MIXTURE: Final = (("catapults", 1), ("cavalry", 2), ("infantry", LEGION), ("cavalry", LEGION), ("catapults", LEGION))
"""How a legion is made up: the most units of each type, in turn. Its dice hit by matching units (CC-BAT-13)."""


class Distances:
    """How many steps by land, straits included, lie between the provinces of a board."""

    def __init__(self, board: Board) -> None:
        self.neighbours: dict[str, list[str]] = {}
        for border in board["borders"]:
            if border["kind"] in ("land", "strait"):
                one, other = border["between"]
                self.neighbours.setdefault(one, []).append(other)
                self.neighbours.setdefault(other, []).append(one)
        self._to: dict[str, dict[str, int]] = {}
        self._near: dict[str, list[str]] = {}

    def to(self, goal: str | None) -> Mapping[str, int]:
        """Return the provinces from which `goal` can be reached, the nearest first, and in how many steps."""
        if goal is None:
            return {}
        if goal not in self._to:
            distances = self._to[goal] = {goal: 0}
            queue = deque(distances)
            while queue:
                here = queue.popleft()
                for near in self.neighbours.get(here, ()):
                    if near not in distances:
                        distances[near] = distances[here] + 1
                        queue.append(near)
        return self._to[goal]

    def near(self, province: str) -> Sequence[str]:
        """Return the provinces at most two steps away, this one included."""
        if province not in self._near:
            self._near[province] = [other for other, steps in self.to(province).items() if steps <= 2]
        return self._near[province]


class Battlefield:
    """What a commander sees before a march: whose units are where, who can still march, and against whom."""

    def __init__(self, seat: str, view: View, distances: Distances) -> None:
        self._seat, self._provinces, self._distances = seat, view["provinces"], distances
        self._neighbours = distances.neighbours
        self._odds = ODDS - IMPATIENCE * view["round"]
        self._mine: dict[str, int] = {}
        self._able: dict[str, int] = {}
        self._foes: dict[str, int] = {}
        for name, province in self._provinces.items():
            sizes = {owner: self._units(army) for owner, army in province["armies"].items()}
            armies = {owner: sum(size) for owner, size in sizes.items()}
            self._able[name] = sum(sizes[seat][:2]) if seat in sizes else 0
            self._mine[name] = armies.pop(seat, 0)
            self._foes[name] = sum(armies.values()) + 2 * (bool(armies) and province["fortified"])
        own = {name: leader for name, leader in view["leaders"].items() if leader["owner"] == seat and leader["at"]}
        generals = {name: leader for name, leader in own.items() if leader["kind"] == "general"}
        self.leaders = {name: leader["at"] for name, leader in (generals or own).items() if leader["moves"]}
        """The places of the leaders who can still march: the generals, or the Caesar if the seat has no general."""
        self._led = Counter(self.leaders.values())
        caesars = {leader["owner"]: leader["at"] for leader in view["leaders"].values() if leader["kind"] == "caesar"}
        self._home = caesars.pop(seat, None)
        reach = distances.to(self._home)
        goals = sorted(at for at in caesars.values() if at in reach)
        goal = min(goals, key=lambda at: reach[at] + self._foes[at] / 3, default=None)
        self._to_goal = distances.to(goal)
        self._to_home = reach
        # Where most units wait for a general.
        self._to_need = distances.to(max(self._mine, key=lambda at: self._mine[at] - LEGION * self._led[at]))

    @staticmethod
    def _units(army: Mapping[str, Any]) -> list[int]:
        counts = [sum(army.get(part, {}).values()) for part in ("fresh", "spent", "landed")]
        return [counts[0], army.get("tired", 0), *counts[1:]]

    def column(self, province: str) -> int:
        """Return how many units can be led away from a province; a fifth, and at least one, stays with the Caesar."""
        guard = max(1, self._mine[province] // 5) if province == self._home else 0
        return max(0, min(self._able[province], self._mine[province] - guard, LEGION * self._led[province]))

    def beaten(self, province: str) -> bool:
        """Tell whether an army should retreat. It never leaves its Caesar."""
        return province != self._home and self._mine[province] < BEATEN * self._foes[province]

    def score(self, command: Command) -> float:
        """Return how good a march is. One of 1 or less is not worth making."""
        origin, to = command["origin"], command["to"]
        force = sum(command["units"].values())
        if force > 1:
            return self._advance(origin, to) + force / 4
        if not force and self._foes[to]:
            return 0
        if force and self._may_scout(to):
            return SCOUTING
        if force or any(map(self._may_scout, self._neighbours[origin])):
            return 0
        spare = LEGION * (self._led[origin] - 1) >= self._mine[origin] or self._mine[origin] < 3
        return 2 * self._closer(self._to_need, origin, to) if spare else 0

    def _may_scout(self, province: str) -> bool:
        """Tell whether a province can be taken safely: it is not the seat's own, and no enemy is within two steps."""
        foreign = self._provinces[province]["owner"] != self._seat
        return foreign and not any(self._foes[near] for near in self._distances.near(province))

    def _advance(self, origin: str, to: str) -> float:
        """Return how good a march of an army is: to attack, to approach a Caesar, or to flee from a stronger enemy."""
        together = self._mine[to] + self.column(origin)
        if foes := self._foes[to]:
            together += sum(self.column(near) for near in self._neighbours[to] if near != origin)
            return ATTACK + 4 * self._closer(self._to_goal, origin, to) if together > self._odds * foes else 0
        if origin == self._home and self.column(origin) < LEGION * min(2, len(self.leaders)):
            return 0
        if together < self._odds * max(self._foes[at] for at in self._neighbours[to]):
            return 2 * self._closer(self._to_home, origin, to)
        gain = 3 * (self._provinces[to]["owner"] != self._seat)
        return 4 * self._closer(self._to_goal, origin, to) + gain

    @staticmethod
    def _closer(steps: Mapping[str, int], origin: str, to: str) -> int:
        return steps.get(origin, 99) - steps.get(to, 99)


class BoldCommander(Guide):
    """A simple commander: gathers its armies under generals and goes for one Caesar after another.

    Scouts take the provinces that nobody guards; the rest marches together (`Battlefield` says where) and
    leaves a guard with its own Caesar. After `patience` rounds it agrees to acclaim the player who collects the most
    tribute (CC-WIN-02), so that a demonstration ends in any case.
    """

    EAGER = ("attack-leaders", "fight-battle", "finish-combat")
    """Taken at once when offered, in this order."""
    SHY = frozenset(
        {"ask-passage", "sail", "embark", "land", "grant-standing", "propose-ransom", "ask-retreat", "undo"}
    )
    """Never used."""
    WANTED: Mapping[str, Mapping[str, int]] = {
        "buy": {"infantry": 12, "cavalry": 26, "catapults": 38, "cities": 34},
        "form-legion": {"infantry": 3, "cavalry": 4, "catapults": 5},
        "mark-losses": {"infantry": 3, "cavalry": 2, "catapults": 1},
    }
    """What parts of these commands are worth. The bot gives the best of some samples."""

    def __init__(self, rng: random.Random, board: Board, patience: int = 40) -> None:
        self._rng = rng
        self._patience = patience
        self._distances = Distances(board)

    def choose(self, seat: str, view: View, options: Options) -> Command:
        by_command: dict[str, list[Mapping[str, Any]]] = {}
        for option in options:
            by_command.setdefault(option["command"], []).append(option)
        if acclaimed := self._acclaim(view, by_command):
            return acclaimed
        for name in self.EAGER:
            if name in by_command:
                return self._sample(by_command[name])
        battlefield = Battlefield(seat, view, self._distances)
        if "judge-general" in by_command:
            return {**self._sample(by_command["judge-general"]), "verdict": "capture"}
        if "announce" in by_command:
            retreat = {"type": "announce", "retreat": battlefield.beaten(view["battle"]["province"])}
            return retreat if self._offered(by_command["announce"], retreat) else {**retreat, "retreat": False}
        if "finish-movement" in by_command:
            return self._march(battlefield, by_command.get("march", ()))
        for name, worth in self.WANTED.items():
            if name in by_command:
                return self._most(by_command[name], worth)
        if "finish-destruction" in by_command:
            return {"type": "finish-destruction"}
        usual = [option for option in options if option.get("decision") and option["command"] not in self.SHY]
        placing = [option for option in usual if option["command"] != "finish-turn"]
        return self._sample(placing or usual)

    def standings(self, view: View) -> Mapping[str, float]:
        """Return what each seat has: tribute, money, units, generals, a Caesar in safety; a lost Caesar is the end."""
        stands = {seat: each["tribute"] + each["talents"] / 10 for seat, each in view["seats"].items()}
        sizes: dict[str, Counter[str]] = {}
        for area, province in view["provinces"].items():
            for seat, army in province["armies"].items():
                parts = [army.get(part, {}) for part in ("fresh", "spent", "landed")]
                units = sum((Counter(each) for each in parts), Counter({"cavalry": army.get("tired", 0)}))
                stands[seat] += sum(STRENGTH[kind] * units[kind] for kind in units)
                sizes.setdefault(area, Counter())[seat] = units.total()
        for leader in view["leaders"].values():
            if leader["kind"] == "general":
                stands[leader["captor"] or leader["owner"]] += GENERAL
            elif leader["at"]:
                stands[leader["owner"]] += self._safety(leader["owner"], leader["at"], view, sizes)
        return {seat: worth if view["seats"][seat]["playing"] else 0.0 for seat, worth in stands.items()}

    def _safety(self, seat: str, home: str, view: View, sizes: Mapping[str, Mapping[str, int]]) -> float:
        """Return what the place of a Caesar is worth: its walls, less enemies at most two steps away, by distance."""
        fortified = view["provinces"][home]["fortified"]
        near = {home, *self._distances.neighbours.get(home, ())}
        enemies = sum(_others(sizes, area, seat) / (1 if area in near else 2) for area in self._distances.near(home))
        guard = sizes.get(home, {}).get(seat, 0) * (1 + fortified)
        return REFUGE * fortified - THREAT * max(0.0, enemies - guard)

    def _sample(self, options: Options) -> Command:
        return schema.sample(self._rng.choice(options)["schema"], self._rng)

    def _most(self, options: Options, worth: Mapping[str, int]) -> Command:
        samples = [self._sample(options) for _ in range(20)]
        return max(samples, key=lambda command: sum(worth[kind] * command.get(kind, 0) for kind in worth))

    def _acclaim(self, view: View, by_command: Mapping[str, Options]) -> Command | None:
        if view["round"] <= self._patience:
            return None
        richest = max(view["seats"], key=lambda seat: (view["seats"][seat]["tribute"], seat))
        commands: tuple[Command, ...] = (
            {"type": "answer-winner", "accept": True},
            {"type": "propose-winner", "candidate": richest},
        )
        for command in commands:
            if self._offered(by_command.get(command["type"], ()), command):
                return command
        return None

    @staticmethod
    def _offered(options: Options, command: Command) -> bool:
        return any(schema.matches(option["schema"], command) for option in options)

    # --- marching ---

    def _march(self, battlefield: Battlefield, options: Options) -> Command:
        best, choice = 1.0, {"type": "finish-movement"}
        for option, command in self._marches(battlefield, options):
            score = battlefield.score(command) + self._rng.random()
            # A seat that was granted a passage marches as it asked, or not at all.
            if score > best and schema.matches(option["schema"], command):
                best, choice = score, command
        return choice

    def ideas(self, seat: str, view: View, options: Options) -> Sequence[Command]:
        """Return the marches that it would compare, the best first.

        Staying is not among them: in the few commands that a thinker looks ahead, it costs nothing, but it wins nothing
        later.
        """
        marching = [option for option in options if option["command"] == "march"]
        if not marching:
            return ()
        battlefield = Battlefield(seat, view, self._distances)
        marches = self._marches(battlefield, marching)
        lawful = [command for option, command in marches if schema.matches(option["schema"], command)]
        return sorted(lawful, key=battlefield.score, reverse=True)

    def _marches(self, battlefield: Battlefield, options: Options) -> Iterator[tuple[Mapping[str, Any], Command]]:
        for option in options:
            for command in self._legions(battlefield, option["schema"]["properties"]):
                yield option, command

    @staticmethod
    def _legions(battlefield: Battlefield, fields: Mapping[str, Any]) -> Iterable[Command]:
        """Yield, for each destination: a general alone, one with a single unit, and one with all that may follow."""
        origin = fields["origin"]["const"]
        able = [name for name in fields["leaders"].get("items", {}).get("enum", ()) if name in battlefield.leaders]
        if not able or fields["leaders"]["minItems"] > 1:
            return
        kinds = fields.get("units", {}).get("properties", {}).items()
        there = {kind: field.get("maximum", field.get("const")) for kind, field in kinds}
        most = sum(there.values())
        for size in {0, min(1, most), min(LEGION, most, battlefield.column(origin))}:
            units: dict[str, int] = {}
            for kind, share in MIXTURE if size > 1 else reversed(MIXTURE):
                units[kind] = min(there.get(kind, 0), share, size - sum(units.values()) + units.get(kind, 0))
            units = {kind: number for kind, number in units.items() if number}
            for to in fields["to"].get("enum", [fields["to"].get("const")]):
                yield {"type": "march", "origin": origin, "to": to, "leaders": able[-1:], "units": units}


def _others(sizes: Mapping[str, Mapping[str, int]], area: str, seat: str) -> int:
    """Return how many units others than `seat` have in a province."""
    return sum(number for other, number in sizes.get(area, {}).items() if other != seat)


OUTLOOK: Final = Outlook(BoldCommander, commands=8)
LEVELS: Final = {GREEDY: BoldCommander}
