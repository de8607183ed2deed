"""Ransom: captured generals go home for talents, prisoners and promises (chapter RAN).

An offer stands until the other side answers it or it is withdrawn; one for each prisoner at a time. After an offer
that came to nothing it is the other side's turn to make one: so nobody can hold up the phase alone (CC-RAN-06).
"""

from collections.abc import Iterable
from typing import Annotated, Final

from msgspec import Meta

from domain.classic.pieces import GalleyId, Leader, LeaderId
from domain.classic.table import Command, Event, Offer, OfferId, Table
from domain.kernel import schema
from domain.kernel.decision import Decision, Option
from domain.kernel.draft import Draft
from domain.kernel.message import Count, Names, enumerated
from domain.kernel.refusal import Refusal, refuse_unless
from domain.kernel.secret import Vault
from domain.kernel.words import AreaId, RuleId, Seat

LONGEST_PROMISE: Final = 200

Promise = Annotated[str, Meta(max_length=LONGEST_PROMISE)]
"""Promised favours in the players' words; they bind nobody (CC-RAN-10)."""


# --- what happens ---


class RansomProposed(Event, frozen=True):
    """Owner or captor of a prisoner proposed a deal (CC-RAN-04): what the owner gives for him.

    Attributes:
        owner: whose general it is.
        captor: who holds him prisoner.
        talents: what the owner pays.
        prisoners: generals whom the owner holds and gives for him.
        promise: favours in the players' words, which bind nobody (CC-RAN-10).
    """

    offer: OfferId
    proposer: Seat
    owner: Seat
    captor: Seat
    general: LeaderId
    talents: Count = 0
    prisoners: tuple[LeaderId, ...] = ()
    promise: str = ""

    def apply(self, table: Table) -> None:
        other = self.captor if self.proposer == self.owner else self.owner
        table.offers.append(
            Offer(
                self.offer,
                self.proposer,
                self.owner,
                self.captor,
                self.general,
                self.talents,
                self.prisoners,
                self.promise,
            )
        )
        table.declined[:] = [name for name in table.declined if name != f"{self.general}/{other}"]
        table.next_talk += 1

    def tell(self, names: Names) -> str:
        price = _price(self, names)
        return f"{names(self.proposer)} proposed: {names(self.captor)} returns {names(self.general)} for {price}."


def _price(offer: RansomProposed | Offer, names: Names) -> str:
    parts = [f"{offer.talents} talents"] if offer.talents else []
    parts += [names(prisoner) for prisoner in offer.prisoners]
    parts += [f"the promise “{offer.promise}”"] if offer.promise else []
    return enumerated(parts) or "nothing"


class RansomAgreed(Event, frozen=True):
    """A deal was accepted: the talents changed hands; the generals follow (CC-RAN-05).

    Attributes:
        talents: what the owner of the prisoner paid to the captor.
    """

    offer: OfferId
    owner: Seat
    captor: Seat
    talents: Count = 0

    def apply(self, table: Table) -> None:
        table.change_player(self.owner, talents=table.players[self.owner].talents - self.talents)
        table.change_player(self.captor, talents=table.players[self.captor].talents + self.talents)
        _remove(table, self.offer)

    def tell(self, names: Names) -> str:
        paid = f"; {self.talents} talents were paid" if self.talents else ""
        return f"{names(self.owner)} and {names(self.captor)} agreed{paid}."


class GeneralReturned(Event, frozen=True):
    """A prisoner came back to his owner (CC-RAN-07, CC-RAN-08).

    Attributes:
        at: the province where he appears; null when he appears aboard a galley.
        aboard: the galley aboard which he appears.
    """

    general: LeaderId
    at: AreaId | None = None
    aboard: GalleyId | None = None

    def apply(self, table: Table) -> None:
        table.change_leader(self.general, captor=None, at=self.at, aboard=self.aboard)

    def tell(self, names: Names) -> str:
        where = f"to {names(self.at)}" if self.at is not None else f"aboard {names(self.aboard or '')}"
        return f"{names(self.general)} returned {where}."


class RansomDeclined(Event, frozen=True):
    """An offer came to nothing, for nobody is forced to deal (CC-RAN-06).

    Attributes:
        withdrawn: whether the proposer withdrew it; otherwise the other side refused it.
    """

    offer: OfferId
    general: LeaderId
    proposer: Seat
    withdrawn: bool = False

    def apply(self, table: Table) -> None:
        table.declined.append(f"{self.general}/{self.proposer}")
        _remove(table, self.offer)

    def tell(self, names: Names) -> str:
        return f"The offer for {names(self.general)} was {'withdrawn' if self.withdrawn else 'refused'}."


