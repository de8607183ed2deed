"""Ransom: captured generals go home for talents, prisoners and promises (chapter RAN).

An offer is open until the other side answers it, the proposer withdraws it, or it can no longer be carried out. Only
one offer for a prisoner is open at a time.

No player can hold up the phase alone. In 2005, after an offer has failed, the other side makes the next one
(CC-RAN-06). In friz each side makes the other at most one offer in a turn (CC-RAN-14), and the turn waits for everybody
who may still make one and has not waived it (CC-RAN-13). Version 1 of friz follows the 2005 rule.
"""

from collections.abc import Iterable
from typing import Annotated, Final

from msgspec import UNSET, Meta

from domain.classic.box.pieces import GalleyId, LeaderId
from domain.classic.box.state import Offer, OfferId
from domain.classic.box.table import Command, Event, Table
from domain.classic.diplomacy import talks
from domain.classic.diplomacy.prisoners import (
    exchangeable,
    has_open_offer,
    is_free,
    is_the_others_turn,
    others_to_name,
    prisoners_of,
    return_place,
    why_no_deal,
)
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal, or_none, refuse_unless

LONGEST_PROMISE: Final = 200

Promise = Annotated[str, Meta(max_length=LONGEST_PROMISE)]
"""Promised favours in the players' words; they bind nobody (CC-RAN-10)."""


# --- what happens ---


class RansomProposed(Event, frozen=True):
    """The owner or the captor of a prisoner proposed a deal (CC-RAN-04): what the owner gives for the prisoner.

    Attributes:
        owner: whose general it is.
        captor: who holds the general prisoner.
        talents: what the owner pays.
        prisoners: generals whom the owner holds and gives in exchange.
        promise: favours in the players' words, which bind nobody (CC-RAN-10).
    """

    rules = ("CC-RAN-04",)

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


class DealProposed(Event, frozen=True):
    """The owner or the captor proposed a deal (CC-RAN-04) about one or several generals of the owner.

    The turn waits again for an offer of the other side, even if it has waived talks for this turn (CC-RAN-14).

    Attributes:
        proposer: the owner or the captor.
        owner: whose generals they are.
        captor: who holds them prisoner.
        general: a general who goes back to the owner.
        further: more generals who go back in the same deal.
        talents: what the owner pays.
        prisoners: generals of the captor or of third players whom the owner holds and gives in exchange.
        promise: favours in the players' words, which bind nobody (CC-RAN-10).
    """

    rules = ("CC-RAN-04", "CC-RAN-14")

    offer: OfferId
    proposer: Seat
    owner: Seat
    captor: Seat
    general: LeaderId
    further: tuple[LeaderId, ...] = ()
    talents: Count = 0
    prisoners: tuple[LeaderId, ...] = ()
    promise: str = ""

    def apply(self, table: Table) -> None:
        offer = Offer(
            self.offer,
            self.proposer,
            self.owner,
            self.captor,
            self.general,
            self.talents,
            self.prisoners,
            self.promise,
            self.further or UNSET,
        )
        table.offers.append(offer)
        answers = {f"{general}/{offer.answerer}" for general in offer.generals}
        table.declined[:] = [name for name in table.declined if name not in answers]
        table.proposed.append(talks.proposal(self.proposer, offer.answerer))
        table.waived[:] = [seat for seat in table.waived if seat != offer.answerer]
        table.next_talk += 1

    def tell(self, names: Names) -> str:
        back, price = names.all((self.general, *self.further)), _price(self, names)
        return f"{names(self.proposer)} proposed: {names(self.captor)} returns {back} for {price}."


def _price(offer: RansomProposed | DealProposed | Offer, names: Names) -> str:
    parts = [f"{offer.talents} talents"] if offer.talents else []
    parts += [names(prisoner) for prisoner in offer.prisoners]
    parts += [f"the promise “{offer.promise}”"] if offer.promise else []
    return enumerated(parts) or "nothing"


