"""Battles at sea: one round of triremes against triremes, with nothing to gain (MN-SEA-04 to MN-SEA-08, MN-HER-16)."""

from collections.abc import Iterable

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.pieces import NO_FLEET
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.combat.battle import Throw, throw
from domain.mare_nostrum.moves.fleets import check_afloat


class NavalBattleBegan(Event, frozen=True):
    """Triremes attacked another player's in a sea space (MN-SEA-04).

    Attributes:
        triremes: the attacker's triremes in this battle; all of the defender's there take part.
    """

    rules = ("MN-SEA-04",)
    places = (("sea", "at"),)

    sea: AreaId
    attacker: Seat
    defender: Seat
    triremes: int

    def apply(self, table: Table) -> None:
        table.set_fleet(self.sea, self.attacker, table.fleets[self.sea][self.attacker].committed(self.triremes))

    def tell(self, names: Names) -> str:
        triremes, sea = phrases.amount_of("trireme", self.triremes), phrases.sea(names, self.sea)
        return f"{names(self.attacker)} attacked {names(self.defender)} in {sea} with {triremes}."


class TriremesRolled(Event, frozen=True):
    """Both fleets rolled at the same time, a die for each trireme (MN-BAT-03)."""

    rules = ("MN-BAT-03",)
    places = (("sea", "at"),)

    sea: AreaId
    attacker: Throw
    defender: Throw

    def apply(self, table: Table) -> None:
        pass

    def tell(self, names: Names) -> str:
        return f"{self.attacker.in_words()}; {self.defender.in_words()}."


class NavalBattleEnded(Event, frozen=True):
    """The survivors of a naval battle share the sea space (MN-SEA-06); the winner gains nothing else (MN-SEA-08).

    Attributes:
        sunk: how many triremes of each player went back to the stock; they are all alike, so nobody had to choose
            (MN-BAT-07).
    """

    rules = ("MN-SEA-06", "MN-SEA-08")
    places = (("sea", "at"),)

    sea: AreaId
    sunk: dict[Seat, int]

    def apply(self, table: Table) -> None:
        for seat, number in sorted(self.sunk.items()):  # the log does not keep the order of keys
            table.set_fleet(self.sea, seat, table.fleets[self.sea][seat].less(number))

    def tell(self, names: Names) -> str:
        sea = phrases.sea(names, self.sea)
        losses = [
            f"{names(seat)} lost {phrases.amount_of('trireme', number)}" for seat, number in phrases.by_seat(self.sunk)
        ]
        return f"In {sea} {' and '.join(losses) or 'no trireme was sunk'}."


class AttackAtSea(Command, frozen=True):
    """Attack one opponent in a sea space with triremes that have not attacked this turn (MN-SEA-04).

    The attack is optional (MN-SEA-03). You cannot attack triremes in port (MN-SEA-07).

    Attributes:
        opponent: the player whom you attack; all their triremes there defend.
    """

    rules = ("MN-SEA-04", "MN-SEA-03", "MN-SEA-07")
    answers = frozenset({"campaign"})
    gesture = Gesture(to="sea", targets=("opponent",), counts=("triremes",))

    sea: AreaId
    opponent: Seat
    triremes: Count

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        self._check(draft.table, seat)
        draft.emit(NavalBattleBegan(self.sea, seat, self.opponent, self.triremes))
        table = draft.table
        defenders = table.fleets[self.sea][self.opponent].triremes
        mine = throw(draft, seat, self.triremes, table.bonus(seat, "trireme"), 0, defenders)
        theirs = throw(draft, self.opponent, defenders, table.bonus(self.opponent, "trireme"), 0, self.triremes)
        draft.emit(TriremesRolled(self.sea, mine, theirs))
        sunk = {self.opponent: mine.hits, seat: theirs.hits}
        draft.emit(NavalBattleEnded(self.sea, {loser: number for loser, number in sunk.items() if number}))

    def _check(self, table: Table, seat: Seat) -> None:
        wrong = f"You cannot attack {self.opponent} in {self.sea} with {self.triremes} triremes."
        if province := table.provinces.get(self.sea):
            rule = "MN-SEA-07" if {seat, self.opponent} & province.ports.keys() else "MN-BAT-02"
            raise Refusal(rule, wrong, "Triremes fight only triremes, and only at sea.")
        check_afloat(table, wrong)
        fleets = table.fleets.get(self.sea, {})
        fleet = fleets.get(seat, NO_FLEET)
        if not 1 <= self.triremes <= fleet.triremes:
            raise Refusal(self.rule, wrong, f"Your triremes there: {fleet.triremes}.")
        if self.triremes > fleet.ready:
            raise Refusal("MN-MIL-04", wrong, f"Your triremes there that have not attacked this turn: {fleet.ready}.")
        if self.opponent not in fleets or self.opponent == seat:
            others = ", ".join(sorted(other for other in fleets if other != seat)) or "none"
            raise Refusal(self.rule, wrong, f"Opponents with triremes there: {others}.")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.ashore:
            return
        for sea, fleets in table.fleets.items():
            ready = fleets.get(seat, NO_FLEET).ready
            if ready and len(fleets) > 1:
                fields = {
                    "sea": schema.const(sea),
                    "opponent": schema.one_of(sorted(other for other in fleets if other != seat)),
                    "triremes": schema.count(1, ready),
                }
                yield cls.option(f"Attack in {phrases.sea(table.names, sea)}", fields)


EVENTS = (NavalBattleBegan, TriremesRolled, NavalBattleEnded)
COMMANDS = (AttackAtSea,)