class RansomLapsed(Event, frozen=True):
    """An offer can no longer be kept (CC-RAN-04), after another deal or the fall of a player."""

    offer: OfferId

    def apply(self, table: Table) -> None:
        _remove(table, self.offer)

    def tell(self, names: Names) -> str:
        return f"{names(self.offer)} lapsed."


def _remove(table: Table, offer: str) -> None:
    table.offers[:] = [other for other in table.offers if other.id != offer]


# --- what other chapters ask ---


def return_place(table: Table, seat: Seat) -> tuple[AreaId | None, str | None]:
    """Return where a general comes back to: the home, else his Caesar, ashore or aboard (CC-RAN-07, -08, CC-CAP-26)."""
    if table.controls_home(seat):
        return table.home(seat), None
    caesar = table.leaders[f"{seat}-caesar"]
    return caesar.at, caesar.aboard


def is_possible(table: Table) -> bool:
    """Tell whether there is a prisoner about whom somebody may deal in this placement phase."""
    return any(leader.captor is not None and _bar(table, leader) is None for leader in table.leaders.values())


def drop_void(draft: Draft[Table]) -> None:
    """Let the offers lapse that can no longer be kept; to be called when prisoners or talents changed hands."""
    for offer in tuple(draft.table.offers):
        if not _can_be_kept(draft.table, offer):
            draft.emit(RansomLapsed(offer.id))


def _can_be_kept(table: Table, offer: Offer) -> bool:
    general = table.leaders.get(offer.general)
    return (
        general is not None
        and (general.owner, general.captor) == (offer.owner, offer.captor)
        and offer.talents <= table.players[offer.owner].talents
        and set(offer.prisoners).issubset(_exchangeable(table, general))
    )


def _bar(table: Table, general: Leader) -> tuple[str, str] | None:
    """Return the rule, and what it allows, by which nobody can deal about a prisoner in this turn."""
    active = table.active
    if table.edition.ransom_in_any_turn is False and active not in (general.owner, general.captor):
        return "CC-RAN-03", "Owner or captor must be the player on turn."
    if table.edition.returned_join_caesar is False and not table.controls_home(general.owner):
        return "CC-RAN-09", f"{general.owner} must control the Home Province, where the general returns."
    return None


def _exchangeable(table: Table, general: Leader) -> list[str]:
    """Generals of the captor whom the owner holds (CC-RAN-04) and who have a place to return to (CC-RAN-09)."""
    captor = general.captor
    if captor is None or (table.edition.returned_join_caesar is False and not table.controls_home(captor)):
        return []
    return sorted(
        name for name, other in table.leaders.items() if other.captor == general.owner and other.owner == captor
    )


# --- what may be done ---


class ProposeRansom(Command, frozen=True):
    """Propose what the owner gives for a captured general (CC-RAN-04); owner and captor may do so.

    Attributes:
        talents: what the owner pays.
        prisoners: generals whom the owner holds and gives for him.
        promise: favours in the players' words, which bind nobody (CC-RAN-10).
    """

    rule = "CC-RAN-01"

    general: LeaderId
    talents: Count = 0
    prisoners: tuple[LeaderId, ...] = ()
    promise: Promise = ""

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        asked = f"{seat} wants to deal about {self.general}."
        _check_time(table, asked)
        general = table.leaders.get(self.general)
        if general is None or general.captor is None or seat not in (general.owner, general.captor):
            raise Refusal("CC-RAN-05", asked, f"{seat} may deal about: {_listed(_prisoners_of(table, seat))}.")
        if (bar := _bar(table, general)) is not None:
            raise Refusal(bar[0], asked, bar[1])
        refuse_unless(not _is_open(table, self.general), "CC-RAN-05", asked, "An offer for him waits for an answer.")
        if f"{self.general}/{seat}" in table.declined:
            raise Refusal("CC-RAN-06", asked, "The last offer came to nothing; now the other side may propose.")
        self._check_price(table, general)
        draft.emit(
            RansomProposed(
                f"offer-{table.next_talk}",
                seat,
                general.owner,
                general.captor,
                self.general,
                self.talents,
                self.prisoners,
                self.promise,
            )
        )

    def _check_price(self, table: Table, general: Leader) -> None:
        treasury = table.players[general.owner].talents
        if self.talents > treasury:
            raise Refusal("CC-RAN-04", f"The ransom is {self.talents} talents.", f"{general.owner} has {treasury}.")
        allowed = _exchangeable(table, general)
        if not set(self.prisoners).issubset(allowed) or len(set(self.prisoners)) < len(self.prisoners):
            asked = f"In exchange are offered: {', '.join(self.prisoners)}."
            raise Refusal("CC-RAN-04", asked, f"{general.owner} can return to {general.captor}: {_listed(allowed)}.")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.phase != "placement":
            return
        for name in _prisoners_of(table, seat):
            general = table.leaders[name]
            if _bar(table, general) is not None or _is_open(table, name) or f"{name}/{seat}" in table.declined:
                continue
            fields = {
                "general": schema.const(name),
                "talents": schema.count(0, table.players[general.owner].talents),
                "prisoners": schema.subset(_exchangeable(table, general)),
                "promise": schema.text(LONGEST_PROMISE),
            }
            optional = ("talents", "prisoners", "promise")
            yield cls.option(f"Propose a ransom for {table.names(name)}", fields, optional=optional)


