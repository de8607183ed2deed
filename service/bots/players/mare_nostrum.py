"""The bot for Mare Nostrum."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from domain.kernel.rules import schema
from service.bots.bot import GREEDY, Board, Command, Options, View
from service.bots.thinker import Guide, Outlook

SAMPLES: Final = 12
"""How many commands are compared for a decision."""
FORTRESS: Final = 2
"""The legions that a fortress counts for in battle."""

CARD: Final = 15.0
TAX: Final = 12.0
GOOD: Final = 8.0
UNIT: Final = 0.7
"""What counts in `standings`: a hero or wonder; a tax or a good each turn; a legion, fortress or trireme."""


class GreedyMerchant(Guide):
    """Takes cards that it lacks, buys the dearest it can, heroes and wonders first, and attacks when clearly stronger.

    It chooses everything else at random.
    """

    LAST: Final = frozenset({"finish-founding", "finish-construction", "finish-campaign", "undo"})
    """Taken when there is nothing else to do, or nothing worth it."""

    def __init__(self, rng: random.Random, board: Board) -> None:
        self._rng = rng

    def choose(self, seat: str, view: View, options: Options) -> Command:
        """Return a command that answers a decision for which the seat is asked."""
        answers = [option for option in options if option.get("decision") and option["command"] != "undo"]
        commands = [self._sample(option) for option in answers for _ in range(max(1, SAMPLES // len(answers)))]
        best = max(commands, key=lambda command: (self._worth(seat, view, command), self._rng.random()))
        if self._worth(seat, view, best) < 0:
            return next((command for command in commands if command["type"] in self.LAST), best)
        return best

    def _sample(self, option: Mapping[str, Any]) -> Command:
        return schema.sample(option["schema"], self._rng)

    def _worth(self, seat: str, view: View, command: Command) -> float:
        """Return what a command is worth, compared with others that are possible now; below 0 for a bad one."""
        hand: Mapping[str, int] = view["seats"][seat]["hand"] or {}
        match command:
            case {"type": "choose-hero"}:
                return 20
            case {"type": "found", "item": "influence" | "city"} | {"type": "found-caravan"}:
                return 2
            case {"type": "acquire", "pay": pay}:
                return 20 + len(pay)
            case {"type": "place-influence", "free": True}:
                return 10
            case {"type": "build" | "build-caravan" | "place-influence", "pay": pay}:
                return len(pay) - self._rarity(hand, pay)
            case {"type": "take" | "take-instead", "card": card}:
                return 1 / (1 + hand.get(card, 0))
            case {"type": "offer", "cards": cards}:
                return sum(hand[card] > cards[card] for card in cards) - sum(
                    hand[card] == cards[card] for card in cards
                )
            case {"type": "keep", "cards": cards}:
                return sum(cards.values())
            case {"type": "give-card", "card": card}:
                return hand.get(card, 0)
            case {"type": "name-builder" | "name-commander", "seat": player}:
                return player == seat
            case {"type": "march" | "attack" | "exploit"}:
                return self._onslaught(seat, view, command)
            case {"type": "exchange" | "attack-at-sea"}:
                return -1
            case _:
                return -0.5 if command["type"] in self.LAST else 0

    def standings(self, view: View) -> Mapping[str, float]:
        """Return what each seat has: heroes and wonders, its income, cards, and a little for what fights.

        The weights come from 400 games between greedy bots: with about these, their positions told best who won.
        """
        income = self._incomes(view)
        return {
            seat: CARD * len(each["cards"])
            + income[seat]
            + UNIT * each["totals"]["military-leader"]
            + self._purse(seat, view, each)
            for seat, each in view["seats"].items()
        }

    @staticmethod
    def _incomes(view: View) -> Mapping[str, float]:
        """Return what each seat's cities and caravans are worth, doubled by temples and markets."""
        incomes: dict[str, float] = defaultdict(float)
        for province in view["provinces"].values():
            if province["city"]:
                seat = _holder(province, "city")
                incomes[seat] += TAX * (1 + (province["temple"] and _holder(province, "temple") == seat))
            for good in province["caravans"]:
                seat = _holder(province, good)
                incomes[seat] += GOOD * (1 + (province["market"] and _holder(province, "market") == seat))
        return incomes

    @staticmethod
    def _purse(seat: str, view: View, standing: Mapping[str, Any]) -> float:
        """Return what a hand is worth: different cards most, and little when the turn to spend it has come."""
        waits = view["phase"] == "construction" and seat not in (*view["done"], view["active"])
        if not waits and view["phase"] not in ("roles", "income", "trade"):
            return 0.1 * standing["count"]
        hand = standing["hand"]
        return 1.2 * standing["count"] if hand is None else 0.6 * standing["count"] + 1.2 * len(hand)

    @staticmethod
    def _rarity(hand: Mapping[str, int], pay: Sequence[str]) -> float:
        """Return how rare the paid cards are in hand, below 1: it pays first with cards of which it has many."""
        return sum(1 / hand[card] for card in pay if hand.get(card)) / (len(pay) + 1)

    @staticmethod
    def _onslaught(seat: str, view: View, command: Command) -> float:
        """Return by how many the legions sent to a province exceed twice its defence; -1 where there is no enemy."""
        province = view["provinces"][command.get("to", command.get("province"))]
        others = [force for owner, force in province["forces"].items() if owner != seat]
        defence = sum(_legions(force) + FORTRESS * force.get("fortresses", 0) for force in others)
        if province["owner"] in (None, seat) and not others:
            return -1
        return command.get("legions", 0) - 2 * defence


def _legions(force: Mapping[str, int]) -> int:
    return sum(force.get(status, 0) for status in ("fresh", "moved", "fought"))


def _holder(province: Mapping[str, Any], post: str) -> str:
    """Return the seat that a building works for: its occupier, or else the owner of the province."""
    occupiers = (seat for seat, force in province["forces"].items() if post in force["posts"])
    return next(occupiers, province["owner"])


OUTLOOK: Final = Outlook(GreedyMerchant, commands=10, margin=0.005)
LEVELS: Final = {GREEDY: GreedyMerchant}
