"""What a case requires of texts, cited rules, commands and decisions."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET

from domain.judging.events import (
    Decision,
    Kind,
)
from domain.judging.facts import Facts
from domain.kernel.ids import RuleId, Seat, Version
from domain.kernel.log.around import LONGEST_REASON, is_reason
from domain.kernel.rules.message import enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless

MOST_CITED: Final = 20
IN_A_RUNNING_GAME: Final[tuple[Decision, ...]] = ("back", "pause", "resume")


def require_text(text: str, rule: str = "TAB-CASE-06") -> None:
    """Raise `Refusal` unless a statement is 1 to 2,000 printable characters; it may have several lines."""
    _require_text(text, text.replace("\n", " "), "A statement", "no control characters but newlines", rule)


def require_reason(reason: str) -> None:
    """Raise `Refusal` unless the reason of a ruling is 1 to 2,000 printable characters (TAB-RUL-02)."""
    _require_text(reason, reason, "The reason of a ruling", "no control characters", "TAB-RUL-02")


def _require_text(text: str, line: str, what: str, without: str, rule: str) -> None:
    right = f"{what} has 1 to {LONGEST_REASON:,} characters, and {without}."
    refuse_unless(text.strip(), rule, f"{what} is empty.", right)
    refuse_unless(len(text) <= LONGEST_REASON, rule, f"{what} has {len(text):,} characters.", right)
    refuse_unless(is_reason(line), rule, f"{what} has characters that cannot be printed.", right)


def require_rules(cited: Sequence[RuleId], facts: Facts, *, at_least: int = 0) -> None:
    """Raise `Refusal` unless `at_least` to `MOST_CITED` different rules are cited, all of them known (TAB-RUL-08)."""
    right = f"Cite {at_least} to {MOST_CITED} different rules of the ruleset or of the service."
    number = f"You cited {len(cited)} rules."
    refuse_unless(at_least <= len(cited) <= MOST_CITED, "TAB-RUL-08", number, right)
    refuse_unless(len(set(cited)) == len(cited), "TAB-RUL-08", "You cited a rule twice.", right)
    for rule in cited:
        refuse_unless(facts.knows(rule), "TAB-RUL-08", f"This game has no rule {rule!r}.", right)


def require_about(kind: Kind, about: Version, facts: Facts) -> None:
    """Raise `Refusal` unless a case of this kind can be about this version of the game (TAB-CASE-02)."""
    if not 1 <= about <= facts.version:
        wrong = f"The game has no version {about}."
        raise Refusal("TAB-CASE-02", wrong, f"Its versions are 1 to {facts.version}.")
    if kind == "result" and facts.status != "over":
        raise Refusal("TAB-CASE-02", "You dispute the result, but the game is not over.", "Wait for its end.")


def require_command(kind: Kind, command: Any, seat: Seat | None, *, refused: bool) -> None:
    """Raise `Refusal` unless the command fits the kind of the case (TAB-CASE-05).

    A case about a refusal has a command that the rules refuse to its seat; `refused` says whether they do at the
    version of the case. Other cases have no command.
    """
    if kind != "refusal":
        wrong = f"You sent a command with a case of the kind {kind}."
        refuse_unless(command is UNSET, "TAB-CASE-05", wrong, "Send a command only with a case of the kind refusal.")
        return
    right = "Send the command that was refused to your seat at this version."
    refuse_unless(command is not UNSET, "TAB-CASE-05", "You dispute a refusal, but sent no command.", right)
    refuse_unless(seat is not None, "TAB-CASE-05", "You hold no seat, so no command of yours was refused.", right)
    refuse_unless(refused, "TAB-CASE-05", "This command is not refused at this version.", right)


def require_possible(decision: Decision, to: Any, order: Any, facts: Facts) -> None:
    """Raise `Refusal` unless a ruling can decide this in the game as it stands (TAB-RUL-09)."""
    wants_to, wants_order = decision in ("back", "continue"), decision == "result"
    right = "Send `to` with the decisions back and continue only, and `order` with the decision result only."
    refuse_unless((to is not UNSET) == wants_to, "TAB-RUL-09", f"`to` does not fit {decision!r}.", right)
    refuse_unless((order is not UNSET) == wants_order, "TAB-RUL-09", f"`order` does not fit {decision!r}.", right)
    if decision in IN_A_RUNNING_GAME and facts.status != "running":
        wrong = f"You decided {decision!r}, but the game is {facts.status}."
        raise Refusal("TAB-RUL-09", wrong, "Only a running game goes back, pauses or resumes.")
    if decision in ("pause", "resume") and facts.paused == (decision == "pause"):
        wrong = f"The game is {'paused already' if facts.paused else 'not paused'}."
        raise Refusal("TAB-RUL-09", wrong, "A running game can be paused, and a paused one resumed.")
    if decision == "back" and to not in facts.starts():
        wrong = f"The game cannot go back to version {to}."
        raise Refusal("TAB-RUL-09", wrong, "Choose the version before a command that was not taken back.")
    if decision == "continue" and (facts.status != "over" or to not in facts.continuations):
        wrong = f"The game cannot continue in {to}. The game is {facts.status}."
        continuations = enumerated(list(facts.continuations)) or "none"
        right = f"A game that is over can continue in a fork that was made for that. Such forks: {continuations}."
        raise Refusal("TAB-RUL-09", wrong, right)
    if wants_order:
        _require_order(order, facts)


def _require_order(order: tuple[tuple[Seat, ...], ...], facts: Facts) -> None:
    if facts.status not in ("running", "over"):
        wrong = f"You decided the result, but the game is {facts.status}."
        raise Refusal("TAB-RUL-09", wrong, "A game has a result once it has begun.")
    placed = [seat for tied in order for seat in tied]
    if sorted(placed) != sorted(facts.seats) or not all(order):
        wrong = f"The order has {enumerated(placed) or 'no seats'}."
        raise Refusal("TAB-RUL-09", wrong, f"It must name each of {enumerated(list(facts.seats))} exactly once.")
