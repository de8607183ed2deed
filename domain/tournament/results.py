"""The results of tables: taken from their games, confirmed, or given by a director (TAB-TRN-14 to TAB-TRN-16)."""

from domain.kernel.ids import PlayerId, Version
from domain.kernel.log.clock import DAY, HOUR, milliseconds
from domain.kernel.log.ending import How
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.tournament.events import Order, ResultConfirmed, ResultOverruled, ResultTaken
from domain.tournament.tournament import Inscribed, Tournament, require_order, require_reason


def take_result(
    tournament: Tournament,
    number: int,
    table: int,
    order: Order,
    how: How,
    rule: str,
    version: Version,
    hash: str,  # noqa: A002 - what it is called everywhere else
    leavers: tuple[PlayerId, ...],
    cause: Cause,
    at: str,
) -> Inscribed:
    """Take the result of a table from its game, which is over (TAB-TRN-14). An unconfirmed one can be taken again."""
    at_table = tournament.table(number, table, "TAB-TRN-14")
    refuse_unless(at_table.game is not None, "TAB-TRN-14", "The table has no game yet.", "Open it first.")
    if at_table.result is not None and (at_table.result.confirmed or at_table.result.how == "overruled"):
        raise Refusal("TAB-TRN-14", "The table has a result.", "A director can overrule it.", untimely=True)
    require_order(at_table, order, "TAB-TRN-14")
    refuse_unless(set(leavers) <= set(at_table.players), "TAB-TRN-14", "Somebody left who was not there.", "")
    return tournament.add([ResultTaken(number, table, order, how, rule, version, hash, leavers)], cause, at)


def confirm(tournament: Tournament, number: int, table: int, cause: Cause, at: str) -> Inscribed:
    """Let a result count: as a director, or by the service when its time is up (TAB-TRN-15)."""
    at_table = tournament.table(number, table, "TAB-TRN-15")
    if cause.by is None:
        tournament.require_director(cause, "TAB-TRN-15")
    if at_table.result is None:
        wrong = "The table has no result."
        raise Refusal("TAB-TRN-15", wrong, "Wait for the end of its game, or adjudicate.", untimely=True)
    if at_table.result.confirmed:
        raise Refusal("TAB-TRN-15", "The result counts already.", "A director can overrule it.", untimely=True)
    if cause.by is None:
        tournament.require_impartial(at_table, cause)
    else:
        hours = tournament.regulations.confirmed_after
        played = tournament.field.played
        is_last = number == played[-1].number and tournament.regulations.stage_of(len(played)) is None
        wrong = "Nobody has confirmed this result."
        right = "Those of the last round count when a director confirms them."
        refuse_unless(not is_last, "TAB-TRN-15", wrong, right)
        count_from = milliseconds(at_table.result.at) + hours * HOUR
        right = f"By itself a result counts {hours} hours after it was taken."
        refuse_unless(milliseconds(max(at, tournament.changed)) >= count_from, "TAB-TRN-15", wrong, right)
    return tournament.add([ResultConfirmed(number, table)], cause, at)


def overrule(
    tournament: Tournament, number: int, table: int, order: Order, reason: str, cause: Cause, at: str
) -> Inscribed:
    """Give a table a result, as a director: in place of that of its game, or because the game does not end
    (TAB-TRN-16)."""
    tournament.require_director(cause, "TAB-TRN-16")
    at_table = tournament.table(number, table, "TAB-TRN-16")
    tournament.require_impartial(at_table, cause)
    require_reason(reason, "TAB-TRN-16")
    require_order(at_table, order, "TAB-TRN-16")
    if at_table.result is None and at_table.game is not None:
        days = tournament.regulations.unfinished.days
        earliest = milliseconds(at_table.opened) + days * DAY
        wrong = "Its game is not over."
        right = f"A game may be adjudicated {days} days after it was opened."
        refuse_unless(milliseconds(max(at, tournament.changed)) >= earliest, "TAB-TRN-16", wrong, right)
    return tournament.add([ResultOverruled(number, table, order, reason)], cause, at)