class RansomAgreed(Event, frozen=True):
    """A deal was accepted: the talents changed hands, and the generals follow (CC-RAN-05).

    Attributes:
        talents: what the owner of the prisoner paid to the captor.
    """

    rules = ("CC-RAN-05",)

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
    """A prisoner came back to their owner (CC-RAN-07, CC-RAN-08).

    Attributes:
        at: the province where the general appears; null for aboard a galley.
        aboard: the galley aboard which the general appears.
    """

    rules = ("CC-RAN-07", "CC-RAN-08")
    places = (("at", "at"),)

    general: LeaderId
    at: AreaId | None = None
    aboard: GalleyId | None = None

    def apply(self, table: Table) -> None:
        table.change_leader(self.general, captor=None, at=self.at, aboard=self.aboard)

    def tell(self, names: Names) -> str:
        where = f"to {names(self.at)}" if self.at is not None else f"aboard {names(self.aboard or '')}"
        return f"{names(self.general)} returned {where}."


class PrisonerHandedOver(Event, frozen=True):
    """A third player's general was part of a payment and now has another captor (CC-RAN-04).

    Attributes:
        captor: who holds the general prisoner from now on.
    """

    rules = ("CC-RAN-04",)

    general: LeaderId
    captor: Seat

    def apply(self, table: Table) -> None:
        table.change_leader(self.general, captor=self.captor)

    def tell(self, names: Names) -> str:
        return f"{names(self.general)} is now a prisoner of {names(self.captor)}."


class RansomDeclined(Event, frozen=True):
    """An offer was refused or withdrawn; nobody is forced to deal (CC-RAN-06).

    Attributes:
        withdrawn: whether the proposer withdrew it; otherwise the other side refused it.
    """

    rules = ("CC-RAN-06",)

    offer: OfferId
    general: LeaderId
    proposer: Seat
    withdrawn: bool = False

    def apply(self, table: Table) -> None:
        for offer in table.offers:
            if offer.id == self.offer:
                table.declined.extend(f"{general}/{self.proposer}" for general in offer.generals)
        _remove(table, self.offer)

    def tell(self, names: Names) -> str:
        return f"The offer for {names(self.general)} was {'withdrawn' if self.withdrawn else 'refused'}."


class RansomLapsed(Event, frozen=True):
    """An offer can no longer be carried out (CC-RAN-04), after another deal or the fall of a player."""

    rules = ("CC-RAN-04",)

    offer: OfferId

    def apply(self, table: Table) -> None:
        _remove(table, self.offer)

    def tell(self, names: Names) -> str:
        return f"{names(self.offer)} lapsed: it can no longer be carried out."


def _remove(table: Table, offer: str) -> None:
    table.offers[:] = [other for other in table.offers if other.id != offer]


# --- what other chapters ask ---


def drop_void(draft: Draft[Table]) -> None:
    """Drop the offers that can no longer be carried out. Call it whenever prisoners or talents have changed hands."""
    for offer in tuple(draft.table.offers):
        if not _can_be_kept(draft.table, offer):
            draft.emit(RansomLapsed(offer.id))


def _can_be_kept(table: Table, offer: Offer) -> bool:
    generals = [table.leaders.get(general) for general in offer.generals]
    return (
        all(each is not None and (each.owner, each.captor) == (offer.owner, offer.captor) for each in generals)
        and offer.talents <= table.players[offer.owner].talents
        and set(offer.prisoners).issubset(exchangeable(table, offer.owner, offer.captor))
    )


def _why_no_offer(table: Table, seat: Seat, other: Seat) -> str:
    """Return why a seat may not propose a deal to another in this turn (CC-RAN-14); an empty text when it may."""
    if not table.edition.turns_wait_for_talks:
        return ""
    if talks.proposal(seat, other) in table.proposed:
        return f"You have already made {other} an offer this turn."
    if any({offer.owner, offer.captor} == {seat, other} for offer in table.offers):
        return f"The open offer between you and {other} must first be answered or withdrawn."
    return ""


# --- what may be done ---


