"""Players for demonstrations and tests. They see what any client sees: a view, and options to choose from."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from domain.kernel.rules import schema
from service.bots.battlefield import LEGION, Battlefield, Command, View

Options = Sequence[Mapping[str, Any]]

MIXTURE: Final = (("catapults", 1), ("cavalry", 2), ("infantry", LEGION), ("cavalry", LEGION), ("catapults", LEGION))
"""How a legion is made up: at most so many of each, in turn. Its dice hit by matching units (CC-BAT-13)."""


class Bot(Protocol):
    """Chooses one command for a seat that has to decide."""

    def choose(self, seat: str, view: View, options: Options) -> Command: ...


class RandomBot:
    """Takes any option, and any instance of it; says nothing unasked, if it can help it."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, seat: str, view: View, options: Options) -> Command:
        asked = [option for option in options if option.get("decision")]
        others = [option for option in options if option["command"] != "undo"]
        return schema.sample(self._rng.choice(asked or others)["schema"], self._rng)


class BoldClassicBot:
    """A simple commander for Conquest Classic: gathers its armies under generals and goes for one Caesar after another.

    Scouts take the provinces that nobody guards; the rest marches together (`service.bots.battlefield` says where) and
    leaves a guard with its own Caesar. After `patience` rounds it agrees to acclaim whoever collects the most tribute
    (CC-WIN-02), so that a demonstration ends in any case.
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
    """Of several ways to do this, the one with the most of what is wanted."""

    def __init__(self, rng: random.Random, borders: Iterable[Mapping[str, Any]], patience: int = 40) -> None:
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
        battlefield = Battlefield(seat, view, self._neighbours)
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

    def _sample(self, options: Options) -> Command:
        return schema.sample(self._rng.choice(options)["schema"], self._rng)

    def _most(self, options: Options, worth: Mapping[str, int]) -> Command:
        samples = [self._sample(options) for _ in range(20)]
        return max(samples, key=lambda command: sum(worth[kind] * command.get(kind, 0) for kind in worth))

    def _acclaim(self, view: View, by_command: Mapping[str, Options]) -> Command | None:
        if view["round"] <= self._patience:
            return None
        richest = max(view["seats"], key=lambda seat: (view["seats"][seat]["tribute"], seat))
        for command in (
            {"type": "answer-winner", "accept": True},
            {"type": "propose-winner", "candidate": richest},
        ):
            if self._offered(by_command.get(command["type"], ()), command):
                return command
        return None

    @staticmethod
    def _offered(options: Options, command: Command) -> bool:
        return any(schema.matches(option["schema"], command) for option in options)

    # --- marching ---

    def _march(self, battlefield: Battlefield, options: Options) -> Command:
        best, chosen = 1.0, {"type": "finish-movement"}
        for option in options:
            for command in self._legions(battlefield, option["schema"]["properties"]):
                score = battlefield.score(command) + self._rng.random()
                if score > best:
                    best, chosen = score, command
        return chosen

    @staticmethod
    def _legions(battlefield: Battlefield, fields: Mapping[str, Any]) -> Iterable[Command]:
        """Yield, for each destination: a general alone, one with a scout, and one with all that he may lead."""
        origin = fields["origin"]["const"]
        able = [name for name in fields["leaders"].get("items", {}).get("enum", ()) if name in battlefield.leaders]
        if not able or fields["leaders"]["minItems"] > 1:
            return
        there = {kind: field["maximum"] for kind, field in fields.get("units", {}).get("properties", {}).items()}
        most = sum(there.values())
        for size in {0, min(1, most), min(LEGION, most, battlefield.column(origin))}:
            units: dict[str, int] = {}
            for kind, share in MIXTURE if size > 1 else reversed(MIXTURE):
                units[kind] = min(there.get(kind, 0), share, size - sum(units.values()) + units.get(kind, 0))
            units = {kind: number for kind, number in units.items() if number}
            for to in fields["to"].get("enum", [fields["to"].get("const")]):
                yield {"type": "march", "origin": origin, "to": to, "leaders": able[-1:], "units": units}
