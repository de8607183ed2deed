"""Checks ends that no rule book provides, as far as that needs no rules (TAB-END).

They are agreed by the players, or of a game that nobody plays any more.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from tabularium_client.proof.lines import Object, Row, after, elapsed

if TYPE_CHECKING:
    from tabularium_client.proof.around import Around

_AGREED: Final = "TAB-END-01"
_ABANDONED: Final = "TAB-END-04"
_USUAL: Final = 90
"""The days after which a game is abandoned, if its creator chose no other number."""
_ASKS_OTHERS: Final = {"seat-given-up", "seat-resigned", "seat-taken-over"}
"""After these events a proposal would have to ask other seats, so open proposals lapse."""


class _Proposal(Struct):
    seat: str
    asks: list[str]
    round: Any
    agreed: set[str] = field(default_factory=set[str])
    open: bool = True


class Ends:
    """The proposals to end a game, and the days after which it is abandoned."""

    def __init__(self, created: Object) -> None:
        self._proposals: dict[int, _Proposal] = {}
        self._days = created.get("abandoned_after") or _USUAL

    def objection(self, row: Row, rows: list[Row], around: "Around") -> str | None:
        """Return what is wrong with an act that is about an end; None when all is right."""
        match row["event"]["type"]:
            case "end-proposed":
                return self._wrong_proposal(row, rows, around)
            case "end-answered":
                return self._wrong_answer(row, rows)
            case "game-abandoned":
                return self._too_early(row, rows, around)
        return None

    def _wrong_proposal(self, row: Row, rows: list[Row], around: "Around") -> str | None:
        event = row["event"]
        seat, asks = event["seat"], event["asks"]
        if around.is_analysis:
            return "proposes to end an analysis by agreement"
        if not names_each_once(event["order"], around.players):
            return "does not name each seat of the game once"
        if seat in around.given_up:
            return f"proposes an end for {seat}, which was given up"
        for each in asks:
            if each == seat or each not in around.players or each in around.given_up:
                return f"asks {each}, which is not asked"
        if any(each.seat == seat and each.round == event["round"] for each in self._proposals.values()):
            return f"is a proposal of {seat} in a round in which it has made one"
        return None if asks or _agrees(after(row, rows)) else "asks nobody, and the game does not end"

    def _wrong_answer(self, row: Row, rows: list[Row]) -> str | None:
        event = row["event"]
        seat, proposal = event["seat"], self._proposals.get(event["proposed"])
        if proposal is None or not proposal.open:
            return f"answers a proposal of version {event['proposed']}, where none is open"
        own = proposal.seat == seat
        if event["agrees"] and own:
            return "agrees to a proposal of its own"
        if event["agrees"] and seat in proposal.agreed:
            return f"agrees for {seat} a second time"
        if not own and seat not in proposal.asks:
            return f"answers for {seat}, which is not asked"
        is_last = bool(event["agrees"]) and all(each == seat or each in proposal.agreed for each in proposal.asks)
        ends = _agrees(after(row, rows))
        return None if is_last == ends else f"is{' not' if ends else ''} the last consent that was asked for"

    def _too_early(self, row: Row, rows: list[Row], around: "Around") -> str | None:
        since = rows[row["version"] - 2]["at"]
        if around.is_analysis:
            return "abandons an analysis"
        if row["event"]["since"] != since:
            return f"says that nothing happened since {row['event']['since']}; it was {since}"
        if elapsed(since, row["at"]) < timedelta(days=self._days):
            return f"abandons the game before {self._days} days have passed"
        end = after(row, rows)
        return None if end and end["type"] == "game-ended" else "abandons the game, which does not end"

    def ends_as(self, ended: Object, act: Object) -> bool | None:
        """Tell whether a game ends as an act about an end says; None where neither has to do with one."""
        consents = act["type"] in {"end-answered", "end-proposed"}
        if consents or ended["rule"] == _AGREED:
            return consents and _agrees(ended)
        is_abandoned = act["type"] == "game-abandoned"
        if is_abandoned or ended["rule"] == _ABANDONED:
            return is_abandoned and ended["rule"] == _ABANDONED and not ended["winners"]
        return None

    def happen(self, row: Row) -> None:
        """Change what an event changes."""
        event = row["event"]
        vacates = event["type"] == "clock-expired" and event["then"] == "vacate"
        if vacates or event["type"] in _ASKS_OTHERS:
            self._proposals.clear()
        if event["type"] == "end-proposed":
            same = {at: each for at, each in self._proposals.items() if each.round == event["round"]}
            self._proposals = {**same, row["version"]: _Proposal(event["seat"], event["asks"], event["round"])}
        if event["type"] == "end-answered" and (proposal := self._proposals.get(event["proposed"])):
            if event["agrees"]:
                proposal.agreed.add(event["seat"])
            else:
                proposal.open = False


def names_each_once(order: list[list[str]], seats: dict[str, str | None]) -> bool:
    """Tell whether an order of seats, in groups that share a place, names each seat once."""
    names = [seat for group in order for seat in group]
    return len(names) == len(seats) and seats.keys() <= set(names) and all(order)


def _agrees(event: Object | None) -> bool:
    """Tell whether an event ends the game by agreement, without a winner."""
    return event is not None and event["type"] == "game-ended" and event["rule"] == _AGREED and not event["winners"]
