"""Construction turns: what is on offer is accepted, lists are bought whole, and nothing of one's own is razed."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.record import Cause
from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box.data import BANK, CARDS, GOODS
from domain.mare_nostrum.box.hands import hand_of
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.economy import construction, influence
from domain.mare_nostrum.heroes import acquisition, exchange
from tests.helpers.building import BOARD, CHANCE, MAP, RULESET, Building, arranged, position
from tests.helpers.laws.mutants import mutated

COMMANDS = (*construction.COMMANDS, *influence.COMMANDS, *acquisition.COMMANDS, *exchange.COMMANDS)


def accepted(here: Building, command: Any) -> bool:
    try:
        here.decide(command)
    except (Refusal, msgspec.ValidationError):
        return False
    return True


def every_purchase(here: Building, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield purchases of everything everywhere, each paid in a few ways, among them whatever may be right."""
    cards = hand_of(here.table, here.seat, here.vault)
    kinds = [good for good in GOODS if cards.get(good)]
    ways = [["tax"] * price for price in (0, 2, 3, 5, 6, 9, 12)]
    ways += [rng.sample(kinds, price) for price in (2, 3, 5, 6, 9, 12) if price <= len(kinds)]
    for area in (*MAP.lands, *MAP.seas):
        for item in ("city", "market", "temple", "fortress", "legion", "trireme"):
            yield {"type": "build", "item": item, "province": area, "pay": rng.choice(ways)}
        for good in GOODS:
            yield {"type": "build-caravan", "province": area, "good": good, "pay": rng.choice(ways)}
        yield {"type": "place-influence", "province": area, "pay": rng.choice(ways[1:])}
        yield {"type": "place-influence", "province": area, "free": True}
    for card in CARDS:
        yield {"type": "acquire", "card": card, "pay": rng.choice(ways)}
    for give, take in combinations(BANK, 2):
        yield {"type": "exchange", "give": give, "take": take}
        yield {"type": "exchange", "give": take, "take": give}


@pytest.mark.parametrize("seed", range(24))
def test_exactly_the_offered_purchases_are_accepted(seed: int) -> None:
    rng, here = Random(seed), position(seed, cards=seed)
    schemas = [option.schema for option in here.options()]
    samples = [schema.sample(each, rng) for each in schemas for _ in range(2)]
    assert all(accepted(here, command) for command in samples)
    for command in (*(mutated(command, rng) for command in samples * 3), *every_purchase(here, rng)):
        try:
            read = msgspec.to_builtins(RULESET.read_command(msgspec.json.encode(command)))
        except msgspec.ValidationError:
            continue
        assert accepted(here, read) == any(schema.matches(each, read) for each in schemas), command


@pytest.mark.rule("MN-BLD-14")
@pytest.mark.parametrize("seed", range(12))
def test_no_purchase_takes_anything_of_ones_own_off_the_board(seed: int) -> None:
    here = position(seed, cards=30)
    assert {command.__name__ for command in RULESET.commands if "build" in command.answers} == {
        command.__name__ for command in COMMANDS
    }
    before = own(here.table, here.seat)
    for option in here.options():
        after = own(here.decide(schema.sample(option.schema, Random(seed))).table, here.seat)
        assert not before - after, option.title


def own(table: Table, seat: Seat) -> Counter[str]:
    """Count a player's pieces by kind, and each building in his provinces."""
    standing = (
        f"{building} in {area}"
        for area, province in table.provinces.items()
        if province.owner == seat
        for building in province.buildings
    )
    return Counter(standing) + Counter(map(str, Counter(table.on_board(seat)).elements()))


def test_a_purchase_hides_nothing_and_rolls_nothing_so_that_it_can_be_taken_back() -> None:
    for seed in range(12):
        here = position(seed, cards=30)
        for option in here.options():
            if option.command != "finish-construction":
                draft = here.decide(schema.sample(option.schema, Random(seed)))
                assert not draft.secrets
                assert not draft.draws
                assert not any(event.reveals for event in draft.events)


@pytest.mark.rule("MN-CMB-04")
def test_a_list_of_purchases_is_bought_whole_or_not_at_all() -> None:
    given = {
        "seats": ("rome", "carthage", "greece"),
        "active": "greece",
        "hands": {"greece": {"tax": 7, "grain": 1, "gold": 1, "oil": 1}},
    }
    here = arranged(given, Seat("greece"))
    legion = {"type": "build", "item": "legion", "province": "athens", "pay": ["tax"] * 3}
    trireme = {"type": "build", "item": "trireme", "province": "athens", "pay": ["grain", "gold", "oil"]}
    step = bought(here, legion, legion, trireme)
    table: Any = step.game.table
    assert table.hands["greece"].count == 1
    assert table.provinces["athens"].forces["greece"].fresh == 2
    assert len(step.records) == 3
    before = here.table.digest()
    for commands in ((legion, trireme, legion, legion), (legion, trireme, trireme)):
        with pytest.raises(Refusal, match="MN-CMB-04"):
            bought(here, *commands)
        assert here.table.digest() == before


def game_of(here: Building) -> Game:
    return Game(
        id=GameId("game"),
        ruleset=RULESET,
        board=BOARD,
        setup=here.table.setup,
        first_organizer=PlayerId("organizer"),
        organizer_sees="spectator",
        began_with=RULESET.version,
        commitment="",
        players=dict.fromkeys(here.table.seats),
        status="running",
        table=here.table,
        head=bytes(32),
    )


def bought(here: Building, *commands: Any) -> Decided:
    read = [RULESET.read_command(msgspec.json.encode(command)) for command in commands]
    return game_of(here).command(here.seat, read, CHANCE, here.vault, Cause(), at="")
