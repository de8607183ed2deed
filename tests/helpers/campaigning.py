"""Random positions of the Military Phase of Mare Nostrum: fleets, wars, occupations and heroes."""

from collections import Counter
from random import Random
from typing import Any

from domain.kernel.ids import Seat
from domain.mare_nostrum.box.data import CIVILIZATIONS, PIECES
from tests.helpers.building import MAP, Building, arranged

MILITARY_HEROES = ("hannibal", "pericles", "helen-of-troy", "nebuchadnezzar")


def campaign(seed: int) -> Building:
    """Return a position in which somebody moves and fights, with most pieces on the board; the same for a seed."""
    rng = Random(seed)
    seats = CIVILIZATIONS[: rng.choice((3, 4, 5))]
    seat = rng.choice(seats)
    board = _lands(rng, seats)
    given = {
        "seats": seats,
        "turn": 4,
        "phase": "military",
        "active": seat,
        "done": rng.sample([other for other in seats if other != seat], rng.randint(0, len(seats) - 1)),
        "cards": {rng.choice(seats): [hero] for hero in MILITARY_HEROES},
        "provinces": board,
        "fleets": _seas(rng, seats),
        "owed": {
            area: sorted({owner for owner in (*land["legions"], *land["fortresses"]) if owner in seats})
            for area, land in board.items()
            if len({*land["legions"], *land["fortresses"]}) > 1 and rng.random() < 0.5
        },
    }
    return arranged(given, seat)


def _lands(rng: Random, seats: tuple[Seat, ...]) -> dict[str, Any]:
    tokens = {"city": 8, "market": 8, "temple": 4, "caravan": 18}
    stock = {owner: Counter(PIECES) for owner in CIVILIZATIONS}
    board: dict[str, Any] = {}
    for area in rng.sample(MAP.lands, len(MAP.lands)):
        traits = MAP.area(area).traits
        owner: Any = traits.get("capital_of", (rng.choice((*CIVILIZATIONS, None)),))[0]
        if owner and stock[owner]["influence"] == 1 and "capital_of" not in traits:
            owner = None  # the last marker is for the capital
        if owner:
            stock[owner]["influence"] -= 1
        land: dict[str, Any] = {"owner": owner, "legions": {}, "fortresses": {}, "ports": {}}
        for kind in ("city", "market", "temple"):
            if owner and tokens[kind] and rng.random() < 0.3:
                tokens[kind] -= 1
                land[kind] = True
        goods = traits.get("resources", ()) if owner else ()
        land["caravans"] = [good for good in goods if rng.random() < 0.5 and tokens["caravan"] > 2]
        tokens["caravan"] -= len(land["caravans"])
        for force in rng.sample(CIVILIZATIONS, rng.choice((0, 0, 1, 1, 2, 3))):
            legions = min(rng.randint(0, 3), stock[force]["legion"])
            fortresses = rng.randint(0, 1) if force == owner and stock[force]["fortress"] else 0
            if legions and (force in seats or force == owner):
                land["legions"][force] = legions
                stock[force]["legion"] -= legions
            if fortresses:
                land["fortresses"][force] = fortresses
                stock[force]["fortress"] -= fortresses
        if owner in seats and stock[owner]["trireme"] > 3 and MAP.coasts(area) and rng.random() < 0.4:
            land["ports"][owner] = 1
            stock[owner]["trireme"] -= 1
        board[area] = land | _posted(rng, land)
    return board


def _posted(rng: Random, land: dict[str, Any]) -> dict[str, Any]:
    """Let the legions of somebody alone in another's province stand on something."""
    legions = land["legions"]
    if land["owner"] is None or len(legions) != 1 or land["owner"] in (*legions, *land["fortresses"]):
        return {}
    ((occupier, number),) = legions.items()
    posts = [kind for kind in ("city", "market", "temple") if land.get(kind)] + land["caravans"] + ["influence"]
    return {"posts": {occupier: rng.sample(posts, rng.randint(0, min(number, len(posts))))}}


def _seas(rng: Random, seats: tuple[Seat, ...]) -> dict[str, dict[str, int]]:
    left = dict.fromkeys(seats, 3)
    fleets: dict[str, dict[str, int]] = {}
    for sea in MAP.seas:
        for seat in rng.sample(seats, rng.randint(0, 2)):
            if number := min(left[seat], rng.randint(0, 2)):
                left[seat] -= number
                fleets.setdefault(sea, {})[seat] = number
    return fleets