class AnswerRansom(Command, frozen=True):
    """Accept an offer, which is carried out at once, or refuse it (CC-RAN-05, CC-RAN-06)."""

    rule = "CC-RAN-05"
    answers = frozenset({"answer-offer"})

    offer: OfferId
    accept: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        waiting = {offer.id: offer for offer in table.offers if _answerer(offer) == seat}
        offer = waiting.get(self.offer)
        if offer is None:
            raise Refusal("CC-RAN-05", f"{seat} answered {self.offer!r}.", f"Open for {seat}: {_listed(waiting)}.")
        if not self.accept:
            draft.emit(RansomDeclined(offer.id, offer.general, offer.proposer))
            return
        draft.emit(RansomAgreed(offer.id, offer.owner, offer.captor, offer.talents))
        for name in (offer.general, *offer.prisoners):
            at, aboard = return_place(table, table.leaders[name].owner)
            draft.emit(GeneralReturned(name, at, aboard))
        drop_void(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if waiting := [offer.id for offer in table.offers if _answerer(offer) == seat]:
            fields = {"offer": schema.one_of(waiting), "accept": schema.one_of((True, False))}
            yield cls.option("Accept or refuse a ransom", fields)


class WithdrawRansom(Command, frozen=True):
    """Take back one's own offer while it stands."""

    rule = "CC-RAN-05"

    offer: OfferId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        asked = f"{seat} wanted to withdraw {self.offer!r}."
        _check_time(draft.table, asked)
        own = {offer.id: offer for offer in draft.table.offers if offer.proposer == seat}
        offer = own.get(self.offer)
        if offer is None:
            raise Refusal("CC-RAN-05", asked, f"Its offers: {_listed(own)}.")
        draft.emit(RansomDeclined(offer.id, offer.general, seat, withdrawn=True))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        own = [offer.id for offer in table.offers if offer.proposer == seat]
        if own and table.phase == "placement":
            yield cls.option("Withdraw an offer", {"offer": schema.one_of(own)})


def _check_time(table: Table, asked: str) -> None:
    if table.phase != "placement":
        raise Refusal("CC-RAN-01", asked, "Ransoms are agreed in the placement phase.", untimely=True)


def _prisoners_of(table: Table, seat: Seat) -> list[str]:
    """The prisoners whom a seat owns or holds."""
    return sorted(
        name for name, leader in table.leaders.items() if leader.captor and seat in (leader.owner, leader.captor)
    )


def _is_open(table: Table, general: str) -> bool:
    return any(offer.general == general for offer in table.offers)


def _answerer(offer: Offer) -> Seat:
    return offer.captor if offer.proposer == offer.owner else offer.owner


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _question(offer: Offer, names: Names) -> str:
    general, price = names(offer.general), _price(offer, names)
    if offer.proposer == offer.owner:
        return f"Do you return {general} to {names(offer.owner)} for {price}?"
    return f"Do you give {names(offer.captor)} {price} for the return of {general}?"


def decisions(table: Table) -> list[Decision]:
    """Ask the other side of every offer."""
    return [
        Decision(
            "answer-offer",
            (_answerer(offer),),
            RuleId("CC-RAN-05"),
            _question(offer, table.names),
            "The turn cannot end while the offer stands.",
            {
                "offer": offer.id,
                "general": offer.general,
                "talents": offer.talents,
                "prisoners": offer.prisoners,
                "promise": offer.promise,
            },
        )
        for offer in table.offers
    ]


EVENTS = (RansomProposed, RansomAgreed, GeneralReturned, RansomDeclined, RansomLapsed)
COMMANDS = (ProposeRansom, AnswerRansom, WithdrawRansom)