class ProposeRansom(Command, frozen=True):
    """Propose what the owner gives for a captured general (CC-RAN-04). The owner and the captor may do so.

    Attributes:
        talents: what the owner pays.
        prisoners: generals whom the owner holds and gives in exchange.
        promise: favours in the players' words, which bind nobody (CC-RAN-10).
        further: more generals of that owner, held by that captor, who go back in the same deal.
    """

    rules = ("CC-RAN-01", "CC-RAN-04")

    general: LeaderId
    talents: Count = 0
    prisoners: tuple[LeaderId, ...] = ()
    promise: Promise = ""
    further: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        wrong = f"You cannot propose a ransom for {self.general}."
        _check_time(table, wrong)
        general = table.leaders.get(self.general)
        if general is None or general.captor is None or seat not in (general.owner, general.captor):
            rule = "CC-RAN-04" if general is None or general.captor is None else "CC-RAN-05"
            raise Refusal(rule, wrong, f"Prisoners you own or hold: {or_none(prisoners_of(table, seat))}.")
        if (reason := why_no_deal(table, general)) is not None:
            raise Refusal(reason[0], wrong, reason[1])
        captor, other = general.captor, general.captor if seat == general.owner else general.owner
        refuse_unless(
            not has_open_offer(table, self.general), "CC-RAN-05", wrong, "An offer for this general is still open."
        )
        if is_the_others_turn(table, self.general, seat):
            raise Refusal("CC-RAN-06", wrong, "Your last offer failed, so the other side makes the next one.")
        if obstacle := _why_no_offer(table, seat, other):
            raise Refusal("CC-RAN-14", wrong, obstacle)
        self._check_further(table, seat)
        self._check_price(table, general.owner, captor)
        if table.edition.deals_name_several:
            draft.emit(
                DealProposed(
                    f"offer-{table.next_talk}",
                    seat,
                    general.owner,
                    captor,
                    self.general,
                    self.further,
                    self.talents,
                    self.prisoners,
                    self.promise,
                )
            )
            return
        draft.emit(
            RansomProposed(
                f"offer-{table.next_talk}",
                seat,
                general.owner,
                captor,
                self.general,
                self.talents,
                self.prisoners,
                self.promise,
            )
        )

    def _check_further(self, table: Table, seat: Seat) -> None:
        allowed = others_to_name(table, self.general, seat)
        if not set(self.further).issubset(allowed) or len(set(self.further)) < len(self.further):
            wrong = f"You named {', '.join(self.further)} in the same deal."
            raise Refusal("CC-RAN-04", wrong, f"You can name these, each once: {or_none(allowed)}.")

    def _check_price(self, table: Table, owner: Seat, captor: Seat) -> None:
        treasury = table.players[owner].talents
        if self.talents > treasury:
            raise Refusal("CC-RAN-04", f"The ransom is {self.talents} talents.", f"{owner} has {treasury}.")
        allowed = exchangeable(table, owner, captor)
        if not set(self.prisoners).issubset(allowed) or len(set(self.prisoners)) < len(self.prisoners):
            wrong = f"You named {', '.join(self.prisoners)} in exchange."
            in_return = [table.leaders.get(name) for name in self.prisoners if name not in allowed]
            homeless = any(each is not None and (each.owner, each.captor) == (captor, owner) for each in in_return)
            right = f"{owner} can give these to {captor}, each once: {or_none(allowed)}."
            raise Refusal("CC-RAN-09" if homeless else "CC-RAN-04", wrong, right)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if table.phase != "placement":
            return
        for name in prisoners_of(table, seat):
            general = table.leaders[name]
            captor = general.captor
            if captor is None or why_no_deal(table, general) is not None or not is_free(table, name, seat):
                continue
            if _why_no_offer(table, seat, captor if seat == general.owner else general.owner):
                continue
            fields = {
                "general": schema.const(name),
                "talents": schema.count(0, table.players[general.owner].talents),
            }
            if prisoners := exchangeable(table, general.owner, captor):
                fields["prisoners"] = schema.subset(prisoners)
            fields["promise"] = schema.text(LONGEST_PROMISE)
            optional = ("talents", "prisoners", "promise", "further")
            if further := others_to_name(table, name, seat):
                fields["further"] = schema.subset(further)
            yield cls.option(f"Propose a ransom for {table.names(name)}", fields, optional=optional)


