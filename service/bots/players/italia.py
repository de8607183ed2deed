"""The bot for both games of Italia."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from domain.kernel.rules import schema
from service.bots import candidates
from service.bots.bot import GREEDY, Board, Command, Options, View
from service.bots.thinker import Guide, Outlook

SAMPLES: Final = 24
"""How many commands are compared for a decision, beside those of movement."""
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
"""The units against one unit that a bot wants for an attack."""
AREA: Final = 0.6
"""What an area is worth besides its points: its income."""
SPOILS: Final = 0.5
"""What a city that can be sacked is worth besides its points: its gold, or that an enemy loses it."""
STEP: Final = 0.05
"""What a move must be worth to be made."""
STEPS: Final = frozenset({"move", "land", "embark", "gather"})
"""Commands of movement. The bot compares all that `candidates` makes; of other commands, it compares samples."""
FADING: Final = 0.6
"""What a point is worth one scoring round later, or one area farther away."""
NEVER: Final = -99.0


class GreedyHegemon(Guide):
    """Goes for what its nations' cards score next, attacks what it outnumbers, and submits rather than dies."""

    def __init__(self, rng: random.Random, board: Board, samples: int = SAMPLES) -> None:
        self._rng = rng
        self._samples = samples
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
        self._values: dict[tuple[Any, ...], float] = {}

    def choose(self, seat: str, view: View, options: Options) -> Command:
        """Return a command that answers a decision for which the seat is asked."""
        self._pulls.clear()
        self._values.clear()
        answers = [option for option in options if option.get("decision") and option["command"] != "undo"]
        tries = max(2, self._samples // len(answers))
        commands: list[tuple[Command, dict[str, Any] | None]] = []
        for option in answers:
            if option["command"] in STEPS:
                commands += [(command, option["schema"]) for command in candidates.commands(option["schema"], COST)]
            else:
                commands += [(schema.sample(option["schema"], self._rng), None) for _ in range(tries)]
        worths = [(self._worth(view, command), self._rng.random()) for command, _ in commands]
        ranked = sorted(range(len(commands)), key=worths.__getitem__, reverse=True)
        fitting = (commands[each] for each in ranked)
        return next(command for command, form in fitting if form is None or schema.matches(form, command))

    def _worth(self, view: View, command: Command) -> float:
        """Return what a command is worth, compared with others that are possible now; 0 for one that ends something."""
        nation = command.get("nation") or _acting(view)
        match command:
            case {"type": "buy"}:
                cities = sum(len(command.get(name, ())) for name in ("cities", "rough_cities"))
                units = {kind.replace("_", "-"): number for kind, number in command.items() if kind != "type"}
                return 3 * cities + _cost(units) - 5 * self._unplaced(view, units)
            case {"type": "spend-tribute" | "levy-units" | "place-successors" | "convert" | "revolt"}:
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
            case {"type": "gather", "origin": origin}:
                plan = self._plan(view, nation)
                return self._moved(view, nation, origin, plan["waits_in"], command)
            case {"type": "move" | "land", "to": to}:
                return self._moved(view, nation, command.get("origin"), to, command)
            case {"type": "embark", "origin": origin, "fleet": fleet}:
                sea = view["fleets"][fleet]["sea"]
                units, leaders = command.get("units", {}), command.get("leaders", ())
                return 0.6 * self._landed(view, nation, sea, units) + self._change_by_leaving(
                    view, nation, origin, units, leaders
                )
            case {"type": "sail", "fleet": fleet, "to": to}:
                ship = view["fleets"][fleet]
                units = ship.get("cargo", {}).get("units", {})
                there, here = (self._landed(view, nation, sea, units) for sea in (to, ship["sea"]))
                return there - here - STEP
            case {"type": "disband" | "abandon"}:
                return -20
            case {"type": "take-spoils", "gain": gain}:
                spoil = view["spoils"][0]
                return 3 if gain == "points" else 1 - self._city(view, spoil["nation"], spoil["area"])
            case {"type": "rebuild", "area": area}:
                unit = COST.get(command["kind"], 0) / 4
                return self._city(view, nation, area) - unit if self._units(view, area, nation) > 1 else NEVER
            case {"type": "fight", "place": place, "enemy": enemy}:
                own, foe = self._units(view, place, nation), self._units(view, place, enemy)
                raids = self._raided(view, nation, place) or own < foe
                return own - foe + 5 + (raids == command.get("raid", False)) / 2
            case {"type": "retreat", "to": to}:
                number = sum(command.get("units", {}).values())
                return self._pull(view, nation, to) / 5 + (1 - 2 * self._odds(view, nation)) + number / 20
            case {"type": "sail-away"}:
                return 1 - 2 * self._odds(view, nation)
            case {"type": "declare-naval-battle", "sea": sea, "enemy": enemy}:
                fleets = Counter(ship["nation"] for ship in view["fleets"].values() if ship["sea"] == sea)
                return fleets[nation] - ODDS * fleets[enemy] + 0.5
            case {"type": "sink-fleets", "fleets": fleets}:
                return -sum(_size(view["fleets"][fleet].get("cargo", {})) for fleet in fleets)
            case {"type": "save-cargo"}:
                return 1.0
            case {"type": "march" | "make-move"}:
                return self._campaigned(view, nation)
            case {"type": "announce-raid"}:
                return 1 if self._raided(view, nation, command["area"]) else -1
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

    def standings(self, view: View) -> Mapping[str, float]:
        """Return the points of each seat, with what its areas will score, and some for its units and gold."""
        worth: dict[str, float] = dict.fromkeys(view["seats"], 0.0)
        for each in view["nations"].values():
            worth[each["seat"]] += (each["points"] + each["shared"] / 2) / 2 + 0.15 * each["gold"]
        for area, armies in view["armies"].items():
            for nation, army in armies.items():
                seat = view["nations"][nation]["seat"]
                worth[seat] += _cost(army.get("units", {})) / 12 + 0.5 * len(army.get("leaders", ()))
                if len(armies) == 1 and army.get("units") and area in self._traits:
                    worth[seat] += max(0.0, self._areas(view, nation)[area])
        return worth

    # --- what things are worth ---

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
                areas = list(self._areas_of(each))
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

    def _areas_of(self, entry: Mapping[str, Any]) -> Iterator[str]:
        """Yield the areas that an entry of a card names, with those of its regions."""
        at = entry.get("at") or {}
        regions = {*at.get("regions", ()), entry.get("region", "")}
        for area, traits in self._traits.items():
            if area in at.get("areas", ()) or not regions.isdisjoint(traits.get("region", ())):
                yield area

    def _city(self, view: View, nation: str, area: str) -> float:
        """Return what a city somewhere brings a nation: the points of its card, and some income."""
        points = [
            each["halves"] / 2
            for each in self._cards[nation].get("scoring", ())
            if "city" in each["kind"] and each["round"] >= view["round"] and self._covers(each, area)
        ]
        return max(points, default=0) + (10 - view["round"]) / 10

    def _covers(self, entry: Mapping[str, Any], area: str) -> bool:
        return not entry.get("at") or area in set(self._areas_of(entry))

    def _prize(self, view: View, nation: str, area: str) -> float:
        """Return what taking an area brings at once: by its city, and by the enemies there."""
        now, lines = view["round"], self._cards[nation].get("scoring", ())
        scored = [
            each for each in lines if each.get("rounds", (now, now))[0] <= now <= each.get("rounds", (now, now))[1]
        ]
        city, prize = view["cities"].get(area), 0.0
        if city is not None and city.get("standing", True) and city.get("owner") != view["nations"][nation]["seat"]:
            is_sacked = area in view["sacked"].get(nation, ())
            points = [
                each["halves"] / 2
                for each in scored
                if each["kind"] == "sack" and each.get("city", area) == area and not (each.get("first") and is_sacked)
            ]
            prize += SPOILS + max(points, default=0)
        for other, army in view["armies"].get(area, {}).items():
            if self._hostile(view, nation, other):
                kills = [each for each in scored if each["kind"] == "eliminate" and each.get("nation", other) == other]
                for kind, number in army.get("units", {}).items():
                    each = [line["halves"] / 2 for line in kills if line.get("unit", "any") in ("any", kind)]
                    prize += number * max(each, default=0.2)
                for leader in army.get("leaders", ()):
                    of = [
                        line for line in kills if line.get("unit") == "leader" and line.get("leader", leader) == leader
                    ]
                    prize += max((line["halves"] / 4 for line in of), default=0)
                pitched = [each for each in scored if each["kind"] == "pitched-battle" and other in each["against"]]
                prize += sum(line["halves"] / 4 for line in pitched if _size(army) >= line["least"])
        return prize

    def _raided(self, view: View, nation: str, area: str) -> bool:
        """Tell whether a nation still scores a raid of the city in an area."""
        is_sacked = area in view["sacked"].get(nation, ())
        return any(
            each.get("by") == "raid" and each.get("city", area) == area and not (is_sacked and each.get("first"))
            for each in self._cards[nation].get("scoring", ())
        )

    def _pull(self, view: View, nation: str, area: str) -> float:
        """Return the best prize for a nation within three steps of an area. It fades with every step."""
        if (nation, area) in self._pulls:
            return self._pulls[nation, area]
        worths = self._areas(view, nation)
        pull, reached, edge = 0.0, {area}, {area}
        for distance in range(4):
            prizes = (
                worths[each] + self._prize(view, nation, each)
                for each in edge
                if each in worths and not self._units(view, each, nation) and not self._guests(view, each, nation)
            )
            pull = max(pull, max(prizes, default=0) * FADING**distance)
            edge = {near for each in edge for near in self._near.get(each, ())} - reached
            reached |= edge
        self._pulls[nation, area] = pull
        return pull

    def _value(self, view: View, nation: str, area: str, units: Mapping[str, int], *, led: bool, coming: int) -> float:
        """Return what units in an area are worth to a nation. `coming` of them are still in an area near it."""
        number = sum(units.values())
        if not number:
            return -1.0 if led and self._foes(view, area, nation) else 0.0
        key = nation, area, tuple(sorted(units.items())), led, coming
        if key not in self._values:
            self._values[key] = self._computed_value(view, nation, area, units, led=led, coming=coming)
        return self._values[key]

    def _computed_value(
        self, view: View, nation: str, area: str, units: Mapping[str, int], *, led: bool, coming: int
    ) -> float:
        number, plan = sum(units.values()), self._plan(view, nation)
        campaign = view["campaign"] is not None and view["campaign"]["nation"] == nation
        worth = self._areas(view, nation)[area]
        exits = [each["halves"] / 2 for each in self._cards[nation]["scoring"] if each.get("area") == area]
        if worth < 0 or exits:
            waits = plan.get("waits_in") == area and not campaign
            return number * (max(exits, default=-1.5) if not waits else 0.4)
        if self._guests(view, area, nation):
            return -1.5 * number
        foes = self._foes(view, area, nation)
        limitless = led and (view["nations"][nation]["gold"] > 0 if campaign else plan.get("kind") == "campaign")
        invades = (view["turn"] or {}).get("major_invasion", False)
        most = self._limit(area) + (1 + led + invades if foes else view["nations"][nation]["capital"] == area)
        crowd = 0 if limitless else 1.5 * max(0, number - most)
        if foes:
            return self._attacked(view, nation, area, _cost(units) / 4 * (1 + led / 5), coming) - crowd
        threat = max((self._foes(view, near, nation) for near in self._near[area]), default=0)
        security = number / (number + threat / 3)
        spare = min(number - 1, 4) * self._pull(view, nation, area) / (40 if campaign and not led else 8)
        return worth * security + spare * (1 + led / 5) - crowd

    def _attacked(self, view: View, nation: str, area: str, own: float, coming: int) -> float:
        """Return what an attack is worth, with those who can still join it."""
        ready = sum(self._fresh(view, near, nation) for near in self._near[area]) - coming
        city = view["cities"].get(area, {"standing": False})
        harder = 1.4 if city.get("standing", True) else 1.2 if self._limit(area) < 3 else 1.0
        foes = harder * sum(
            _cost(army.get("units", {})) / 4 * (1 + bool(army.get("leaders")) / 5)
            for other, army in view["armies"].get(area, {}).items()
            if self._hostile(view, nation, other)
        )
        odds = (own + max(0.0, min(own, 0.6 * ready))) / max(foes, 0.5)
        chance = min(1.0, max(0.0, (odds - 0.6) / (ODDS - 0.6)))
        gain = self._areas(view, nation)[area] + self._prize(view, nation, area)
        return chance * gain - (1 - chance) * own * 0.8 - 0.1 * foes

    def _fresh(self, view: View, area: str, nation: str) -> int:
        """Return how many units could still leave an area."""
        moved = ((view["moving"] or {}).get("walks", {})).get(area, ())
        free = self._units(view, area, nation) - sum(walk["count"] for walk in moved) - 1
        return max(0, free) if not self._foes(view, area, nation) else 0

    def _stationed(self, view: View, nation: str, area: str, number: int) -> float:
        """Return what it is worth to put units somewhere."""
        if area not in self._traits:
            return self._pull(view, nation, area) / 4
        army = view["armies"].get(area, {}).get(nation, {})
        here, led = Counter(army.get("units", {})), bool(army.get("leaders"))
        after = here + Counter({"infantry": number})
        values = [self._value(view, nation, area, units, led=led, coming=0) for units in (after, here)]
        return values[0] - values[1]

    def _moved(self, view: View, nation: str, origin: str | None, to: str, command: Command) -> float:
        """Return what a move is worth: the difference that it makes in both areas."""
        units, leaders = command.get("units", {}), command.get("leaders", ())
        army = view["armies"].get(to, {}).get(nation, {})
        here, led = Counter(army.get("units", {})), bool(army.get("leaders"))
        number = sum(units.values())
        after = self._value(view, nation, to, here + Counter(units), led=led or bool(leaders), coming=number)
        before = self._value(view, nation, to, here, led=led, coming=0)
        joined = len(leaders) * min(_size(army) + number, 5) / 8
        return after - before + joined + self._change_by_leaving(view, nation, origin, units, leaders) - STEP

    def _change_by_leaving(
        self, view: View, nation: str, origin: str | None, units: Mapping[str, int], leaders: Sequence[str]
    ) -> float:
        """Return what changes in an area that units leave."""
        if origin is None:
            return 0.0
        army = view["armies"].get(origin, {}).get(nation, {})
        here, there = Counter(army.get("units", {})), set(army.get("leaders", ()))
        after = self._value(view, nation, origin, here - Counter(units), led=bool(there - set(leaders)), coming=0)
        before = self._value(view, nation, origin, here, led=bool(there), coming=0)
        return after - before - len(leaders) * min(_size(army), 5) / 8

    def _landed(self, view: View, nation: str, sea: str, units: Mapping[str, int]) -> float:
        """Return what the best landing of units aboard is worth, on the shores of a sea or of one next to it."""
        if not sum(units.values()):
            return 0.0
        seas = [sea, *(near for near in self._near[sea] if near not in self._traits)]
        landings = (
            self._moved(view, nation, None, shore, {"units": units}) * FADING ** (each != sea)
            for each in seas
            for shore in self._shores(each)
            if shore in self._traits
        )
        return max(0.0, max(landings, default=0.0))

    def _campaigned(self, view: View, nation: str) -> float:
        """Return what the best next move of a campaign is worth, with its leader and some of the units there."""
        leader = self._plan(view, nation).get("leader")
        for area, armies in view["armies"].items():
            army = armies.get(nation, {})
            if leader in army.get("leaders", ()):
                most = {kind: {"maximum": number} for kind, number in army.get("units", {}).items()}
                stacks = list(candidates.stacks(most, COST))
                moves = (
                    self._moved(view, nation, area, near, {"units": units, "leaders": [leader]})
                    for near in self._near[area]
                    if near in self._traits
                    for units in stacks
                )
                return max(moves, default=-1.0)
        aboard = (ship for ship in view["fleets"].values() if leader in ship.get("cargo", {}).get("leaders", ()))
        return max(
            (self._landed(view, nation, ship["sea"], ship["cargo"].get("units", {})) for ship in aboard), default=-1.0
        )

    def _plan(self, view: View, nation: str) -> Mapping[str, Any]:
        """Return what the card of a nation plans for this round; empty for a normal turn."""
        plans = self._cards[nation].get("plans", ())
        return next((each for each in plans if each["round"] == view["round"]), {})

    def _unplaced(self, view: View, units: Mapping[str, int]) -> int:
        """Return how many reinforcements of this round would find no counters after a purchase."""
        nation = _acting(view)
        demand = Counter[str]()
        for each in self._cards[nation].get("arrivals", ()):
            if each["round"] == view["round"] and each.get("when", "placement") == "placement":
                demand.update(each.get("units", {}))
        supply = view["nations"][nation]["supply"]
        return sum(max(0, demand[kind] + units[kind] - supply.get(kind, 0)) for kind in demand if units.get(kind))

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
        """Return how likely a side is to win the battle under way; 0.5 without a battle."""
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
    def _hostile(view: View, nation: str, other: str) -> bool:
        nations = view["nations"]
        return other not in (nation, nations[nation]["overlord"]) and nations[other]["overlord"] != nation

    def _guests(self, view: View, area: str, nation: str) -> bool:
        """Tell whether an ally has an army in an area: a nation cannot stay there."""
        return any(other != nation and not self._hostile(view, nation, other) for other in view["armies"].get(area, ()))

    def _foes(self, view: View, area: str, nation: str) -> int:
        """Return how many units an attack would meet: those of nations that are not allied."""
        armies = view["armies"].get(area, {})
        return sum(_size(army) for other, army in armies.items() if self._hostile(view, nation, other))

    def _limit(self, area: str) -> int:
        return 2 if "highland" in self._traits[area].get("terrain", ()) else 3

    def _shores(self, sea: str) -> Iterator[str]:
        return (area for area, seas in self._coasts.items() if sea in seas)


def _acting(view: View) -> str:
    """Return the nation whose turn it is; empty in a part of a round without turns, where commands name the nation."""
    return (view["turn"] or {}).get("nation", "")


def _size(army: Mapping[str, Any]) -> int:
    return sum(army.get("units", {}).values())


def _cost(units: Mapping[str, Any]) -> float:
    return sum(COST.get(kind, 0) * number for kind, number in units.items() if kind in COST)


def _is_entry(traits: Mapping[str, Sequence[str]]) -> bool:
    return any(region.startswith("entry-") for region in traits.get("region", ()))


OUTLOOK: Final = Outlook(partial(GreedyHegemon, samples=8), margin=0.003)
LEVELS: Final = {GREEDY: GreedyHegemon}
