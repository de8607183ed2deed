"""Votes of the senate (chapter SEN)."""

from collections.abc import Iterable, Mapping

from msgspec import field
from msgspec.structs import replace

from domain.campaign.box import hands, lots
from domain.campaign.box.data import CardId, Gain, Levy, Tokens, Vote, name_of
from domain.campaign.box.lots import Lots, several
from domain.campaign.box.state import ITALIA, Prize, VoteUnderWay
from domain.campaign.box.table import Command, Event, Table, vote_of
from domain.campaign.cards import effects
from domain.campaign.cards.uses import CardUsed, check_ready, own_card, ready
from domain.campaign.turn.turn import ACT
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal

VOTING = frozenset({"vote"})

# --- what happens ---


class VoteCalled(Event, frozen=True):
    """A player called a vote of the senate (CS-SEN-03, CS-SEN-04)."""

    rules = ("CS-SEN-03", "CS-SEN-04", "CS-SEN-05")

    caller: Seat
    card: CardId

    def apply(self, table: Table) -> None:
        table.vote = VoteUnderWay(self.card, self.caller, waiting=_with_senators(table, self.caller, {}))

    def tell(self, names: Names) -> str:
        return f"The senate votes on {name_of(self.card)}."


class SenatorsLaid(Event, frozen=True):
    """A player laid senators face up, and leads the vote now (CS-SEN-05, CS-SEN-06).

    Attributes:
        senators: the senators that were added.
    """

    rules = ("CS-SEN-05", "CS-SEN-06")

    seat: Seat
    senators: dict[CardId, Count]

    def apply(self, table: Table) -> None:
        vote = vote_of(table)
        laid = {**vote.laid, self.seat: _plus(vote.laid.get(self.seat, {}), self.senators)}
        others = _with_senators(table, self.seat, laid)
        waiting = tuple(seat for seat in others if seat != self.seat)
        table.vote = replace(vote, laid=laid, leader=self.seat, waiting=waiting)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} laid {in_words(self.senators)}."


class VotePassed(Event, frozen=True):
    """A player laid no senators; they may do so when they are asked again (CS-SEN-06)."""

    rules = ("CS-SEN-05", "CS-SEN-06")

    seat: Seat

    def apply(self, table: Table) -> None:
        vote = vote_of(table)
        table.vote = replace(vote, waiting=vote.waiting[1:])

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} passed."


class VoteEnded(Event, frozen=True):
    """A vote ended: its winner spent what they had laid (CS-SEN-07), the others took theirs back (CS-SEN-08).

    Attributes:
        winner: who gets the prize; null when nobody voted (CS-SEN-09).
        spent: the senators that the winner laid.
    """

    rules = ("CS-SEN-07", "CS-SEN-08", "CS-SEN-09")

    card: CardId
    winner: Seat | None
    spent: dict[CardId, Count]

    def apply(self, table: Table) -> None:
        table.vote = None
        if self.winner is not None:
            table.add_senators(self.winner, self.spent, -1)
            table.prize = Prize(self.winner, self.card, self.spent)

    def tell(self, names: Names) -> str:
        if self.winner is None:
            return f"Nobody voted for {name_of(self.card)}."
        return f"{names(self.winner)} won the vote on {name_of(self.card)} and spent {in_words(self.spent)}."


class SenatorsGone(Event, frozen=True):
    """Spent senators left the game (CS-SEN-12); the player who leads in Rome drew one of them (CS-SEN-10).

    Attributes:
        leader: the player who drew one; null when nobody has most influence in Italia (CS-SEN-11).
        lots: the draw; null without a leader.
    """

    rules = ("CS-SEN-10", "CS-SEN-11", "CS-SEN-12", "CS-SEN-13")

    leader: Seat | None
    lots: Lots | None

    def apply(self, table: Table) -> None:
        table.prize = None
        if self.leader is not None and self.lots is not None:
            table.add_senators(self.leader, dict.fromkeys(self.lots.drawn, 1))

    def tell(self, names: Names) -> str:
        if self.leader is None or self.lots is None:
            return "Nobody leads in Rome, so the spent senators left the game."
        senators = enumerated([name_of(card) for card in self.lots.drawn])
        return f"{names(self.leader)} leads in Rome and took {senators}, one of the spent senators."


def in_words(senators: Mapping[CardId, int]) -> str:
    """Name senators: "Senator I and 2 × Senator III"."""
    return several([name_of(card) for card, number in sorted(senators.items()) for _ in range(number)])


