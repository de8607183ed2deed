"""What a picture of a table of Mare Nostrum shows, and to whom."""

from typing import Any

from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.marks import Mark, Marks, Place, Stack
from domain.mare_nostrum.display import view
from domain.mare_nostrum.display.marks import of, printed
from tests.helpers.building import BOARD, arranged

ROME, EGYPT = Seat("rome"), Seat("egypt")
SEATS = ["rome", "egypt", "greece"]


def shown(seat: Seat | None = None, **given: Any) -> Marks:
    """Return the marks of a position as a seat, or a spectator, sees it."""
    position = arranged({"seats": SEATS, "turn": 3, "active": "rome", **given}, ROME)
    return of(view.of(position.table, position.vault.read_by(seat)))


def items(marks: Marks, seat: Seat) -> list[str]:
    return [mark.words for standing in marks.standings if standing.seat == seat for mark in standing.items]


def test_buildings_caravans_and_units() -> None:
    land = {"owner": "rome", "city": True, "caravans": ["oil"], "legions": {"rome": 2}, "fortresses": {"rome": 1}}
    marks = shown(provinces={"tarentum": land})
    assert marks.places[AreaId("tarentum")] == Place(
        ROME,
        (Mark("city", words="city"), Mark("oil", words="caravan on oil")),
        (
            Stack(
                ROME,
                (Mark("legion", 2, words="2 legions"), Mark("fortress", words="1 fortress")),
                "Rome: 2 legions and 1 fortress",
            ),
        ),
    )


def test_whose_legion_stands_on_what() -> None:
    land = {"owner": "rome", "city": True, "legions": {"egypt": 2}, "posts": {"egypt": ["city", "influence"]}}
    place = shown(provinces={"tarentum": land}).places[AreaId("tarentum")]
    assert place.owner == ROME
    assert place.sites == (
        Mark("city", seat=EGYPT, words="city, occupied by Egypt"),
        Mark("influence", seat=EGYPT, words="influence marker, occupied by Egypt"),
    )


def test_triremes_in_port_lie_on_the_coast() -> None:
    land = {"owner": "rome", "legions": {"rome": 1}, "ports": {"rome": 2}}
    stacks = shown(provinces={"tarentum": land}).places[AreaId("tarentum")].stacks
    assert [(stack.words, stack.coast) for stack in stacks] == [
        ("Rome: 1 legion", ""),
        ("Rome: 2 triremes in port", "coast"),
    ]
    assert all([coast.id for coast in area.coasts] in ([], ["coast"]) for area in BOARD.areas)


def test_a_province_at_war_and_triremes_at_sea() -> None:
    land = {"owner": "rome", "legions": {"egypt": 1, "rome": 1}}
    marks = shown(provinces={"tarentum": land}, fleets={"ionian-sea": {"greece": 2, "rome": 1}})
    assert marks.places[AreaId("tarentum")].sites == (Mark("battle-due", words="at war"),)
    fleets = marks.places[AreaId("ionian-sea")].stacks
    assert [stack.words for stack in fleets] == ["Greece: 2 triremes at sea", "Rome: 1 trireme at sea"]


def test_a_hand_is_shown_to_whoever_may_see_it() -> None:
    hands = {"rome": {"grain": 2, "tax": 1, "slaves": 1}, "egypt": {"wine": 1}}
    spectator, rome = shown(hands=hands), shown(ROME, hands=hands)
    assert not any("hand" in item for seat in (ROME, EGYPT) for item in items(spectator, seat))
    assert {"1 tax in hand", "2 grain in hand", "1 slave in hand"} <= set(items(rome, ROME))
    assert not any("hand" in item for item in items(rome, EGYPT))
    counts = {standing.seat: standing.figures.get("hand") for standing in spectator.standings}
    assert (counts[ROME], counts[EGYPT]) == (4, 1)


def test_heroes_and_wonders_are_told_apart() -> None:
    marks = shown(cards={"rome": ["julius-caesar", "colossus"]})
    assert [mark.kind for mark in marks.standings[0].items if mark.kind in ("hero", "wonder")] == ["hero", "wonder"]
    assert {"Julius Caesar", "Colossus"} <= set(items(marks, ROME))


def test_the_winner_is_not_out_and_nobody_is_to_move() -> None:
    position = arranged({"seats": SEATS, "turn": 3, "active": "rome"}, ROME)
    before, after = of(view.of(position.table, position.vault)), position.table.copy()
    after.winner = EGYPT
    standings = of(view.of(after, position.vault)).standings
    assert [each.seat for each in before.standings if each.active] == [ROME]
    assert not [each.seat for each in standings if each.active]
    assert [each.seat for each in standings if each.won] == [EGYPT]
    assert not [each.out for each in standings if each.seat in SEATS and each.out]


def test_civilizations_that_nobody_plays_stand_last() -> None:
    neutral = [standing for standing in shown(provinces={"babylon": {"owner": "babylon"}}).standings if standing.out]
    assert [standing.seat for standing in neutral] == ["carthage", "babylon"]
    assert neutral[1].figures["provinces"] == 1


def test_icons_are_printed() -> None:
    rome = printed(BOARD)[AreaId("rome")]
    assert [mark.kind for mark in rome[:2]] == ["capital", "city-site"]
    assert rome[0].words == "capital of Rome"
