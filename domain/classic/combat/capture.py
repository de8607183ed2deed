"""Leaders in the winner's hands: captured or killed generals, and the fall of a Caesar (chapter CAP).

A defeated general leaves the board at once, and then the winner chooses to capture or kill them. A defeated Caesar is
captured, without a choice (CC-CAP-13), and the whole empire changes hands in one event. `placement` lets new units take
a stranded leader (CC-CAP-06).

Our ruling: generals who are defeated together with their own Caesar are neither captured nor killed. The takeover
happens at once and makes them the captor's own (CC-CAP-11, CC-CAP-14). They stay in the province where they were
defeated. Those from a sunk galley appear where freed generals do (CC-CAP-26), and so do generals of the captor whose
fate the loser had not decided yet.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec.structs import replace

from domain.classic.box.pieces import Army, GalleyId, Leader, LeaderId
from domain.classic.box.state import Defeat, Player
from domain.classic.box.table import Command, Event, Table
from domain.classic.diplomacy import prisoners, ransom
from domain.classic.turn import inflation, winning
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal

Verdict = Literal["capture", "kill"]

# --- what happens ---


class GeneralsDefeated(Event, frozen=True):
    """Generals fell into the hands of the winner, who must capture or kill each (CC-CAP-02).

    Attributes:
        captor: the winner.
        rule: the rule by which they were defeated.
    """

    rules = ("CC-CAP-02",)

    generals: tuple[LeaderId, ...]
    captor: Seat
    rule: RuleId

    def apply(self, table: Table) -> None:
        for general in self.generals:
            table.change_leader(general, at=None, aboard=None, landed=False)
            table.defeats.append(Defeat(general, self.captor))

    def tell(self, names: Names) -> str:
        return f"{names.all(self.generals)} fell into the hands of {names(self.captor)}."


class GeneralCaptured(Event, frozen=True):
    """The winner captured a general: off the board until ransomed, exchanged or freed (CC-CAP-08).

    Attributes:
        captor: the winner, who holds the general from now on.
    """

    rules = ("CC-CAP-08",)

    general: LeaderId
    captor: Seat

    def apply(self, table: Table) -> None:
        table.change_leader(self.general, captor=self.captor)
        _forget_defeat(table, self.general)

    def tell(self, names: Names) -> str:
        return f"{names(self.captor)} captured {names(self.general)}."


class GeneralKilled(Event, frozen=True):
    """The winner removed a general from the game permanently (CC-CAP-09).

    Attributes:
        captor: the winner.
    """

    rules = ("CC-CAP-09",)

    general: LeaderId
    captor: Seat

    def apply(self, table: Table) -> None:
        del table.leaders[self.general]
        _forget_defeat(table, self.general)

    def tell(self, names: Names) -> str:
        return f"{names(self.captor)} killed {names(self.general)}."


class CaesarCaptured(Event, frozen=True):
    """A Caesar was captured: the player is out of the game, and the captor gets all they had (CC-CAP-10, CC-CAP-11).

    The Caesar leaves the game (CC-CAP-13, CC-CAP-16). Provinces, units, galleys and generals stay where they are and
    serve the captor (CC-CAP-14), who may also buy pieces of that colour (CC-CAP-15). The captor now holds the loser's
    prisoners (CC-CAP-22).

    Attributes:
        loser: the player who is out of the game.
        rule: the rule by which the Caesar was defeated.
        talents: the loser's treasury, which the captor gets.
        cancelled: provinces whose battles are not fought, because both sides now have the same owner (CC-CAP-24).
    """

    rules = ("CC-CAP-10", "CC-CAP-11", "CC-CAP-13", "CC-CAP-16", "CC-CAP-14", "CC-CAP-15", "CC-CAP-22")

    caesar: LeaderId
    loser: Seat
    captor: Seat
    rule: RuleId
    talents: Count = 0
    cancelled: tuple[AreaId, ...] = ()

    def apply(self, table: Table) -> None:
        del table.leaders[self.caesar]
        _merge_players(table, self.loser, self.captor)
        _merge_provinces(table, self.loser, self.captor)
        for name, galley in table.galleys.items():
            if galley.owner == self.loser:
                table.change_galley(name, owner=self.captor)
        for name, leader in table.leaders.items():
            if self.loser in (leader.owner, leader.captor):
                table.leaders[name] = _handed_over(leader, self.loser, self.captor)
        table.grants[:] = [grant for grant in table.grants if self.loser not in (grant.by, grant.to)]
        for waivers in (table.waived, table.always_waived):
            waivers[:] = [seat for seat in waivers if seat != self.loser]
        _change_fights(table, self.loser, self.captor, self.cancelled)

    def tell(self, names: Names) -> str:
        return (
            f"{names(self.captor)} captured the Caesar of {names(self.loser)}, who is out of the game, "
            f"and took over their whole empire with {self.talents} talents."
        )


class GeneralFreed(Event, frozen=True):
    """A takeover freed a general without payment (CC-CAP-18, CC-CAP-19).

    Attributes:
        at: the province where the general appears (CC-CAP-26); null for aboard a galley.
        aboard: the galley aboard which the general appears.
    """

    rules = ("CC-CAP-18", "CC-CAP-19")
    places = (("at", "at"),)

    general: LeaderId
    at: AreaId | None = None
    aboard: GalleyId | None = None

    def apply(self, table: Table) -> None:
        table.change_leader(self.general, captor=None, at=self.at, aboard=self.aboard)
        _forget_defeat(table, self.general)

    def tell(self, names: Names) -> str:
        return f"{names(self.general)} was freed and is now in {names(self.at or self.aboard or '')}."


# --- how a takeover changes the table; for `apply` only ---


def _forget_defeat(table: Table, general: str) -> None:
    table.defeats[:] = [defeat for defeat in table.defeats if defeat.leader != general]


def _merge_players(table: Table, loser: Seat, captor: Seat) -> None:
    defeated, heir = table.players[loser], table.players[captor]
    table.players[loser] = Player((), defeated.home, 0, captor)
    table.players[captor] = replace(
        heir, talents=heir.talents + defeated.talents, colours=heir.colours + defeated.colours
    )


def _merge_provinces(table: Table, loser: Seat, captor: Seat) -> None:
    for area, province in table.provinces.items():
        if province.owner == loser:
            table.change_province(area, owner=captor)
        if loser in province.armies:
            theirs, ours = province.armies[loser], table.army(area, captor)
            table.set_army(area, loser, Army())
            table.set_army(area, captor, _merged(ours, theirs))


def _merged(one: Army, other: Army) -> Army:
    return Army(one.fresh + other.fresh, one.tired + other.tired, one.spent + other.spent, one.landed + other.landed)


def _handed_over(leader: Leader, loser: Seat, captor: Seat) -> Leader:
    """Return a leader with `captor` in the place of `loser`. Those whom the takeover frees are freed after this."""
    return replace(
        leader,
        owner=captor if leader.owner == loser else leader.owner,
        captor=captor if leader.captor == loser else leader.captor,
    )


def _change_fights(table: Table, loser: Seat, captor: Seat, cancelled: Sequence[AreaId]) -> None:
    """Cancel the battles that are left in which the captor now owns both sides (CC-CAP-24)."""
    if table.combat is None:
        return
    table.combat = replace(
        table.combat,
        battles=tuple(province for province in table.combat.battles if province not in cancelled),
        naval=tuple(plan for plan in table.combat.naval if plan.opponent not in (loser, captor)),
        # Our ruling: optional attacks of a fallen active player lapse; their captor fights the battles that are due.
        seas=table.combat.seas if table.acting == table.active else (),
    )


# --- what other chapters call ---


def defeat(draft: Draft[Table], leaders: Iterable[str], captor: Seat, rule: str) -> None:
    """Give defeated leaders of one player to `captor`, the winner of the fight, attacker or defender (CC-CAP-12).

    The captor then captures or kills the generals. If a Caesar is among them, the captor takes the whole empire.
    """
    defeated = sorted(leaders)
    caesar = next((name for name in defeated if draft.table.leaders[name].kind == "caesar"), None)
    if caesar is not None:
        _take_empire(draft, caesar, defeated, captor, rule)
    elif defeated:
        draft.emit(GeneralsDefeated(tuple(defeated), captor, RuleId(rule)))


def _take_empire(draft: Draft[Table], caesar: str, defeated: Sequence[str], captor: Seat, rule: str) -> None:
    """Capture a Caesar, one of `defeated`, and take over all that the player had (CC-CAP-10 to CC-CAP-26)."""
    table = draft.table
    loser = table.leaders[caesar].owner
    if captor == loser:
        raise AssertionError("nobody captures their own Caesar")
    if table.players[captor].fallen_to is not None:
        raise AssertionError("a fallen player cannot capture anybody")
    freed = _freed_by(table, loser, captor)
    freed += [name for name in defeated if name != caesar and not table.leaders[name].on_board]
    draft.emit(
        CaesarCaptured(
            caesar,
            loser,
            captor,
            RuleId(rule),
            table.players[loser].talents,
            _battles_between(table, loser, captor),
        )
    )
    for general in freed:
        at, aboard = _place_for_freed(table, captor)
        draft.emit(GeneralFreed(general, at, aboard))
    ransom.drop_void(draft)
    inflation.watch(draft)  # CC-CAP-25
    winning.check(draft)


def _freed_by(table: Table, loser: Seat, captor: Seat) -> list[str]:
    """Return the generals of both players whom one of the two holds (CC-CAP-18, CC-CAP-19)."""
    holders = {defeat.leader: defeat.captor for defeat in table.defeats}
    both = (loser, captor)
    return sorted(
        name
        for name, leader in table.leaders.items()
        if leader.owner in both and (leader.captor or holders.get(name)) in both
    )


def _battles_between(table: Table, one: Seat, other: Seat) -> tuple[AreaId, ...]:
    battles = table.combat.battles if table.combat is not None else ()
    return tuple(area for area in battles if {one, other} == set(table.provinces[area].armies))


def _place_for_freed(table: Table, seat: Seat) -> tuple[AreaId | None, str | None]:
    """Return where a freed general appears: as after a ransom, in the home or with their Caesar (CC-CAP-26).

    Our ruling: while that Caesar waits to be rescued from a sunk galley, the general appears in the owner's first
    province by id, or else aboard their first galley at sea. They have one there, or could not have captured anybody.
    """
    at, aboard = prisoners.return_place(table, seat)
    if at is not None or aboard is not None:
        return at, aboard
    own = next((area for area in table.map.lands if table.provinces[area].owner == seat), None)
    at_sea = sorted(name for name, galley in table.galleys.items() if galley.owner == seat and galley.coast is None)
    return own, at_sea[0] if own is None else None


# --- the verdict ---


class JudgeGeneral(Command, frozen=True):
    """Capture a defeated general for a later ransom, or kill them (CC-CAP-02)."""

    rules = ("CC-CAP-02",)
    answers = frozenset({"judge-general"})

    general: LeaderId
    verdict: Verdict

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        generals = _to_judge(draft.table, seat)
        if self.general not in generals:
            wrong = f"You cannot capture or kill {self.general}."
            raise Refusal("CC-CAP-02", wrong, f"Generals in your hands: {', '.join(generals)}.")
        event = GeneralCaptured if self.verdict == "capture" else GeneralKilled
        draft.emit(event(self.general, seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        fields = {
            "general": schema.one_of(_to_judge(table, seat)),
            "verdict": schema.one_of(("capture", "kill")),
        }
        yield cls.option("Capture or kill a general", fields)


def _to_judge(table: Table, seat: Seat) -> list[str]:
    return [defeat.leader for defeat in table.defeats if defeat.captor == seat]


def judge_generals(table: Table) -> list[Decision]:
    """Ask every winner what to do with the generals they took."""
    return [
        Decision(
            "judge-general",
            (captor,),
            RuleId("CC-CAP-02"),
            f"Do you capture or kill {table.names.all(_to_judge(table, captor))}?",
            "The game goes on when the fate of each general is decided.",
            {"generals": _to_judge(table, captor)},
        )
        for captor in dict.fromkeys(defeat.captor for defeat in table.defeats)
    ]


EVENTS = (GeneralsDefeated, GeneralCaptured, GeneralKilled, CaesarCaptured, GeneralFreed)
COMMANDS = (JudgeGeneral,)
