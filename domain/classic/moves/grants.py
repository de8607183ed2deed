"""Standing grants: consent to all passages of a kind, given before anybody asks (chapter ALY).

A standing grant answers for the player who gave it until they withdraw it (CC-ALY-05).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from domain.classic.box.state import Consent, Grant
from domain.classic.box.table import Command, Event, Table
from domain.classic.moves.passage import RULES, PassageAnswered, check_provided, find_way, has_grant, provided
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.board import Map
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, or_none

PASSAGES: dict[Consent, str] = {
    "transit": "pass through",
    "road": "use roads",
    "strait": "cross straits",
}
"""What each kind of consent allows, in the words of an option's title."""


class _OfGrant(Event, frozen=True):
    """What happened to a standing grant.

    Attributes:
        by: who consented.
        to: the player who may pass.
        where: the province that they enter, or the sea zone of the strait; null for everywhere.
    """

    by: Seat
    to: Seat
    kind: Consent
    where: AreaId | None = None

    @property
    def grant(self) -> Grant:
        return Grant(self.by, self.to, self.kind, self.where)

    def _sentence(self, names: Names, verb: str) -> str:
        place = f" in {names(self.where)}" if self.where else ""
        return f"{names(self.by)} {verb} {names(self.to)} every {self.kind} passage{place}"


class StandingGranted(_OfGrant, frozen=True):
    """A player consented to all passages of one kind by another player, until further notice (CC-ALY-02, CC-ALY-05)."""

    rules = ("CC-ALY-02", "CC-ALY-05")

    def apply(self, table: Table) -> None:
        table.grants.append(self.grant)

    def tell(self, names: Names) -> str:
        return f"{self._sentence(names, 'allows')} until further notice."


class GrantWithdrawn(_OfGrant, frozen=True):
    """A standing grant ended (CC-ALY-02, CC-ALY-05)."""

    rules = ("CC-ALY-02", "CC-ALY-05")

    def apply(self, table: Table) -> None:
        withdrawn = self.grant
        table.grants[:] = [grant for grant in table.grants if grant != withdrawn]

    def tell(self, names: Names) -> str:
        return f"{self._sentence(names, 'no longer allows')}."


class GrantStanding(Command, frozen=True):
    """Give a standing consent to all passages of one kind by another player, at any time (CC-ALY-02, CC-ALY-05).

    It holds until you withdraw it.

    Attributes:
        to: the player who may pass.
        where: the province that they enter (for a road, either end; each foreign end needs a consent), or the sea zone
            of the strait; null for everywhere.
    """

    rules = ("CC-ALY-05", "CC-ALY-02")
    aside = True
    gesture = "A promise that holds until further notice: it moves nothing."

    to: Seat
    kind: Consent
    where: AreaId | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        check_provided(table, self.kind)
        others = _others(table, seat)
        if self.to not in others:
            wrong = f"You cannot grant a passage to {self.to}."
            raise Refusal("CC-ALY-05", wrong, f"Other players in the game: {or_none(others)}.")
        places = _places(table, self.kind)
        if self.where is not None and self.where not in places:
            wrong = f"There is no {self.kind} passage in {self.where}."
            raise Refusal("CC-ALY-04", wrong, f"Expected one of {', '.join(places)}.")
        if has_grant(table, seat, self.to, self.kind, self.where):
            raise Refusal("CC-ALY-05", "You have already granted this.", "The grant holds until you withdraw it.")
        draft.emit(StandingGranted(seat, self.to, self.kind, self.where))
        _answer_for(draft, seat)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        others = _others(table, seat)
        for kind in provided(table) if others else ():
            places = _places(table, kind)
            mine = [grant for grant in table.grants if grant.by == seat and grant.kind == kind]
            everywhere = {grant.to for grant in mine if grant.where is None}
            partly = {grant.to for grant in mine} - everywhere
            if untouched := [other for other in others if other not in everywhere | partly]:
                yield cls._option(kind, untouched, places, ("where",))
            for other in sorted(partly):
                granted = {grant.where for grant in mine if grant.to == other}
                yield cls._option(kind, [other])
                if ungranted := [place for place in places if place not in granted]:
                    yield cls._option(kind, [other], ungranted)

    @classmethod
    def _option(
        cls, kind: Consent, others: Sequence[Seat], places: Sequence[AreaId] = (), optional: Sequence[str] = ()
    ) -> Option:
        fields = {"to": schema.one_of(others), "kind": schema.const(kind)}
        if places:
            fields["where"] = schema.one_of(places)
        return cls.option(
            f"Let a player {PASSAGES[kind]} until further notice", fields, rule=RULES[kind], optional=optional
        )


class WithdrawGrant(Command, frozen=True):
    """Withdraw a standing grant, at any time; a passage under way is not affected (CC-ALY-02, CC-ALY-05).

    Attributes:
        to: the player who may no longer pass.
        where: the same as when it was granted.
    """

    rules = ("CC-ALY-05", "CC-ALY-02")
    aside = True
    gesture = "A promise that holds until further notice: it moves nothing."

    to: Seat
    kind: Consent
    where: AreaId | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        check_provided(table, self.kind)
        if table.winner is not None or Grant(seat, self.to, self.kind, self.where) not in table.grants:
            mine = [f"{grant.kind} to {grant.to}" for grant in table.grants if grant.by == seat]
            raise Refusal("CC-ALY-05", "You have not granted this.", f"Your grants: {or_none(mine)}.")
        draft.emit(GrantWithdrawn(seat, self.to, self.kind, self.where))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        names = table.names
        for grant in table.grants if table.winner is None else ():
            if grant.by != seat:
                continue
            fields = {"to": schema.const(grant.to), "kind": schema.const(grant.kind)}
            title = f"No longer let {names(grant.to)} {PASSAGES[grant.kind]}"
            if grant.where is not None:
                fields["where"] = schema.const(grant.where)
                title += f" in {names(grant.where)}"
            yield cls.option(title, fields)


def _others(table: Table, seat: Seat) -> list[Seat]:
    """Return the players to whom `seat` may grant something; empty if it is out of the game, or the game is over."""
    playing = table.playing() if table.winner is None else []
    return [other for other in playing if other != seat] if seat in playing else []


def _places(table: Table, kind: Consent) -> tuple[AreaId, ...]:
    return _strait_seas(table.map) if kind == "strait" else table.map.lands


@lru_cache(maxsize=64)
def _strait_seas(board: Map) -> tuple[AreaId, ...]:
    pairs = ((land, other) for land in board.lands for other in board.land_neighbours(land))
    return tuple(sorted({sea for one, other in pairs if (sea := board.strait_between(one, other)) is not None}))


def _answer_for(draft: Draft[Table], seat: Seat) -> None:
    """Let a new standing grant answer the open request."""
    request = draft.table.request
    if request is None or seat not in request.asked:
        return
    way = find_way(draft.table, request.mover, request.origin, request.to)
    if seat not in way.owners(request.kind):
        draft.emit(PassageAnswered(seat, granted=True, automatic=True))


EVENTS = (StandingGranted, GrantWithdrawn)
COMMANDS = (GrantStanding, WithdrawGrant)