def _plus(one: dict[CardId, int], other: dict[CardId, int]) -> dict[CardId, int]:
    return {card: one.get(card, 0) + other.get(card, 0) for card in sorted({*one, *other})}


def _has_left(table: Table, seat: Seat, laid: dict[Seat, dict[CardId, int]]) -> bool:
    """Tell whether a player has a senator left to lay; how many they hold is public (CS-CRD-06)."""
    return table.hands[seat].count > sum(laid.get(seat, {}).values())


def _with_senators(table: Table, first: Seat, laid: dict[Seat, dict[CardId, int]]) -> tuple[Seat, ...]:
    """Return the players who have a senator left to lay, clockwise from `first` (CS-SEN-05)."""
    return tuple(seat for seat in table.clockwise(first) if _has_left(table, seat, laid))


def highest(table: Table) -> int:
    """Return the votes of the leader, which the next player must exceed (CS-SEN-05)."""
    vote = vote_of(table)
    return hands.votes(table, vote.laid[vote.leader]) if vote.leader is not None else 0


# --- what players choose ---


class CallVote(Command, frozen=True):
    """Call a vote with a card of yours that is not used yet in this season (CS-SEN-03, CS-SEN-04)."""

    rules = ("CS-SEN-04", "CS-SEN-03", "CS-ACT-06")
    answers = ACT
    gesture = Gesture(cards=("card",), control="hand")

    card: CardId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        wrong = f"You asked to call the vote {self.card}."
        card = own_card(draft.table, seat, self.card, wrong, "CS-SEN-03")
        if not isinstance(card.effect, Vote):
            raise Refusal("CS-SEN-03", wrong, "This card calls no vote.")
        check_ready(draft.table, seat, card, wrong, "CS-SEN-03")
        draft.emit(CardUsed(seat, card.id))
        draft.emit(VoteCalled(seat, card.id))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if cards := [card.id for card in ready(table, seat) if isinstance(card.effect, Vote)]:
            yield cls.option("Call a vote of the senate", {"card": schema.one_of(cards)})


class LaySenators(Command, frozen=True):
    """Lay senators face up, so that those that you have laid have more votes than the leader's (CS-SEN-05, CS-SEN-06).

    Attributes:
        senators: how many of each kind, besides those that you have already laid.
    """

    rules = ("CS-SEN-05", "CS-SEN-01", "CS-SEN-06")
    answers = VOTING
    gesture = Gesture(cards=("senators",), control="hand")

    senators: dict[CardId, Count] = field(default_factory=dict[CardId, int])

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, vote = draft.table, vote_of(draft.table)
        hand, unlaid = hands.hand_of(table, seat, draft), _senators_left(table, seat, draft)
        each = [f"{number} {name_of(card)}" for card, number in sorted(self.senators.items())]
        wrong = f"You cannot lay {enumerated(each) or 'no senators'}."
        if any(card not in unlaid or number > unlaid[card] for card, number in self.senators.items()):
            has_them = all(card in hand and number <= hand[card] for card, number in self.senators.items())
            rule = "CS-SEN-06" if has_them else "CS-SEN-05"
            raise Refusal(rule, wrong, f"You have {hands.in_words(table, unlaid)} left.")
        votes_laid = hands.votes(table, vote.laid.get(seat, {}))
        if votes_laid + hands.votes(table, self.senators) <= (most := highest(table)):
            allowed = (
                f"Lay more than {most} vote{'s' * (most != 1)}, counting the {votes_laid} that you have laid, or pass."
            )
            raise Refusal("CS-SEN-05", wrong, allowed)
        draft.emit(SenatorsLaid(seat, {card: number for card, number in sorted(self.senators.items()) if number}))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        unlaid = _senators_left(table, seat, vault)
        needed = highest(table) + 1 - hands.votes(table, vote_of(table).laid.get(seat, {}))
        if hands.votes(table, unlaid) >= needed:
            counts = {card: schema.count(0, number) for card, number in unlaid.items()}
            cost = {"prices": {card: hands.worth(table, card) for card in unlaid}, "minimum": needed}
            yield cls.option("Lay senators", {"senators": schema.record(counts, counts, x_cost=cost)})


