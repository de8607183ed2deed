"""Random positions of the Construction Phase of Mare Nostrum: full boards, full hands, heroes and wonders."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

import msgspec

from domain.boards import builtin
from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, Seat
from domain.kernel.rules.board import Map
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.mare_nostrum.box.data import BANK, CARDS, CIVILIZATIONS
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.ruleset import MareNostrum

RULESET = MareNostrum()
BOARD = builtin("mare-nostrum")
MAP = Map.of(BOARD)
CHANCE = CommittedChance(bytes(32), GameId("game"), {})


class Building(NamedTuple):
    """A position in which `seat` builds."""

    table: Table
    seat: Seat
    vault: Vault

    def options(self) -> list[Option]:
        return RULESET.options(self.table, self.seat, self.vault.read_by(self.seat))

    def decide(self, command: Any) -> Draft[Table]:
        """Return what a command (JSON-shaped) comes to. Raises `Refusal`."""
        given = RULESET.read_command(msgspec.json.encode(command))
        return RULESET.decide(self.table, self.seat, given, CHANCE, self.vault)


def position(seed: int, cards: int) -> Building:
    """Return a position of mid-game in which the builder has `cards` cards; the same for the same arguments."""
    rng = Random(seed)
    seats = CIVILIZATIONS[: rng.choice((3, 4, 5))]
    seat = rng.choice(seats)
    deck = [card for card in BANK for _ in range(BANK[card])]
    given = {
        "seats": seats,
        "turn": 6,
        "active": seat,
        "hands": {seat: dict(Counter(rng.sample(deck, cards)))},
        "cards": _dealt(rng, seats),
        "provinces": _board(rng, seat),
        "fleets": {sea: {rng.choice(seats): 1} for sea in MAP.seas if rng.random() < 0.5},
        "setup": {"influence_chain_any_player": rng.random() < 0.2},
        "free_marker": rng.random() < 0.3,
        "exchanged": rng.random() < 0.3,
    }
    return arranged(given, seat)


def arranged(given: Mapping[str, Any], seat: Seat) -> Building:
    """Return a position written down as in a scenario."""
    draft = Draft(RULESET.arrange(given, BOARD), CHANCE, Vault())
    RULESET.conceal(draft, given)
    return Building(draft.table, seat, Vault(draft.secrets))


def _dealt(rng: Random, seats: tuple[Seat, ...]) -> dict[Seat, list[str]]:
    """Deal up to three heroes and wonders to everybody, so that the next one wins; not the Pyramids."""
    dealt: dict[Seat, list[str]] = {seat: [] for seat in seats}
    for card in CARDS.values():
        takers = [seat for seat in seats if len(dealt[seat]) < 3 and card.civilization in (None, seat)]
        if takers and card.power != "victory" and rng.random() < 0.6:
            dealt[rng.choice(takers)].append(card.id)
    return dealt


def _board(rng: Random, builder: str) -> dict[str, Any]:
    """Give the builder most provinces, some to everybody else, some to nobody; buildings as far as tokens go."""
    tokens = {"city": 8, "market": 8, "temple": 4, "caravan": 18}
    markers = Counter[str]()
    board: dict[str, Any] = {}
    for area in rng.sample(MAP.lands, len(MAP.lands)):
        traits, sites = MAP.area(area).traits, MAP.area(area).value("city_sites")
        owner = traits.get("capital_of", (rng.choice((builder, builder, *CIVILIZATIONS, None)),))[0]
        if owner is None or markers[owner] == 11:
            board[area] = {"legions": {rng.choice(CIVILIZATIONS): 1}} if rng.random() < 0.2 else {}
            continue
        markers[owner] += 1
        land: dict[str, Any] = {"owner": owner, "marked": rng.choice((1, 2, 6))}
        for kind in ("city", "market", "temple"):
            if tokens[kind] and rng.random() < 0.3 and (kind != "city" or sites):
                tokens[kind] -= 1
                land[kind] = True
        land["caravans"] = [good for good in traits.get("resources", ()) if rng.random() < 0.4 and tokens["caravan"]]
        tokens["caravan"] -= len(land["caravans"])
        land["fortresses"] = {owner: 1} if rng.random() < 0.3 else {}
        land["legions"] = {seat: 1 for seat in CIVILIZATIONS if rng.random() < 0.07}
        if owner != builder and rng.random() < 0.3:
            land |= {"fortresses": {}, "legions": {builder: 1}, "posts": {builder: ["influence"]}}
        board[area] = land
    return board
