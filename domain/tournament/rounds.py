"""Rounds: their lots, the drafts of their tables, publication, games and substitutes (TAB-TRN-08 to TAB-TRN-13)."""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.record import Cause
from domain.kernel.rules.message import enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.tournament.chain import LENGTH, follows
from domain.tournament.draw import Cost, Draw, NoDraw, Problem, Undecided, cost, draw_lots, faults, obstacle
from domain.tournament.draw.cost import cost_in
from domain.tournament.draw.field import Field as Numbers
from domain.tournament.drawing import drawn_without_solver, eligible, problem_of
from domain.tournament.events import (
    LotsDrawn,
    RoundCancelled,
    RoundDrafted,
    RoundPublished,
    SubstituteSeated,
    TableOpened,
)
from domain.tournament.field import Entrant, Round
from domain.tournament.regulations import FinalTable, KnockOut, Swiss
from domain.tournament.tournament import Inscribed, Tournament, require_reason

MOST_DRAFTS: Final = 20
"""The most drafts of a round. Each of them stays in the log."""


def close_check_in(tournament: Tournament, secret: str, cause: Cause, at: str) -> Inscribed:
    """Close the check-in for the next round, as a director, and draw its lots from its secret (TAB-TRN-08)."""
    tournament.require_director(cause, "TAB-TRN-08")
    current, played = tournament.field.current, len(tournament.field.played)
    if current is not None and current.status == "drawn":
        wrong = f"The lots of round {current.number} have been drawn."
        raise Refusal("TAB-TRN-08", wrong, "A draft is drawn again with the same lots.", untimely=True)
    stage = tournament.regulations.stage_of(played)
    if stage is None:
        wrong = f"All {played} rounds have been drawn."
        raise Refusal("TAB-TRN-08", wrong, "Close the tournament when its results count.", untimely=True)
    waiting = [table.number for each in tournament.field.played for table in each.waiting]
    if waiting and isinstance(stage, Swiss | KnockOut | FinalTable):
        wrong = f"{len(waiting)} tables have no result that counts."
        right = "The next round is drawn when all results count: confirm them, or adjudicate."
        raise Refusal("TAB-TRN-08", wrong, right, untimely=True)
    number = tournament.next_round
    refuse_unless(number <= LENGTH, "TAB-TRN-08", f"{LENGTH} rounds have been drawn.", "There are no more secrets.")
    refuse_unless(
        follows(secret, tournament.last_secret), "TAB-TRN-08", "The secret is not the next one of the chain.", ""
    )
    present = _present(tournament, number)
    entropy = {each.player: each.entropy for each in present}
    lots = draw_lots(bytes.fromhex(secret), tournament.id, number, entropy)
    return tournament.add([LotsDrawn(number, secret, lots)], cause, at)


def _present(tournament: Tournament, number: int) -> list[Entrant]:
    """Return the players who play the next round: eligible and checked in. Raises `Refusal` when they are too few."""
    field, regulations = tournament.field, tournament.regulations
    stage = regulations.stage_of(len(field.played))
    least = number if regulations.check_in == "each round" else 1
    present = [field.entrants[player] for player in eligible(field)]
    present = [each for each in present if not each.out and each.checked_in >= least]
    fewest = stage.size if isinstance(stage, FinalTable) else min(regulations.sizes)
    if len(present) < fewest:
        wrong = f"{len(present)} players can play the round."
        right = f"A table needs {fewest} at least, who have checked in."
        raise Refusal("TAB-TRN-08", wrong, right, untimely=True)
    return present[:fewest] if isinstance(stage, FinalTable) else present


def tables_for(tournament: Tournament, solve: Callable[[Problem], Draw] | None = None) -> Draw:
    """Return tables for the round whose lots were drawn: by a solver, or without one.

    Raises:
        Refusal: no round is being drawn, or it has no lawful tables: then it says which bans or sizes are in the way
            (TAB-TRN-09).
    """
    current = tournament.require_drawn("TAB-TRN-09")
    problem = problem_of(tournament.field, current)
    try:
        return drawn_without_solver(tournament.field, current) if solve is None else solve(problem)
    except NoDraw:
        right = "Drop a player, or cancel the round and change the sizes of tables or the bans."
        raise Refusal("TAB-TRN-09", obstacle(problem) or "There is no lawful draw.", right) from None
    except Undecided as undecided:
        wrong, right = f"A lawful draw was not found: {undecided}.", "Draw the tables by hand, or lift bans."
        raise Refusal("TAB-TRN-09", wrong, right) from None


def draft(tournament: Tournament, draw: Draw, by: str, bound: int | None, cause: Cause, at: str) -> Inscribed:
    """Draw the tables of the round whose lots were drawn, as a director (TAB-TRN-09).

    Args:
        draw: the tables.
        by: the method that found them.
        bound: no tables can have a lower total cost than this; None when unknown.
    """
    tournament.require_director(cause, "TAB-TRN-09")
    current = require_more_drafts(tournament)
    costs = _costs(tournament, draw, current, "TAB-TRN-09")
    draft = len(current.drafts) + 1
    event = RoundDrafted(current.number, draft, draw, costs, by, UNSET if bound is None else bound)
    return tournament.add([event], cause, at)


def require_more_drafts(tournament: Tournament) -> Round:
    """Return the round that is being drawn. Raises `Refusal` when there is none, or it has `MOST_DRAFTS` drafts."""
    current = tournament.require_drawn("TAB-TRN-09")
    wrong = f"Round {current.number} has {len(current.drafts)} drafts."
    refuse_unless(len(current.drafts) < MOST_DRAFTS, "TAB-TRN-09", wrong, "Publish one of them.")
    return current