class PassVote(Command, frozen=True):
    """Lay no senators now. You may lay some when you are asked again (CS-SEN-06)."""

    rules = ("CS-SEN-05", "CS-SEN-06")
    answers = VOTING
    gesture = Gesture(quiet=True, called="Pass")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(VotePassed(seat))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def _senators_left(table: Table, seat: Seat, vault: Vault | Draft[Table]) -> hands.Senators:
    """Return the senators in a player's hand that are not laid."""
    laid = vote_of(table).laid.get(seat, {})
    hand = hands.hand_of(table, seat, vault)
    return {card: rest for card, number in hand.items() if (rest := number - laid.get(card, 0))}


class PlaceLegions(Command, frozen=True):
    """Choose where the units of a vote's prize are placed, all in one of its provinces (CS-EFF-07)."""

    rules = ("CS-EFF-07",)
    answers = frozenset({"place-legions"})
    gesture = Gesture(to="province")

    province: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        prize, effect = _prize(draft.table)
        assert isinstance(effect, Levy), "only units are placed"
        if self.province not in effect.places:
            wrong = f"You cannot place the units in {self.province}."
            raise Refusal("CS-EFF-07", wrong, f"Place them in {' or '.join(effect.places)}.")
        effects.levy(draft, seat, prize.card, effect, self.province)
        _draw_for_leader(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        _, effect = _prize(table)
        assert isinstance(effect, Levy), "only units are placed"
        yield cls.option("Place the units", {"province": schema.one_of(effect.places)})


# --- the steps ---


def vote(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask everybody who has a senator left, from the caller on; the vote ends when all others have passed."""
    vote = vote_of(table)
    if not vote.waiting:
        return _end
    seat = vote.waiting[0]
    title = f"Do you vote for {table.cards[vote.card].name}?"
    about = {"card": vote.card, "laid": vote.laid, "leader": vote.leader, "votes": highest(table)}
    laid = [f"{table.names(each)} has laid {in_words(senators)}." for each, senators in vote.laid.items()]
    depends = " ".join([*laid, "The vote ends when all others have passed."])
    return [Decision("vote", (seat,), RuleId("CS-SEN-05"), title, depends, about)]


def _end(draft: Draft[Table]) -> None:
    vote = vote_of(draft.table)
    spent = vote.laid[vote.leader] if vote.leader is not None else {}
    draft.emit(VoteEnded(vote.card, vote.leader, spent))


def award(table: Table) -> list[Decision] | Consequence[Table]:
    """Give the prize, and a spent senator to the leader in Rome; ask where units go, where there is a choice."""
    prize, effect = _prize(table)
    if (
        not isinstance(effect, Levy)
        or len(effect.places) == 1
        or effects.levied(table, prize.seat, effect)[0].total == 0
    ):
        return _award
    title, about = "Where do you place your new units?", {"card": prize.card, "provinces": effect.places}
    depends = "Then the player with most influence in Italia takes a senator."
    return [Decision("place-legions", (prize.seat,), RuleId("CS-EFF-07"), title, depends, about)]


def _prize(table: Table) -> tuple[Prize, Gain | Levy | Tokens]:
    prize = table.prize
    assert prize is not None, "a vote was won"
    effect = table.cards[prize.card].effect
    assert isinstance(effect, Vote), "votes have prizes"
    return prize, effect.prize


def _award(draft: Draft[Table]) -> None:
    prize, effect = _prize(draft.table)
    match effect:
        case Gain():
            effects.gain(draft, prize.seat, prize.card, effect)
        case Tokens():
            effects.add_tokens(draft, prize.seat, prize.card, effect)
        case Levy():
            effects.levy(draft, prize.seat, prize.card, effect, effect.places[0])
    _draw_for_leader(draft)


def _draw_for_leader(draft: Draft[Table]) -> None:
    """Let the player with most influence in Italia draw one of the senators that were spent (CS-SEN-10, CS-SEN-13)."""
    prize, _ = _prize(draft.table)
    influence = draft.table.provinces[ITALIA].influence
    most = max(influence.values(), default=0)
    leaders = [seat for seat in draft.table.seats if influence.get(seat) == most]
    if len(leaders) == 1:
        draft.emit(SenatorsGone(leaders[0], lots.draw(draft, prize.spent, 1)))
    else:
        draft.emit(SenatorsGone(None, None))


EVENTS = (VoteCalled, SenatorsLaid, VotePassed, VoteEnded, SenatorsGone)
COMMANDS = (CallVote, LaySenators, PassVote, PlaceLegions)
