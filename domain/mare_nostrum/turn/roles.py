"""Roles: who leads which phase, counted again at the start of each turn (chapter ROL)."""

from collections.abc import Iterable, Mapping
from typing import Final

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box.data import CARDS, ROLES, Role
from domain.mare_nostrum.box.pieces import Province
from domain.mare_nostrum.box.state import Tie
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.turn import turn

TITLES: Final[Mapping[Role, str]] = {
    "director-of-commerce": "Director of Commerce",
    "political-leader": "Political Leader",
    "military-leader": "Military Leader",
}


def title(role: Role) -> str:
    """Return the display name of a role."""
    return TITLES[role]


# --- events ---


class RolesCounted(Event, frozen=True):
    """The roles were counted for the new turn (MN-ROL-03).

    Attributes:
        roles: who holds each from now on.
        totals: each player's total for each role (MN-ROL-04 to MN-ROL-07).
        ties: the ties that the holders of the roles must decide (MN-ROL-09).
    """

    rules = ("MN-ROL-03",)

    roles: dict[Role, Seat]
    totals: dict[Role, dict[Seat, int]]
    ties: tuple[Tie, ...] = ()

    def apply(self, table: Table) -> None:
        table.roles.update(self.roles)
        table.ties[:] = self.ties

    def tell(self, names: Names) -> str:
        holders = [f"{names(self.roles[role])} is {title(role)}" for role in ROLES if role in self.roles]
        tied = [f"{names.all(tie.seats)} are tied for {title(tie.role)}" for tie in self.ties]
        return f"{'; '.join([*holders, *tied])}."


class RoleGiven(Event, frozen=True):
    """The holder of a role decided which of the players who tied for it gets it (MN-ROL-09).

    Attributes:
        giver: who held it before.
        seat: who holds it from now on.
    """

    rules = ("MN-ROL-09",)

    role: Role
    giver: Seat
    seat: Seat

    def apply(self, table: Table) -> None:
        table.roles[self.role] = self.seat
        table.ties[:] = [tie for tie in table.ties if tie.role != self.role]

    def tell(self, names: Names) -> str:
        return f"{names(self.giver)} made {names(self.seat)} {title(self.role)}."


# --- totals ---


def totals(table: Table, role: Role) -> dict[Seat, int]:
    """Return what counts for a role, by player, heroes included (MN-ROL-04 to MN-ROL-07, MN-ROL-10)."""
    total = {seat: sum(CARDS[card].roles.get(role, 0) for card in table.cards[seat]) for seat in table.seats}
    if role == "military-leader":
        for seat in table.seats:
            pieces = table.on_board(seat)
            total[seat] += pieces["legion"] + pieces["fortress"] + pieces["trireme"]
        return total
    for province in table.provinces.values():
        for post in _counted(province, role):
            seat = province.holder(post)
            if seat is not None and seat in total:
                total[seat] += 1
    return total


def _counted(province: Province, role: Role) -> Iterable[str]:
    if role == "director-of-commerce":
        return (*province.caravans, "market") if province.market else province.caravans
    return [kind for kind in ("city", "temple") if getattr(province, kind)]


def count(draft: Draft[Table]) -> None:
    """Reassign all three roles together; a holder who is among the tied keeps the role (MN-ROL-03, MN-ROL-08)."""
    table = draft.table
    counts: dict[Role, dict[Seat, int]] = {role: totals(table, role) for role in ROLES}
    ties = tied(table)
    decided: dict[Role, Seat] = {}
    for role in ROLES:
        leaders = _leaders(table, counts[role])
        if role not in {tie.role for tie in ties}:
            decided[role] = table.roles[role] if table.roles[role] in leaders else leaders[0]
    draft.emit(RolesCounted(decided, counts, tuple(ties)))


def tied(table: Table) -> list[Tie]:
    """Return the roles for which others tie with more than the holder, who decides between them (MN-ROL-09)."""
    leaders: dict[Role, tuple[Seat, ...]] = {role: _leaders(table, totals(table, role)) for role in ROLES}
    return [Tie(role, each) for role, each in leaders.items() if len(each) > 1 and table.roles[role] not in each]


def _leaders(table: Table, total: Mapping[Seat, int]) -> tuple[Seat, ...]:
    return tuple(seat for seat in table.seats if total[seat] == max(total.values()))


# --- ties ---


class GiveRole(Command, frozen=True):
    """Decide which of the tied players gets the role card that you hold (MN-ROL-09).

    Attributes:
        seat: who gets it.
    """

    rules = ("MN-ROL-09",)
    answers = frozenset({"give-role"})
    gesture = Gesture(targets=("seat",))

    seat: Seat

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        tie = draft.table.ties[0]
        if self.seat not in tie.seats:
            raise Refusal(
                self.rule,
                f"{self.seat} cannot become {title(tie.role)}.",
                f"Players tied for it: {', '.join(tie.seats)}.",
            )
        draft.emit(RoleGiven(tie.role, seat, self.seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        tie = table.ties[0]
        yield cls.option(f"Decide who becomes {title(tie.role)}", {"seat": schema.one_of(tie.seats)})


def give(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the holder of the first tied role; when every role is assigned, begin the income."""
    if not table.ties:
        return lambda draft: turn.enter(draft, "income")
    tie = table.ties[0]
    return [
        Decision(
            "give-role",
            (table.roles[tie.role],),
            RuleId("MN-ROL-09"),
            f"Who becomes {title(tie.role)}?",
            "Income is paid when all roles have been assigned.",
            {"role": tie.role, "seats": list(tie.seats)},
        )
    ]


EVENTS = (RolesCounted, RoleGiven)
COMMANDS = (GiveRole,)
