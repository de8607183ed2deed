"""The bot for both games of Italia."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from domain.kernel.rules import schema
from service.bots.bot import GREEDY, Board, Command, Options, View

SAMPLES: Final = 24
"""How many ways to do something are weighed against each other."""
COST: Final[Mapping[str, float]] = {
    "infantry": 4,
    "roman-foederati": 3,
    "legion": 5,
    "consular-legion": 6.5,
    "knight": 6.5,
    "elephant": 5.5,
    "fleet": 2,
}
"""What a unit is worth."""
ODDS: Final = 2.0
"""So many units against one are wanted for an attack."""
AREA: Final = 0.6
"""What an area is worth besides its points: its income."""
FADING: Final = 0.6
"""What a point is worth one scoring round later, or one area farther away."""
NEVER: Final = -99.0


class GreedyHegemon:
    """Goes for what its nations' cards score next, attacks what it outnumbers, and submits rather than dies."""

    def __init__(self, rng: random.Random, board: Board) -> None:
        self._rng = rng
        areas = board.get("areas", ())
        self._traits = {area["id"]: area["traits"] for area in areas if area["kind"] == "land"}
        self._coasts = {
            area["id"]: {sea for coast in area["coasts"] for sea in coast["seas"]} for area in areas if area["coasts"]
        }
        self._near: dict[str, set[str]] = {area["id"]: set() for area in areas}
        for border in board["borders"]:
            one, other = border["between"]
            self._near[one].add(other)
            self._near[other].add(one)
        self._cards = {card["id"]: card for card in board["documents"]["cards"]["nations"]}
        self._worths: dict[tuple[str, int], Mapping[str, float]] = {}
        self._pulls: dict[tuple[str, str], float] = {}

    def choose(self, seat: str, view: View, options: Options) -> Command:
        """Return a command that answers a decision for which the seat is asked."""
        self._pulls.clear()
        asked = [option for option in options if option.get("decision") and option["command"] != "undo"]
        tries = max(2, SAMPLES // len(asked))
        commands = [schema.sample(option["schema"], self._rng) for option in asked for _ in range(tries)]
        return max(commands, key=lambda command: (self._worth(view, command), self._rng.random()))

    def _worth(self, view: View, command: Command) -> float:
        """Return what a command is worth, next to others of the same moment; what ends something is worth nothing."""
        nation = command.get("nation") or _acting(view)
        match command:
            case {"type": "buy"}:
                cities = sum(len(command.get(name, ())) for name in ("cities", "rough_cities"))
                return 3 * cities + _cost({kind.replace("_", "-"): number for kind, number in command.items()})
            case {"type": "spend-tribute" | "levy-units" | "place-successors" | "convert" | "make-move" | "revolt"}:
                return 1.0 + command.get("number", 0)
            case {"type": "place", "area": area, "number": number}:
                return self._stationed(view, nation, area, number) + number / 4
            case {"type": "arrive"}:
                units = sum(command.get("units", {}).values()) + command.get("fleets", 0)
                return self._stationed(view, nation, command.get("to", ""), units) + units / 2 + 0.1
            case {"type": "remove-excess" | "drive-off"}:
                return -_cost(command.get("units", {command.get("kind", ""): 1}))
            case {"type": "declare-capital"}:
                has_one = view["nations"][nation]["capital"] is not None
                return NEVER if has_one else _size(view["armies"].get(command.get("area"), {}).get(nation, {})) - 3.5
            case {"type": "move" | "land", "to": to}:
                return self._moved(view, nation, command.get("origin"), to, command)
            case {"type": "embark", "origin": origin, "fleet": fleet}:
                sea = view["fleets"][fleet]["sea"]
                shores = max((self._pull(view, nation, area) for area in self._shores(sea)), default=0)
                units = sum(command.get("units", {}).values())
                return shores / 3 - self._left(view, nation, origin, units) if units else -0.5
            case {"type": "sail", "fleet": fleet, "to": to}:
                ship = view["fleets"][fleet]
                here, there = (
                    max((self._pull(view, nation, area) for area in self._shores(sea)), default=0)
                    for sea in (ship["sea"], to)
                )
                return there - here - 0.1 if ship.get("cargo") else -0.1
            case {"type": "disband" | "abandon"}:
                return -20
            case {"type": "take-spoils", "gain": gain}:
                return 3 if gain == "points" else 1 - self._city(view, view["spoils"][0]["nation"])
            case {"type": "rebuild", "area": area}:
                return self._city(view, nation) - 0.5 if self._units(view, area, nation) > 1 else NEVER
            case {"type": "fight", "place": place, "enemy": enemy}:
                own, foe = self._units(view, place, nation), self._units(view, place, enemy)
                return own - foe - (0.5 if command.get("raid") and own >= ODDS * foe else 0) + 5
            case {"type": "retreat", "to": to}:
                return self._pull(view, nation, to) / 5 + (1 - 2 * self._odds(view, nation))
            case {"type": "sail-away"}:
                return 1 - 2 * self._odds(view, nation)
            case {"type": "declare-naval-battle", "sea": sea, "enemy": enemy}:
                fleets = Counter(ship["nation"] for ship in view["fleets"].values() if ship["sea"] == sea)
                return fleets[nation] - ODDS * fleets[enemy] + 0.5
            case {"type": "sink-fleets", "fleets": fleets}:
                return -sum(_size(view["fleets"][fleet].get("cargo", {})) for fleet in fleets)
            case {"type": "save-cargo"}:
                return 1.0
            case {"type": "march"}:
                return 1 if self._has_goals(view, nation) else -1
            case {"type": "announce-raid"}:
                return self._raided(view, nation)
            case {"type": "block"}:
                return -1
            case {"type": "react"}:
                return self._reacted(view, nation, command)
            case {"type": "submit"}:
                return 0.5 - self._odds(view, view["battle"]["defender"])
            case {"type": "leave", "units": units}:
                return sum(units.values()) if view["turn"] and view["turn"]["stages"][0] == "exits" else -_cost(units)
            case {"type": "take-title"}:
                return 1
            case {"type": "gather"}:
                return -0.5
            case _:
                return 0

    # --- what is good ---

    def _areas(self, view: View, nation: str) -> Mapping[str, float]:
        """Return what areas bring a nation in its next scoring rounds, nearer ones counting more."""
        key = nation, view["round"]
        if key not in self._worths:
            worths: Counter[str] = Counter()
            card = self._cards[nation]
            rounds = sorted({each["round"] for each in card.get("scoring", ()) if "round" in each})
            coming = [number for number in rounds if number >= view["round"]]
            for each in card.get("scoring", ()):
                if each.get("round") not in coming:
                    continue
                weight = each["halves"] / 2 * FADING ** coming.index(each["round"])
                areas = list(self._meant(each))
                share = weight / len(areas) if each["kind"] == "region" and areas else weight
                for area in areas:
                    worths[area] += share * (0.5 if "city" in each["kind"] else 1)
            usual = {
                name
                for special in card.get("specials", ())
                if special["kind"] == "entry-areas"
                for name in special["areas"]
            }
            self._worths[key] = {
                area: NEVER / 20 if _is_entry(traits) and area not in usual else AREA + worths[area]
                for area, traits in self._traits.items()
            }
        return self._worths[key]

    def _meant(self, entry: Mapping[str, Any]) -> Iterator[str]:
        """Yield the areas that an entry of a card names, with those of its regions."""
        at = entry.get("at") or {}
        regions = {*at.get("regions", ()), entry.get("region", "")}
        for area, traits in self._traits.items():
            if area in at.get("areas", ()) or not regions.isdisjoint(traits.get("region", ())):
                yield area

    def _city(self, view: View, nation: str) -> float:
        """Return what cities bring a nation: 0 when its card says nothing of them, otherwise 2."""
        scoring = self._cards[nation].get("scoring", ())
        return 2 * any("city" in each["kind"] and each["round"] >= view["round"] for each in scoring)

    def _raided(self, view: View, nation: str) -> float:
        return 1 if any(each["kind"] == "sack" for each in self._cards[nation].get("scoring", ())) else -1

    def _pull(self, view: View, nation: str, area: str) -> float:
        """Return how near an area is to what a nation wants; an area that it wants itself is nearest."""
        if (nation, area) in self._pulls:
            return self._pulls[nation, area]
        worths = self._areas(view, nation)
        pull, seen, edge = 0.0, {area}, {area}
        for distance in range(4):
            wanted = (worths[each] for each in edge if each in worths and not self._units(view, each, nation))
            pull = max(pull, max(wanted, default=0) * FADING**distance)
            edge = {near for each in edge for near in self._near.get(each, ())} - seen
            seen |= edge
        self._pulls[nation, area] = pull
        return pull

    def _stationed(self, view: View, nation: str, area: str, number: int) -> float:
        """Return what it is worth to put units somewhere."""
        if area not in self._traits:
            return self._pull(view, nation, area) / 4
        alone = 0 if self._units(view, area, nation) else 1
        threat = sum(self._foes(view, near, nation) > 0 for near in self._near[area])
        crowd = max(0, self._units(view, area, nation) + number - self._limit(area))
        return self._areas(view, nation)[area] * alone + threat / 4 + self._pull(view, nation, area) / 4 - 2 * crowd

    def _moved(self, view: View, nation: str, origin: str | None, to: str, command: Command) -> float:
        """Return what a move is worth: areas taken and kept, enemies who are outnumbered, a way towards goals."""
        number = sum(command.get("units", {}).values())
        if not number or to not in self._traits:
            return -0.2
        own, foes = self._units(view, to, nation) + number, self._foes(view, to, nation)
        worth = self._areas(view, nation)[to]
        lost = self._left(view, nation, origin, number)
        crowd = 1.5 * max(0, own - self._limit(to) - (2 if foes else 0))
        if foes:
            ready = sum(max(0, self._units(view, near, nation) - 1) for near in self._near[to] if near != origin)
            if own + ready < ODDS * foes:
                return -1
            enough = own >= ODDS * foes
            return worth + foes / 2 + (1 if enough else 0) - lost - crowd - own / 20
        if not self._units(view, to, nation):
            return worth + self._pull(view, nation, to) / 10 - lost - crowd - (number - 1) / 20
        here = self._pull(view, nation, origin) if origin else 0
        return (self._pull(view, nation, to) - here) / 3 * number - lost - crowd - 0.05

    def _left(self, view: View, nation: str, origin: str | None, number: int) -> float:
        """Return what is lost when so many units leave an area."""
        if origin is None or origin not in self._traits or self._units(view, origin, nation) > number:
            return 0
        return self._areas(view, nation)[origin] + (view["cities"].get(origin, {}).get("standing", True)) * (
            0.8 * (origin in view["cities"])
        )

    def _has_goals(self, view: View, nation: str) -> bool:
        """Tell whether a campaign's leader has somewhere to go."""
        leader = (view["campaign"] or {}).get("leader")
        at = next(
            (area for area, armies in view["armies"].items() if leader in armies.get(nation, {}).get("leaders", ())),
            None,
        )
        if at is None:
            return False
        force = self._units(view, at, nation)
        return force > 1 and any(
            self._areas(view, nation).get(near, -1) > 0
            and not self._units(view, near, nation)
            and force - 1 >= ODDS * self._foes(view, near, nation)
            for near in self._near[at]
        )

    def _reacted(self, view: View, nation: str, command: Command) -> float:
        """Join a battle when that evens the odds; otherwise stay."""
        if not command.get("into_battle"):
            return -1
        to, campaign = command["to"], view["campaign"]
        joined = self._units(view, to, nation) + sum(command.get("units", {}).values())
        attackers = self._units(view, to, campaign["nation"])
        evens = self._units(view, to, nation) < attackers <= 1.25 * joined
        return joined / 4 if evens else -1

    def _odds(self, view: View, nation: str) -> float:
        """Return how likely a side is to win the battle under way; no battle is half lost."""
        battle = view["battle"]
        if battle is None:
            return 0.5
        sides = (battle["attacker"], battle["defender"])
        if battle["naval"]:
            counts = Counter(ship["nation"] for ship in view["fleets"].values() if ship["sea"] == battle["place"])
        else:
            counts = Counter({side: self._units(view, battle["place"], side) for side in sides})
        own, foe = counts[nation], sum(counts[side] for side in sides if side != nation)
        return 0.9 if own >= 0.7 * foe else 0.1

    # --- what is where ---

    @staticmethod
    def _units(view: View, area: str, nation: str) -> int:
        return _size(view["armies"].get(area, {}).get(nation, {}))

    @staticmethod
    def _foes(view: View, area: str, nation: str) -> int:
        """Return how many units an attack would meet: those of nations that are not allied."""
        overlord = view["nations"][nation]["overlord"]
        return sum(
            _size(army)
            for other, army in view["armies"].get(area, {}).items()
            if other not in (nation, overlord) and view["nations"][other]["overlord"] != nation
        )

    def _limit(self, area: str) -> int:
        return 3 if self._traits[area].get("terrain") == ["normal"] else 2

    def _shores(self, sea: str) -> Iterator[str]:
        return (area for area, seas in self._coasts.items() if sea in seas)


def _acting(view: View) -> str:
    """Return the nation whose turn it is; in a part of a round without turns, one that is asked says so itself."""
    return (view["turn"] or {}).get("nation", "")


def _size(army: Mapping[str, Any]) -> int:
    return sum(army.get("units", {}).values())


def _cost(units: Mapping[str, Any]) -> float:
    return sum(COST.get(kind, 0) * number for kind, number in units.items() if kind in COST)


def _is_entry(traits: Mapping[str, Sequence[str]]) -> bool:
    return any(region.startswith("entry-") for region in traits.get("region", ()))


LEVELS: Final = {GREEDY: GreedyHegemon}
