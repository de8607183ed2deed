"""The calendar of a tournament (RFC 5545): when its rounds begin, and its deadlines."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from domain.tournament.field import Round
from domain.tournament.tournament import Tournament
from service.base.clock import later
from service.tournaments.tables import START_AFTER

CALENDAR: Final = "text/calendar"

_PRODUCT: Final = "-//Tabularium//Tournaments//EN"


class Entry(Struct, frozen=True):
    """An entry of a calendar.

    Attributes:
        name: a name that no other entry of the tournament has.
        text: its text, one line.
        begins: when it begins, RFC 3339 in UTC.
        ends: when it ends; the same time for a moment.
        is_cancelled: whether it was cancelled.
    """

    name: str
    text: str
    begins: str
    ends: str
    is_cancelled: bool


def entries_of(tournament: Tournament) -> Iterator[Entry]:
    """Yield the entries of a tournament. They follow from its log alone."""
    for played in tournament.field.rounds.values():
        if opened := [table.opened for table in played.tables if table.opened]:
            is_cancelled = "cancelled" in (played.status, tournament.status)
            yield from _entries_of_round(tournament, played, min(opened), max(opened), is_cancelled=is_cancelled)


def _entries_of_round(
    tournament: Tournament, played: Round, first: str, last: str, *, is_cancelled: bool
) -> Iterator[Entry]:
    number, regulations = played.number, tournament.regulations
    text = f"Round {number}: confirm your seat, the games begin"
    yield Entry(f"round-{number}", text, first, later(first, timedelta(seconds=START_AFTER)), is_cancelled)
    if is_cancelled or tournament.status == "closed":
        return
    playing = [table for table in played.waiting if table.result is None]
    if playing:
        at = later(last, timedelta(days=regulations.unfinished.days))
        yield Entry(
            f"unfinished-{number}", f"Round {number}: unfinished games can be adjudicated", at, at, is_cancelled=False
        )
    results = [table.result.at for table in played.waiting if table.result is not None]
    is_last = regulations.stage_of(len(tournament.field.played)) is None and played is tournament.field.played[-1]
    if results and not is_last:
        at = later(max(results), timedelta(hours=regulations.confirmed_after))
        yield Entry(f"results-{number}", f"Round {number}: the results count by themselves", at, at, is_cancelled=False)


def calendar_of(tournament: Tournament, title: str, page: str) -> bytes:
    """Return the calendar of a tournament. The same tournament always has the same bytes.

    Args:
        page: the address of its page; empty when it is not known.
    """
    # Import late: it takes a tenth of a second, and most processes never make a calendar.
    from icalendar import Calendar, Event, vText

    heading = title or f"Tournament {tournament.id}"
    calendar = Calendar()
    calendar.add("prodid", _PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", vText(heading))  # the library does not know that this is text
    for each in entries_of(tournament):
        event = Event()
        event.add("uid", f"{each.name}@{tournament.id}")
        event.add("dtstamp", _time(tournament.changed))
        event.add("sequence", tournament.version)
        event.add("dtstart", _time(each.begins))
        event.add("dtend", _time(each.ends))
        event.add("summary", f"{heading} · {each.text}")
        event.add("status", "CANCELLED" if each.is_cancelled else "CONFIRMED")
        if page:
            event.add("url", page)
        calendar.add_component(event)
    return calendar.to_ical()


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(microsecond=0)
