"""Military turns in random positions: what is on offer is accepted and nothing else, and the board stays sound."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names, in_words
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Rolled
from domain.mare_nostrum.box.data import CIVILIZATIONS, PIECES
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.combat import military
from domain.mare_nostrum.combat.naval import NavalBattleEnded
from tests.helpers.building import CHANCE, MAP, RULESET, Building, arranged
from tests.helpers.campaigning import campaign
from tests.helpers.laws.mutants import mutated

STEPS = 40


def decided(here: Building, seat: Seat, command: Any, draws: int) -> Draft[Table]:
    given = RULESET.read_command(msgspec.json.encode(command))
    return RULESET.decide(here.table, seat, given, CHANCE, here.vault, draws)


def accepted(here: Building, seat: Seat, command: Any) -> bool:
    try:
        decided(here, seat, command, 0)
    except (Refusal, msgspec.ValidationError):
        return False
    return True


def schemas(here: Building, seat: Seat) -> list[Any]:
    return [option.schema for option in RULESET.options(here.table, seat, here.vault.read_by(seat))]


def guesses(here: Building, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield commands of all kinds for places and numbers at random, likely ones among them."""
    held = [area for area in MAP.lands if here.table.provinces[area].forces]
    for _ in range(12):
        area, number = rng.choice(held), rng.randint(0, 3)
        owner = rng.choice(CIVILIZATIONS)
        sea = rng.choice(MAP.seas)
        posts = [post for force in here.table.provinces[area].forces.values() for post in force.posts]
        left = rng.sample(posts, rng.randint(0, len(posts)))
        yield {"type": "march", "origin": area, "to": rng.choice(MAP.lands), "legions": number, "posts": left}
        near = MAP.land_neighbours(area) or (area,)
        yield {"type": "march", "origin": area, "to": rng.choice(near), "legions": number, "posts": left}
        yield {"type": "exploit", "province": area, "legions": number, "posts": left}
        yield {
            "type": "attack",
            "province": area,
            "opponent": owner,
            "legions": number,
            "fortresses": rng.randint(0, 1),
        }
        yield {"type": "attack-at-sea", "sea": sea, "opponent": owner, "triremes": number}
        yield {"type": "sail", "origin": sea, "to": rng.choice(MAP.seas), "triremes": number}
        yield {"type": "launch", "province": area, "sea": sea, "triremes": number}
        yield {"type": "occupy", "posts": left}
        yield {"type": "keep-posts", "posts": left}
        yield {"type": "remove-losses", "legions": number, "fortresses": rng.randint(0, 2)}
    for single in ("finish-campaign", "convert", "seduce", "refrain"):
        yield {"type": single}


def check_law(here: Building, seat: Seat, rng: Random) -> None:
    offered = schemas(here, seat)
    samples = [schema.sample(each, rng) for each in rng.sample(offered, min(len(offered), 5))]
    for command in samples:
        assert accepted(here, seat, command), command
    for command in (*(mutated(command, rng) for command in samples), *guesses(here, rng)):
        try:
            read = msgspec.to_builtins(RULESET.read_command(msgspec.json.encode(command)))
        except msgspec.ValidationError:
            continue
        assert accepted(here, seat, read) == any(schema.matches(each, read) for each in offered), command


def faults(table: Table) -> Iterator[str]:
    """Say what is wrong with a board on which somebody must choose."""
    for owner in CIVILIZATIONS:
        placed = table.on_board(owner)
        yield from (f"{owner} has {placed[piece]} {piece}" for piece in PIECES if placed[piece] > PIECES[piece])
    for area, province in table.provinces.items():
        taken = [post for force in province.forces.values() for post in force.posts]
        if len(set(taken)) != len(taken) or not {*taken} <= {*province.buildings, "influence"}:
            yield f"legions in {area} stand on {taken}"
        for owner, force in province.forces.items():
            numbers = (force.fresh, force.moved, force.fought, force.fortresses, force.spent, force.manned)
            if min(numbers) < 0 or not force.units or len(force.posts) > force.legions:
                yield f"{owner} has {force} in {area}"
            if force.posts and owner == province.owner:
                yield f"{owner} occupies {area}, which is its own"
    for sea, fleets in table.fleets.items():
        yield from (f"{sea}: {fleet}" for fleet in fleets.values() if min(fleet.fresh, fleet.moved, fleet.fought) < 0)


def play(here: Building, rng: Random, closely: bool) -> Iterator[Draft[Table]]:
    """Give random commands until the turn is over; `closely` checks the law of options before each."""
    draws = 100
    for _ in range(STEPS):
        if here.table.phase != "military":
            return
        decisions = RULESET.decisions(here.table)
        for seat in here.table.seats if closely else ():
            check_law(here, seat, rng)
        seat = rng.choice(decisions[0].seats)
        offered = schemas(here, seat)
        assert offered, f"{seat} must choose and has no option: {decisions}"
        draft = decided(here, seat, schema.sample(rng.choice(offered), rng), draws)
        draws = draft.draws
        yield draft
        here = Building(draft.table, here.seat, here.vault.joined_by(draft.secrets))


@pytest.mark.parametrize("seed", range(10))
def test_exactly_the_offered_commands_are_accepted(seed: int) -> None:
    assert list(play(campaign(seed), Random(seed), closely=True))


def test_the_board_stays_sound_and_every_event_can_be_told() -> None:
    names = Names({area.id: area.name for area in MAP.board.areas}, CIVILIZATIONS)
    for seed in range(60):
        here = campaign(seed)
        assert not list(faults(here.table))
        for draft in play(here, Random(seed), closely=False):
            if draft.table.phase == "military":
                assert not list(faults(draft.table)), draft.events
            assert all(in_words(event, names)[-1:] in ".!" for event in draft.events)


@pytest.mark.rule("MN-WAR-03")
@pytest.mark.rule("MN-LEG-05")
def test_nobody_finishes_while_units_that_must_fight_have_not() -> None:
    for seed in range(60):
        for draft in play(campaign(seed), Random(seed), closely=False):
            finished = [event for event in draft.events if type(event).__name__ == "PlayerFinished"]
            for event in finished:
                seat: Seat = event.seat  # type: ignore[attr-defined]
                if draft.table.phase == "military":
                    assert not military.unfinished(draft.table, seat)


def test_the_dice_of_a_battle_are_counted_for_players_only() -> None:
    rolled = [
        (draft.table, shown)
        for seed in range(60)
        for draft in play(campaign(seed), Random(seed), closely=False)
        for event in draft.events
        for shown in RULESET.rolled(event)
    ]
    assert rolled
    assert all(isinstance(shown, Rolled) and shown.faces and {*shown.faces} <= {*"123456"} for _, shown in rolled)
    assert all(shown.seat is None or shown.seat in table.seats for table, shown in rolled)
    assert any(shown.seat is None for _, shown in rolled)


def test_the_order_of_keys_in_an_event_makes_no_difference() -> None:
    given = {
        "seats": ("rome", "carthage", "greece"),
        "phase": "military",
        "fleets": {"ionian-sea": {"rome": 2, "greece": 2}},
    }
    tables = [arranged(given, Seat("rome")).table for _ in range(2)]
    for table, order in zip(tables, (("rome", "greece"), ("greece", "rome")), strict=True):
        NavalBattleEnded(AreaId("ionian-sea"), {Seat(seat): 1 for seat in order}).apply(table)
    assert tables[0].snapshot() == tables[1].snapshot()
