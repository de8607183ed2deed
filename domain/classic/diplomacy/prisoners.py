"""About which prisoners two players may deal, and whom they may name together (chapter RAN)."""

from domain.classic.box.pieces import Leader
from domain.classic.box.table import Table
from domain.kernel.ids import AreaId, Seat


def return_place(table: Table, seat: Seat) -> tuple[AreaId | None, str | None]:
    """Return where a general comes back to: the home, else their Caesar's place (CC-RAN-07, -08, CC-CAP-26)."""
    if table.controls_home(seat):
        return table.home(seat), None
    caesar = table.leaders[f"{seat}-caesar"]
    return caesar.at, caesar.aboard


def is_possible(table: Table) -> bool:
    """Tell whether there is a prisoner about whom somebody may deal in this placement phase."""
    return any(leader.captor is not None and bar_to(table, leader) is None for leader in table.leaders.values())


def bar_to(table: Table, general: Leader) -> tuple[str, str] | None:
    """Return the rule that forbids a deal about a prisoner in this turn, and what the rule allows."""
    active = table.active
    if table.edition.ransom_in_any_turn is False and active not in (general.owner, general.captor):
        return "CC-RAN-03", "The owner or the captor must be the active player."
    if table.edition.returned_join_caesar is False and not table.controls_home(general.owner):
        return "CC-RAN-09", f"The general returns to the Home Province of {general.owner}, who must control it."
    return None


def exchangeable(table: Table, owner: Seat, captor: Seat) -> list[str]:
    """Return whom the owner can give (CC-RAN-04): the captor's generals if they can return (CC-RAN-09), and others.

    The generals of third players stay prisoners: they change their captor.
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
    """The prisoners whom a seat owns or holds."""
    return sorted(
        name for name, leader in table.leaders.items() if leader.captor and seat in (leader.owner, leader.captor)
    )


def is_open(table: Table, general: str) -> bool:
    return any(general in offer.generals for offer in table.offers)


def is_free(table: Table, general: str, seat: Seat) -> bool:
    """Tell whether earlier offers about a prisoner let a seat name them in a new offer."""
    return not is_open(table, general) and not is_the_others_turn(table, general, seat)


def beside(table: Table, general: str, seat: Seat) -> list[str]:
    """Return who can be named in the same deal as a prisoner: others of the same owner, held by the same captor."""
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
