"""Which prisoners two players may make a deal about, and which ones one deal may name (chapter RAN)."""

from domain.classic.box.pieces import Leader
from domain.classic.box.table import Table
from domain.kernel.ids import AreaId, Seat


def return_place(table: Table, seat: Seat) -> tuple[AreaId | None, str | None]:
    """Return the province or the galley to which a general of `seat` returns (CC-RAN-07, -08, CC-CAP-26).

    It is the Home Province if the seat controls it, otherwise where the Caesar is. One of the two is None; both are
    while the Caesar waits to be rescued from a sunk galley.
    """
    if table.controls_home(seat):
        return table.home(seat), None
    caesar = table.leaders[f"{seat}-caesar"]
    return caesar.at, caesar.aboard


def can_deal(table: Table) -> bool:
    """Tell whether there is a prisoner about whom a deal may be made in this placement phase."""
    return any(leader.captor is not None and why_no_deal(table, leader) is None for leader in table.leaders.values())


def why_no_deal(table: Table, general: Leader) -> tuple[str, str] | None:
    """Return the rule that forbids a deal about a prisoner in this turn, and what it requires; None if no rule does."""
    active = table.active
    if table.edition.ransom_in_any_turn is False and active not in (general.owner, general.captor):
        return "CC-RAN-03", "The owner or the captor must be the active player."
    if table.edition.returned_join_caesar is False and not table.controls_home(general.owner):
        return "CC-RAN-09", f"The general returns to the Home Province of {general.owner}, who must control it."
    return None


def exchangeable(table: Table, owner: Seat, captor: Seat) -> list[str]:
    """Return the prisoners whom the owner of a general can give to its captor in exchange (CC-RAN-04).

    These are the captor's generals, if they can return (CC-RAN-09), and in some versions the generals of third players,
    who stay prisoners with another captor.
    """
    may_return = table.edition.returned_join_caesar or table.controls_home(captor)
    return sorted(
        name
        for name, other in table.leaders.items()
        if other.captor == owner and (may_return if other.owner == captor else table.edition.deals_name_several)
    )


def is_the_others_turn(table: Table, general: str, seat: Seat) -> bool:
    """Tell whether the other side makes the next offer about a prisoner (CC-RAN-06)."""
    return not table.edition.turns_wait_for_talks and f"{general}/{seat}" in table.declined


def prisoners_of(table: Table, seat: Seat) -> list[str]:
    """Return the prisoners whom a seat owns or holds, sorted."""
    return sorted(
        name for name, leader in table.leaders.items() if leader.captor and seat in (leader.owner, leader.captor)
    )


def has_open_offer(table: Table, general: str) -> bool:
    """Tell whether an offer for a prisoner is open."""
    return any(general in offer.generals for offer in table.offers)


def is_free(table: Table, general: str, seat: Seat) -> bool:
    """Tell whether earlier offers about a prisoner let a seat name them in a new offer."""
    return not has_open_offer(table, general) and not is_the_others_turn(table, general, seat)


def others_to_name(table: Table, general: str, seat: Seat) -> list[str]:
    """Return the prisoners whom a deal about `general` can name too: of the same owner, held by the same captor."""
    if not table.edition.deals_name_several:
        return []
    first = table.leaders[general]
    return [
        name
        for name in prisoners_of(table, seat)
        if name != general
        and (table.leaders[name].owner, table.leaders[name].captor) == (first.owner, first.captor)
        and is_free(table, name, seat)
    ]
