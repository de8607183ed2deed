"""The bot for the Campaign game."""

import random
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from domain.kernel.rules import schema
from service.bots.bot import GREEDY, Board, Command, Options, View
from service.bots.thinker import Guide, Outlook

SAMPLES: Final = 40
"""How many commands are compared for a decision."""
WORTH: Final[Mapping[str, float]] = {
    "politician": 9,
    "city": 7,
    "barbarians": 8,
    "fleet": 3,
    "senator-iv": 6,
    "senator-iii": 4.5,
    "senator-ii": 3,
    "senator-i": 2,
    "vote-hail": 7,
    "vote-rome": 8,
    "vote-bread": 4,
    "vote-legions": 4,
    "vote-tax": 5,
    "merchant": 3,
    "loot": 4,
    "bribe": 4,
    "army-training": 4,
    "assassin": 2,
    "pact": 2,
    "naval-training": 1,
    "favorable-wind": 1,
    "slave-revolt": 2,
}
"""What cards are worth, by what their ids begin with."""
FUTURE: Final = 0.6
"""The weight of a point in a later season, compared with one in this season."""
EXPOSED: Final = 0.8
"""The weight of influence that no army protects."""
TO_VOTE: Final[Mapping[str, int]] = {"hail": 4, "rome": 4, "tax": 2, "bread": 2, "legions": 3}
"""The most votes that the bot gives for each prize. It calls a vote only when it has as many."""