def publish(
    tournament: Tournament, draft: int, changed: Draw | None, reason: str | None, cause: Cause, at: str
) -> Inscribed:
    """Publish the tables of a draft, as a director (TAB-TRN-10).

    Args:
        changed: the tables as a director has changed them by hand; None to publish those of the draft.
        reason: why they were changed; None when they were not.
    """
    tournament.require_director(cause, "TAB-TRN-10")
    current = tournament.require_drawn("TAB-TRN-10")
    draw = _draft(current, draft)
    if changed is None or changed == draw:
        refuse_unless(reason is None, "TAB-TRN-10", "You gave a reason, but changed nothing.", "Leave it out.")
    else:
        require_reason(reason or "", "TAB-TRN-10")
        draw = changed
    costs = _costs(tournament, draw, current, "TAB-TRN-10")
    event = RoundPublished(current.number, draft, draw, costs, UNSET if reason is None else reason)
    return tournament.add([event], cause, at)


def require_drawing(tournament: Tournament, number: int) -> Round:
    """Return the round that is being drawn. Raises `Refusal` unless it has this number (TAB-TRN-10)."""
    current = tournament.require_drawn("TAB-TRN-10")
    if current.number != number:
        wrong = f"Round {number} is not the one that is being drawn."
        raise Refusal("TAB-TRN-10", wrong, f"Publish round {current.number}.", untimely=True)
    return current


def price(tournament: Tournament, number: int, draft: int, draw: Draw, cause: Cause) -> tuple[Cost, tuple[Cost, ...]]:
    """Return what tables would cost if a director published them in place of a draft: in total, and of each table.

    It changes nothing. Raises `Refusal` where publishing them would (TAB-TRN-10), but needs no reason for a change.
    """
    tournament.require_director(cause, "TAB-TRN-10")
    current = require_drawing(tournament, number)
    _draft(current, draft)
    field = Numbers(_lawful(tournament, draw, current, "TAB-TRN-10"))
    return cost_in(field, draw), tuple(cost_in(field, Draw((table,))) for table in draw.tables)


def _draft(current: Round, draft: int) -> Draw:
    """Return a draft by its number. Raises `Refusal` when there is none."""
    if not 1 <= draft <= len(current.drafts):
        wrong, drafts = f"Round {current.number} has no draft {draft}.", len(current.drafts)
        right = f"Its drafts are 1 to {drafts}." if drafts else "Draw one."
        raise Refusal("TAB-TRN-10", wrong, right)
    return current.drafts[draft - 1]


def _costs(tournament: Tournament, draw: Draw, current: Round, rule: str) -> Cost:
    """Return what tables cost. Raises `Refusal` with the first fault of unlawful ones."""
    return cost(_lawful(tournament, draw, current, rule), draw)


def _lawful(tournament: Tournament, draw: Draw, current: Round, rule: str) -> Problem:
    """Return the problem of a round. Raises `Refusal` with the first fault of tables that do not solve it lawfully."""
    problem = problem_of(tournament.field, current)
    for fault in faults(problem, draw):
        raise Refusal(rule, fault, "Everybody sits once or has a bye; the sizes of tables and the bans hold.")
    return problem


def cancel_round(tournament: Tournament, number: int, reason: str, cause: Cause, at: str) -> Inscribed:
    """Cancel the last round before a result of it counts, as a director (TAB-TRN-11).

    The caller must check that players have given no command in its games.
    """
    tournament.require_director(cause, "TAB-TRN-11")
    require_reason(reason, "TAB-TRN-11")
    current = tournament.field.current
    if current is None or number != current.number:
        wrong = f"Round {number} is not the one that is played."
        raise Refusal("TAB-TRN-11", wrong, f"Cancel round {current.number}." if current else "Draw one.")
    if any(table.result is not None for table in current.tables):
        wrong = "A table of this round has a result."
        raise Refusal("TAB-TRN-11", wrong, "Overrule single results instead.", untimely=True)
    return tournament.add([RoundCancelled(number, reason)], cause, at)


def open_table(tournament: Tournament, number: int, table: int, game: GameId, cause: Cause, at: str) -> Inscribed:
    """Note that the game of a table was created (TAB-TRN-12)."""
    at_table = tournament.table(number, table, "TAB-TRN-12")
    refuse_unless(at_table.game is None, "TAB-TRN-12", f"Its game is {at_table.game}.", "A table has one game.")
    refuse_unless(
        game not in tournament.games, "TAB-TRN-12", f"{game} is played at another table.", "Create another one."
    )
    return tournament.add([TableOpened(number, table, game)], cause, at)


def substitute(
    tournament: Tournament, number: int, table: int, player: PlayerId, to: PlayerId, reason: str, cause: Cause, at: str
) -> Inscribed:
    """Seat another player of the tournament in somebody's place, as a director (TAB-TRN-13)."""
    tournament.require_director(cause, "TAB-TRN-13")
    at_table = tournament.table(number, table, "TAB-TRN-13")
    tournament.require_impartial(at_table, cause)
    require_reason(reason, "TAB-TRN-13")
    if at_table.result is not None:
        raise Refusal("TAB-TRN-13", "The table has a result.", "Overrule it instead.", untimely=True)
    wrong = f"{player} does not sit at this table."
    refuse_unless(player in at_table.players, "TAB-TRN-13", wrong, f"Its players are {enumerated(at_table.players)}.")
    tournament.require_in(to, "TAB-TRN-13")
    busy = {each for other in tournament.field.rounds[number].tables for each in (*other.players, *other.away)}
    wrong = f"{to} has a table in this round."
    refuse_unless(to not in busy, "TAB-TRN-13", wrong, "A substitute has no table in the round.")
    return tournament.add([SubstituteSeated(number, table, player, to, reason)], cause, at)
