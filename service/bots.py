"""Players for demonstrations and tests. They see what any client sees: a view, and options to choose from."""

import random
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from domain.kernel import schema

View = Mapping[str, Any]
Options = Sequence[Mapping[str, Any]]
Command = dict[str, Any]


class Bot(Protocol):
    """Chooses one command for a seat that has to decide."""

    def choose(self, seat: str, view: View, options: Options) -> Command: ...


class RandomBot:
    """Takes any option, and any instance of it; says nothing unasked."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, seat: str, view: View, options: Options) -> Command:
        asked = [option for option in options if option.get("decision")]
        return schema.sample(self._rng.choice(asked)["schema"], self._rng)


class BoldClassicBot:
    """A simple commander for Conquest Classic: marches on the nearest foreign Caesar where it is the stronger.

    After `patience` rounds it agrees to acclaim whoever collects the most tribute (CC-WIN-02), so that a
    demonstration ends.
    """

    EAGER = ("attack-leaders", "fight-battle", "judge-general", "finish-combat")
    """Taken at once when offered, in this order."""
    SHY = frozenset(
        {"ask-passage", "sail", "embark", "land", "grant-standing", "propose-ransom", "ask-retreat", "undo"}
    )
    """Never used."""

    def __init__(self, rng: random.Random, borders: Iterable[Mapping[str, Any]], patience: int = 30) -> None:
        self._rng = rng
        self._patience = patience
        self._neighbours: dict[str, list[str]] = {}
        for border in borders:
            if border["kind"] in ("land", "strait"):
                one, other = border["between"]
                self._neighbours.setdefault(one, []).append(other)
                self._neighbours.setdefault(other, []).append(one)

    def choose(self, seat: str, view: View, options: Options) -> Command:
        by_command: dict[str, list[Mapping[str, Any]]] = {}
        for option in options:
            by_command.setdefault(option["command"], []).append(option)
        if acclaimed := self._acclaim(view, by_command):
            return acclaimed
        for name in self.EAGER:
            if name in by_command:
                return self._sample(by_command[name])
        if "announce" in by_command:
            return {"type": "announce", "retreat": False}
        if "finish-movement" in by_command:
            return self._march(seat, view, by_command.get("march", ()))
        if "buy" in by_command:
            return self._buy(view, by_command["buy"])
        if "finish-destruction" in by_command:
            return {"type": "finish-destruction"}
        usual = [option for option in options if option.get("decision") and option["command"] not in self.SHY]
        placing = [option for option in usual if option["command"] != "finish-turn"]
        return self._sample(placing or usual)

    def _sample(self, options: Options) -> Command:
        return schema.sample(self._rng.choice(options)["schema"], self._rng)

    def _acclaim(self, view: View, by_command: Mapping[str, Options]) -> Command | None:
        if view["round"] <= self._patience:
            return None
        richest = max(view["seats"], key=lambda seat: (view["seats"][seat]["tribute"], seat))
        for command in (
            {"type": "answer-winner", "accept": True},
            {"type": "propose-winner", "candidate": richest},
        ):
            offered = by_command.get(command["type"], ())
            if any(schema.matches(option["schema"], command) for option in offered):
                return command
        return None

    def _buy(self, view: View, options: Options) -> Command:
        def worth(command: Command) -> int:
            wanted = {"infantry": 12, "cavalry": 22, "catapults": 30, "cities": 35}
            return sum(worth * command.get(kind, 0) for kind, worth in wanted.items())

        return max((self._sample(options) for _ in range(12)), key=worth)

    def _march(self, seat: str, view: View, options: Options) -> Command:
        distance = self._distances(
            leader["at"]
            for leader in view["leaders"].values()
            if leader["kind"] == "caesar" and leader["owner"] != seat and leader.get("at")
        )
        best, chosen = 0.0, {"type": "finish-movement"}
        for option in options:
            for command in self._legions(option["schema"]["properties"]):
                score = self._score(seat, view, command, distance)
                if score > best:
                    best, chosen = score, command
        return chosen

    def _legions(self, fields: Mapping[str, Any]) -> Iterable[Command]:
        """Yield for each destination the largest legion under one general that the option allows."""
        leaders = fields["leaders"].get("items", {}).get("enum", ())
        generals = [leader for leader in leaders if "general" in leader]
        if not generals or fields["leaders"]["minItems"] > 1:
            return
        units: dict[str, int] = {}
        for kind, field in fields.get("units", {}).get("properties", {}).items():
            units[kind] = min(field.get("maximum", 0), 7 - sum(units.values()))
        units = {kind: number for kind, number in units.items() if number}
        if not units:
            return
        for to in fields["to"].get("enum", [fields["to"].get("const")]):
            origin = fields["origin"].get("const")
            yield {"type": "march", "origin": origin, "to": to, "leaders": generals[:1], "units": units}

    def _score(self, seat: str, view: View, command: Command, distance: Mapping[str, int]) -> float:
        origin, to = command["origin"], command["to"]
        force = sum(command["units"].values())
        enemies = self._enemies(seat, view, to)
        if enemies and force < 1.25 * enemies:
            return 0
        closer = distance.get(origin, 99) - distance.get(to, 99)
        gain = 0 if view["provinces"][to].get("owner") == seat else 4
        threat = max((self._enemies(seat, view, near) for near in self._neighbours.get(to, ())), default=0)
        return 3 * closer + gain + (20 if enemies else 0) - (5 if threat > force else 0) + self._rng.random()

    @staticmethod
    def _enemies(seat: str, view: View, province: str) -> int:
        armies = view["provinces"][province].get("armies", {})
        counts = [
            army.get("tired", 0) + sum(sum(army.get(part, {}).values()) for part in ("fresh", "spent", "landed"))
            for owner, army in armies.items()
            if owner != seat
        ]
        return sum(counts)

    def _distances(self, goals: Iterable[str]) -> dict[str, int]:
        found = dict.fromkeys(goals, 0)
        queue = deque(found)
        while queue:
            here = queue.popleft()
            for near in self._neighbours.get(here, ()):
                if near not in found:
                    found[near] = found[here] + 1
                    queue.append(near)
        return found
