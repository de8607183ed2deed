"""Nations that rise against their overlord, and those that become free (chapter REV)."""

from collections.abc import Iterable
from typing import get_args

from msgspec.structs import replace

from domain.italia.box.entries import Revolt as RevoltEntry
from domain.italia.box.pieces import NationId
from domain.italia.box.state import RoundStage
from domain.italia.box.table import Command, Event, Table, campaign_of, turn_of
from domain.italia.campaigns.campaign import adjacent, place_of
from domain.italia.combat.submission import refuse_unless_asked
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names

# --- what happens ---


class SubmissionEnded(Event, frozen=True):
    """A nation is no subject any more: it revolted (IT-REV-01), or its overlord is gone (IT-SUB-17).

    Attributes:
        revolted: whether it revolted; else its overlord is gone.
    """

    rules = ("IT-REV-01", "IT-REV-02", "IT-SUB-17", "IT-I1-05", "IT-I1-06")

    nation: NationId
    overlord: NationId
    revolted: bool

    def apply(self, table: Table) -> None:
        table.change(self.nation, overlord=None)

    def tell(self, names: Names) -> str:
        if self.revolted:
            return f"The {names(self.nation)} revolted against the {names(self.overlord)}."
        return f"The {names(self.nation)} are free: the {names(self.overlord)} are gone."


class RevoltDeclined(Event, frozen=True):
    """A nation that could revolt did not (IT-REV-01)."""

    rules = ("IT-REV-01",)

    nation: NationId

    def apply(self, table: Table) -> None:
        if table.campaign is None:
            table.announced = True
        else:
            table.campaign = replace(table.campaign, risen=(*table.campaign.risen, self.nation))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} did not revolt."


# --- revolts ---


class Revolt(Command, frozen=True):
    """Revolt against the overlord of your nation (IT-REV-01)."""

    rules = ("IT-REV-01", "IT-REV-02", "IT-I1-05")
    answers = frozenset({"revolt"})

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        nation = _revolting_nation(draft.table)
        refuse_unless_asked(draft.table, self.nation, nation, "IT-REV-01")
        overlord = draft.table.nations[nation].overlord
        assert overlord is not None, "a subject may revolt"
        draft.emit(SubmissionEnded(nation, overlord, revolted=True))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = _revolting_nation(table)
        yield cls.option(f"The {table.names(nation)} revolt", {"nation": schema.const(nation)})


class StaySubject(Command, frozen=True):
    """Do not revolt (IT-REV-01)."""

    rules = ("IT-REV-01",)
    answers = frozenset({"revolt"})
    gesture = Gesture(quiet=True)

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        nation = _revolting_nation(draft.table)
        refuse_unless_asked(draft.table, self.nation, nation, "IT-REV-01")
        draft.emit(RevoltDeclined(nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = _revolting_nation(table)
        yield cls.option(f"The {table.names(nation)} stay subject", {"nation": schema.const(nation)})


def _revolting_nation(table: Table) -> NationId:
    nation = turn_of(table).nation if table.campaign is None else _rising(table)
    assert nation is not None, "a nation may revolt"
    return nation


def _entry(table: Table, nation: NationId, when: str) -> RevoltEntry | None:
    """Return the line of a card for a revolt against the present overlord at a moment `when` of this round."""
    overlord = table.nations[nation].overlord
    for entry in table.cards.nations[nation].all_special(RevoltEntry):
        if (entry.round, entry.against, entry.when) == (table.round, overlord, when):
            return entry
    return None


def revolt(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask a nation at the start of its turn whether it revolts, if its card says that it may."""
    nation = turn_of(table).nation
    if table.announced or _entry(table, nation, "turn-start") is None:
        return None
    return [_question(table, nation)]


def _question(table: Table, nation: NationId) -> Decision:
    overlord = table.nations[nation].overlord
    names, seats = table.names, (table.seat_of(nation),)
    question = f"Do the {names(nation)} revolt against the {names(overlord or '')}?"
    about = {"nation": nation, "overlord": overlord}
    return Decision(
        "revolt", seats, RuleId("IT-REV-01"), question, "A nation that revolts is no longer a subject.", about
    )


def rise(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask the nations that may revolt because the leader of a campaign is in or beside their areas (IT-I1-05)."""
    nation = _rising(table)
    return None if nation is None else [_question(table, nation)]


def before_first_move(table: Table) -> list[Decision] | None:
    """Ask the same nations before the first move of a campaign; None when nobody is to be asked (IT-I1-05)."""
    if not table.rules.revolts_before_marches or table.campaign is None or table.campaign.step:
        return None
    nation = _rising(table)
    return None if nation is None else [_question(table, nation)]


def _rising(table: Table) -> NationId | None:
    campaign = campaign_of(table)
    if campaign.leader not in table.nations[campaign.nation].came:
        return None
    at = place_of(table, campaign)
    near: set[AreaId] = {at, *adjacent(table, at)}
    for nation in table.nations:
        entry = _entry(table, nation, "near-leader")
        if entry is None or entry.leader != campaign.leader or nation in campaign.risen:
            continue
        if near & set(table.areas_of(nation)):
            return nation
    return None


def release(table: Table) -> Consequence[Table] | None:
    """Free a subject whose overlord is gone (IT-SUB-17), or whose card frees it as the round begins; else None."""
    for nation, standing in table.nations.items():
        overlord = standing.overlord
        if overlord is None:
            continue
        if not _is_in_play(table, overlord):
            return lambda draft: draft.emit(SubmissionEnded(nation, overlord, revolted=False))
        if table.stage == "round-start" and _entry(table, nation, "round-start") is not None:
            return lambda draft: draft.emit(SubmissionEnded(nation, overlord, revolted=True))
    return None


def _is_in_play(table: Table, nation: NationId) -> bool:
    """Tell whether a nation has units or will receive reinforcements (IT-SUB-17)."""
    standing = table.nations[nation]
    if standing.over:
        return False
    if table.on_board(nation) or standing.came or any(each.nation == nation for each in table.arriving):
        return True
    return any(
        entry.round > table.round or (entry.round == table.round and _is_to_come(table, nation, entry.when))
        for entry in table.cards.nations[nation].arrivals
    )


def _is_to_come(table: Table, nation: NationId, when: str) -> bool:
    """Tell whether reinforcements of this round are still to be placed (IT-RNF-07)."""
    parts = list(get_args(RoundStage))
    if when != "placement":
        return parts.index(table.stage) <= parts.index("round-start" if when == "round-start" else "late-arrivals")
    if table.turn is not None and table.turn.nation == nation:
        return "arrivals" in table.turn.stages
    return nation not in table.done and parts.index(table.stage) <= parts.index("turns")


EVENTS = (SubmissionEnded, RevoltDeclined)
COMMANDS = (Revolt, StaySubject)