class AnswerRansom(Command, frozen=True):
    """Accept an offer, which is carried out at once, or refuse it (CC-RAN-05, CC-RAN-06)."""

    rules = ("CC-RAN-05", "CC-RAN-06")
    answers = frozenset({"answer-offer"})

    offer: OfferId
    accept: bool

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        received = {offer.id: offer for offer in table.offers if offer.answerer == seat}
        offer = received.get(self.offer)
        if offer is None:
            wrong = f"You have no open offer {self.offer!r} to answer."
            raise Refusal("CC-RAN-05", wrong, f"Offers you can answer: {or_none(received)}.")
        if not self.accept:
            draft.emit(RansomDeclined(offer.id, offer.general, offer.proposer))
            return
        draft.emit(RansomAgreed(offer.id, offer.owner, offer.captor, offer.talents))
        for name in (*offer.generals, *offer.prisoners):
            owner = table.leaders[name].owner
            if owner not in (offer.owner, offer.captor):
                draft.emit(PrisonerHandedOver(name, offer.captor))
                continue
            at, aboard = return_place(table, owner)
            draft.emit(GeneralReturned(name, at, aboard))
        drop_void(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if received := [offer.id for offer in table.offers if offer.answerer == seat]:
            fields = {"offer": schema.one_of(received), "accept": schema.one_of((True, False))}
            yield cls.option("Accept or refuse a ransom", fields)


class WithdrawRansom(Command, frozen=True):
    """Withdraw your own offer while it is open."""

    rules = ("CC-RAN-05",)

    offer: OfferId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        wrong = f"You cannot withdraw {self.offer!r}."
        _check_time(draft.table, wrong)
        own = {offer.id: offer for offer in draft.table.offers if offer.proposer == seat}
        offer = own.get(self.offer)
        if offer is None:
            raise Refusal("CC-RAN-05", wrong, f"Your open offers: {or_none(own)}.")
        draft.emit(RansomDeclined(offer.id, offer.general, seat, withdrawn=True))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        own = [offer.id for offer in table.offers if offer.proposer == seat]
        if own and table.phase == "placement":
            yield cls.option("Withdraw an offer", {"offer": schema.one_of(own)})


def _check_time(table: Table, wrong: str) -> None:
    if table.phase != "placement":
        raise Refusal("CC-RAN-01", wrong, "Ransoms are negotiated only in the placement phase.", untimely=True)


def _question(offer: Offer, names: Names) -> str:
    general, price = names.all(offer.generals), _price(offer, names)
    if offer.proposer == offer.owner:
        return f"Do you return {general} to {names(offer.owner)} for {price}?"
    return f"Do you give {names(offer.captor)} {price} for the return of {general}?"


def decisions(table: Table) -> list[Decision]:
    """Ask the other side of every offer to answer, and the players that the turn waits for to negotiate."""
    questions = [_answer_to(offer, table.names) for offer in table.offers]
    return [*questions, *talks.negotiate(table)]


def _answer_to(offer: Offer, names: Names) -> Decision:
    further = {"further": offer.further} if offer.further else {}
    return Decision(
        "answer-offer",
        (offer.answerer,),
        RuleId("CC-RAN-05"),
        _question(offer, names),
        "The turn cannot end while the offer is open.",
        {
            "offer": offer.id,
            "general": offer.general,
            **further,
            "talents": offer.talents,
            "prisoners": offer.prisoners,
            "promise": offer.promise,
        },
    )


EVENTS = (RansomProposed, DealProposed, RansomAgreed, GeneralReturned, PrisonerHandedOver, RansomDeclined, RansomLapsed)
COMMANDS = (ProposeRansom, AnswerRansom, WithdrawRansom)