class GreedyConsul(Guide):
    """Deploys where its influence is, garrisons it, buys influence where points are, and attacks what it outnumbers."""

    def __init__(self, rng: random.Random, board: Board, samples: int = SAMPLES) -> None:
        self._rng = rng
        self._samples = samples
        areas = board.get("areas", ())
        self._points = {area["id"]: area["key"]["vp"] for area in areas if area.get("key")}

    def choose(self, seat: str, view: View, options: Options) -> Command:
        """Return a command that answers a decision for which the seat is asked."""
        answers = [option for option in options if option.get("decision") and option["command"] != "undo"]
        tries = max(2, self._samples // len(answers))
        commands = [schema.sample(option["schema"], self._rng) for option in answers for _ in range(tries)]
        return max(commands, key=lambda command: (self._worth(seat, view, command), self._rng.random()))

    def _worth(self, seat: str, view: View, command: Command) -> float:
        """Return what a command is worth, compared with others that are possible now."""
        match command:
            case {"type": "bid", "amount": amount}:
                return 1.5 - amount / 5 + (command.get("a") == seat)
            case {"type": "deploy"}:
                return self._deployed(seat, view, command)
            case {"type": "buy-influence", "province": area}:
                number = command.get("tokens", 0) + sum(command.get("of", {}).values())
                return 6 + 1.5 * self._gain(seat, view, area, number) / number + number
            case {"type": "recruit"}:
                return self._recruited(seat, view, command)
            case {"type": "march", "to": to}:
                return self._marched(seat, view, command, to)
            case {"type": "attack"}:
                return self._attacked(seat, view, command)
            case {"type": "attack-at-sea", "sea": sea, "defender": defender, "galleys": galleys}:
                there = view["fleets"][sea][defender]
                return galleys - 1.5 * there if galleys > there else -1
            case {"type": "take-special-tax", "talents": talents}:
                poor = view["seats"][seat]["talents"] < 20
                return (4 if poor else 0.5) + talents / 50 - (view["seats"][seat]["chaos"] or 0) / 8
            case {"type": "acquire" | "build-city" | "send-army" | "send-galley" | "bribe-senator", "card": card}:
                return self._card(card)
            case {"type": "raise-slaves", "army": army}:
                return -1 if army in view["seats"][seat]["ally"] else 3
            case {"type": "use-card" | "use-assassin"}:
                return 20 if command.get("player") not in view["seats"][seat]["ally"] else -1
            case {"type": "call-vote", "card": card}:
                return 15 if self._votes(view["seats"][seat]["hand"] or {}) >= self._wanted(card) else -2
            case {"type": "lay-senators", "senators": senators}:
                laid = self._votes(senators) + self._votes(view["vote"]["laid"].get(seat, {}))
                return 5 - laid / 10 if laid <= self._wanted(view["vote"]["card"]) else -1
            case {"type": "remove-losses", "lost": losses}:
                cheap = {"card": 3, "infantry": 1.5, "cavalry": 1, "galleys": 0.6, "catapults": 0.5}
                return sum(
                    number * max(cheap.get(part, 0) for part in group.split("/")) for group, number in losses.items()
                )
            case {"type": "retreat"}:
                return self._odds(seat, view["battle"])
            case {"type": "call-galleys", "galleys": galleys}:
                return sum(galleys.values())
            case {"type": "lend"}:
                return sum(command.get(kind, 0) for kind in ("infantry", "cavalry", "catapults")) + command.get(
                    "leader", 0
                )
            case {"type": "end-turn" | "end-move" | "pass"}:
                return 0.2
            case {"type": "sail"}:
                return -0.5
            case _:
                return 0

    def standings(self, view: View) -> Mapping[str, float]:
        """Return the points of each seat, with those that its influence will bring, and some for what it has."""
        seasons = view["seasons"] - view["season"] + (view["phase"] != "season")
        stands: dict[str, float] = {}
        for seat, each in view["seats"].items():
            stands[seat] = each["points"] + 0.2 * each["talents"] - (each["chaos"] or each["shown"])
            stands[seat] += sum(self._card(card) * number for card, number in each["cards"].items())
            stands[seat] += 1.5 * each["senators"]
        for area, province in view["provinces"].items():
            for seat, points in self._scored(province["influence"], area).items():
                guarded = bool(province["armies"].get(seat, {}).get("units"))
                stands[seat] += points * (1 + FUTURE * max(0, seasons - 1)) * (1 if guarded else EXPOSED)
            for seat, army in province["armies"].items():
                if seat in stands:
                    stands[seat] += min(sum(army.get("units", {}).values()), 6) + 2 * army.get("generals", 0)
            if province["city"] in stands:
                stands[province["city"]] += 4.0 * max(1, seasons)
        return stands

    # --- what things are worth ---

    def _gain(self, seat: str, view: View, area: str, number: int) -> float:
        """Return the victory points that more influence in a province would bring each season."""
        influence = dict(view["provinces"][area]["influence"])
        before = self._scored(influence, area).get(seat, 0)
        influence[seat] = influence.get(seat, 0) + number
        return self._scored(influence, area).get(seat, 0) - before

    def _scored(self, influence: Mapping[str, int], area: str) -> dict[str, int]:
        ranks = sorted({count for count in influence.values() if count}, reverse=True)
        prizes = dict(zip(ranks, self._points.get(area, ()), strict=False))
        return {seat: prizes.get(count, 0) for seat, count in influence.items()}

    def _deployed(self, seat: str, view: View, command: Command) -> float:
        area = command["province"]
        influence = view["provinces"][area]["influence"].get(seat, 0)
        is_there = view["provinces"][area]["armies"].get(seat)
        small = command.get("infantry", 0) == 1 and not command.get("caesar") and not command.get("generals")
        if not is_there and small:
            return 5 + influence
        return influence + 3 * (command.get("caesar", 0) + command.get("generals", 0)) + command.get("infantry", 0) / 8

    @staticmethod
    def _card(card: str) -> float:
        return next((worth for name, worth in WORTH.items() if card.startswith(name)), 1)

    @staticmethod
    def _recruited(seat: str, view: View, command: Command) -> float:
        own = sum(sum(army.get("units", {}).values()) for army in _armies(view, seat))
        number = command.get("infantry", 0) + command.get("cavalry", 0) + command.get("catapults", 0)
        return min(number, 8) + 4 * min(command.get("generals", 0), 1) - own / 5 - 1

    def _marched(self, seat: str, view: View, command: Command, to: str) -> float:
        """Garrison own influence that nobody protects; bring leaders to where influence can be bought."""
        here, there = view["provinces"][command["origin"]], view["provinces"][to]
        moved = command.get("infantry", 0) + command.get("cavalry", 0) + command.get("catapults", 0)
        remaining = sum(here["armies"].get(seat, {}).get("units", {}).values()) - moved
        own = there["armies"].get(seat, {})
        worth = 0.0
        if there["influence"].get(seat) and not sum(own.get("units", {}).values()) and 1 <= moved <= 2:
            worth += 4
        if here["influence"].get(seat) and remaining < 1:
            worth -= 4
        leaders = command.get("generals", 0) + command.get("caesar", 0)
        has_leader = own.get("generals", 0) + own.get("caesar", 0)
        if leaders and to in self._points and not has_leader:
            free = there["tokens"] + sum(self._open(seat, view, to).values())
            worth += 3 * min(free, 2) + self._gain(seat, view, to, min(free, 2)) / 4 if free else 0
            worth += min(moved, 4) / 2
        enemies = [
            army
            for other, army in there["armies"].items()
            if other != seat and other not in view["seats"][seat]["ally"]
        ]
        strength = sum(sum(army.get("units", {}).values()) for army in enemies)
        return worth + 2 if strength and moved > 2 * strength else worth - strength / 4 - 0.5

    @staticmethod
    def _open(seat: str, view: View, area: str) -> dict[str, int]:
        """Return the influence of others that nobody protects."""
        province, allies = view["provinces"][area], view["seats"][seat]["ally"]
        return {
            other: number
            for other, number in province["influence"].items()
            if other != seat and other not in allies and not province["armies"].get(other, {}).get("units")
        }

    @staticmethod
    def _attacked(seat: str, view: View, command: Command) -> float:
        armies = view["provinces"][command["province"]]["armies"]
        attackers = sum(command.get(kind, 0) for kind in ("infantry", "cavalry", "catapults"))
        defence = sum(armies[command["defender"]].get("units", {}).values())
        return 3 + (attackers - 1.5 * defence) / 2 if attackers > defence else -1

    @staticmethod
    def _odds(seat: str, battle: Mapping[str, Any]) -> float:
        sides = {side["seat"]: sum(side["force"].values()) for side in (battle["attacker"], battle["defender"])}
        own = sides.pop(seat, 0)
        return 1 if own * 2 < sum(sides.values()) else -1

    @staticmethod
    def _votes(senators: Mapping[str, int]) -> int:
        values = {"senator-i": 1, "senator-ii": 2, "senator-iii": 3, "senator-iv": 4}
        return sum(values.get(card, 0) * number for card, number in senators.items())

    @staticmethod
    def _wanted(card: str) -> int:
        return TO_VOTE.get(card.removeprefix("vote-"), 3)


def _armies(view: View, seat: str) -> list[Mapping[str, Any]]:
    return [province["armies"][seat] for province in view["provinces"].values() if seat in province["armies"]]


OUTLOOK: Final = Outlook(partial(GreedyConsul, samples=8))
LEVELS: Final = {GREEDY: GreedyConsul}
