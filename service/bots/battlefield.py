"""What a commander of Conquest Classic sees before he marches, and how good a march looks to him."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

View = Mapping[str, Any]
Command = dict[str, Any]

LEGION: Final = 7
"""Units that one leader may lead (CC-MOV-09)."""

ODDS: Final = 1.4
IMPATIENCE: Final = 0.03
"""So many units against one are wanted for an attack, and every round so many fewer: who only waits grows stronger."""

BEATEN: Final = 0.7
"""With fewer units than this against one, an army retreats."""

SCOUTING: Final = 12
ATTACK: Final = 20
"""What these marches are worth; a step towards an enemy Caesar is worth 4."""


class Battlefield:
    """What a commander sees before he marches: whose units are where, who can still march, and against whom."""

    def __init__(self, seat: str, view: View, neighbours: Mapping[str, Sequence[str]]) -> None:
        self._seat, self._provinces, self._neighbours = seat, view["provinces"], neighbours
        self._odds = ODDS - IMPATIENCE * view["round"]
        self._mine: dict[str, int] = {}
        self._able: dict[str, int] = {}
        self._foes: dict[str, int] = {}
        for name, province in self._provinces.items():
            armies = {owner: sum(self._units(army)) for owner, army in province["armies"].items()}
            self._able[name] = sum(self._units(province["armies"].get(seat, {}))[:2])
            self._mine[name] = armies.pop(seat, 0)
            self._foes[name] = sum(armies.values()) + 2 * (bool(armies) and province["fortified"])
        own = {name: leader for name, leader in view["leaders"].items() if leader["owner"] == seat and leader["at"]}
        generals = {name: leader for name, leader in own.items() if leader["kind"] == "general"}
        self.leaders = {name: leader["at"] for name, leader in (generals or own).items() if leader["moves"]}
        """Where those are who can lead a legion: the generals, and when none is left the Caesar himself."""
        self._led = Counter(self.leaders.values())
        caesars = {leader["owner"]: leader["at"] for leader in view["leaders"].values() if leader["kind"] == "caesar"}
        self._home = caesars.pop(seat, None)
        reach = self._steps(self._home)
        goals = sorted(at for at in caesars.values() if at in reach)
        self._to_goal = self._steps(min(goals, key=lambda at: reach[at] + self._foes[at] / 3, default=None))
        self._to_home = reach
        # Where most units wait for a general.
        self._to_need = self._steps(max(self._mine, key=lambda at: self._mine[at] - LEGION * self._led[at]))

    @staticmethod
    def _units(army: Mapping[str, Any]) -> list[int]:
        counts = [sum(army.get(part, {}).values()) for part in ("fresh", "spent", "landed")]
        return [counts[0], army.get("tired", 0), *counts[1:]]

    def column(self, province: str) -> int:
        """Return how many units can be led away from a province; with the Caesar a fifth stays."""
        guard = max(1, self._mine[province] // 5) if province == self._home else 0
        return max(0, min(self._able[province], self._mine[province] - guard, LEGION * self._led[province]))

    def beaten(self, province: str) -> bool:
        """Tell whether an army had better retreat; it does not leave its Caesar."""
        return province != self._home and self._mine[province] < BEATEN * self._foes[province]

    def score(self, command: Command) -> float:
        """Return how good a march is; nothing up to 1 is worth it."""
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
        """Tell whether a province is there for the taking, with no enemy within two steps."""
        foreign = self._provinces[province]["owner"] != self._seat
        return foreign and not any(self._foes[near] for near in self._steps(province, 2))

    def _advance(self, origin: str, to: str) -> float:
        """Return how good it is to go on together: to attack, to come closer, or back where the enemy is stronger."""
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

    def _steps(self, goal: str | None, most: int = 99) -> dict[str, int]:
        """Return the provinces from which it is at most so many steps to `goal`, and how many."""
        found = {goal: 0} if goal else {}
        queue = deque(found)
        while queue:
            here = queue.popleft()
            for near in self._neighbours.get(here, ()) if found[here] < most else ():
                if near not in found:
                    found[near] = found[here] + 1
                    queue.append(near)
        return found
