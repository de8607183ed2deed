"""Going back to an earlier version, by undo, by consent or by a ruling (TAB-UNDO-01 to -05)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NoReturn, cast

from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat, Version
from domain.kernel.log.answers import Answers
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import cause_of, starts_of_commands
from domain.kernel.log.lifecycle import (
    By,
    MovesRetracted,
    TakeBackAnswered,
    TakeBackAsked,
    Undo,
)
from domain.kernel.log.record import Cause, Record, inscribe
from domain.kernel.log.ticking import clocks_ran
from domain.kernel.rules.refusal import Refusal


def require_retractable(
    game: Game, to: Version, by: Literal["undo", "ruling"], history: Sequence[Record], seat: Seat | None
) -> None:
    """Raise `Refusal` unless the game may go back to version `to`, by an undo of `seat` or by a ruling.

    A finished game cannot go back: its secret is public, so everybody would know the dice beforehand.
    """
    if game.status != "running":
        wrong = f"You asked to go back to version {to}, but {game.state}."
        raise Refusal("TAB-LIFE-01", wrong, "Only a running game can go back.", untimely=True)
    if by == "undo":
        _ = game.running_ruleset  # a pause stops undo, too
        if seat is not None:
            game.require_not_resigned(seat)
    own = game.undo.get(seat, ()) if seat is not None else ()
    if by == "undo" and to not in own:
        may = ", ".join(map(str, own))
        raise Refusal(
            "TAB-UNDO-01",
            f"You cannot go back to version {to}.",
            f"You can go back to: {may}." if may else "You have nothing to take back.",
        )
    if by == "ruling" and to not in starts_of_commands(history):
        allowed = "Choose a version at which a command began."
        raise Refusal("TAB-UNDO-02", f"The game cannot go back to version {to}.", allowed)


def go_on_from(
    game: Game,
    earlier: Game,
    by: By,
    reason: str,
    cause: Cause | None,
    at: str,
    others: Sequence[Record] = (),
) -> Decided:
    """Return the way back to `earlier`, this game at a version to which it may go back.

    The state around the table stays, except that open requests lapse. A way back by consent has no cause: it follows
    from another act. `others` begin commands of other seats. The event names those that the caller has to give again.
    """
    again = tuple(_accepted(game, earlier, others, at))
    event = MovesRetracted(earlier.version, by, reason, again or UNSET)
    if by == "undo" and cause is not None:
        cause = replace(cause, command=Raw(canonical(Undo(earlier.version))))
    record = inscribe(
        game.id, game.head, game.version + 1, event, schema=event.schema, draws=game.draws, at=at, cause=cause
    )
    # A ruling or consent ends answers left in advance, which were meant for another course. An undo ends none.
    answers = game.answers if by == "undo" else Answers()
    around = game.around.moved_on(record.version)
    after = replace(
        earlier,
        players=game.players,
        version=record.version,
        head=record.hash,
        draws=game.draws,
        answers=answers,
        around=around,
        clocks=game.clocks,  # time does not go back (TAB-CLK-11)
    )
    change = clocks_ran(game, after, cause or Cause(), [event], at)
    return Decided(after, (record, after.append(change, at)) if change is not None else (record,))


def ask_take_back(
    game: Game,
    seat: Seat,
    to: Version,
    history: Sequence[Record],
    earlier: Callable[[Version], Game],
    cause: Cause,
    at: str,
    *,
    asks: Literal["present"] | UnsetType = "present",
) -> Decided:
    """Ask the other seats to go back to a version before a command of `seat`.

    `history` is the whole log of this game; `earlier` returns the game at a version of it; `asks` is that of
    `TakeBackAsked`.

    Raises:
        Refusal: the game does not go on, the seat has resigned (TAB-SEAT-04), no command of the seat that counts begins
            there (TAB-UNDO-04), or the seat has an open request, or has asked for this version since the game moved on
            (TAB-UNDO-05).
    """
    _ = game.running_ruleset
    game.require_not_resigned(seat)
    own = starts_of_commands(history, seat)
    if to not in own:
        last = ", ".join(map(str, sorted(own)[-5:]))
        allowed = f"Name a version before a command of yours that still counts. The last are: {last}."
        wrong = f"No command of {seat} begins at version {to}."
        raise Refusal("TAB-UNDO-04", wrong, allowed if last else f"{seat} has given no command.")
    if (already := game.around.open_request(seat)) is not None:
        wrong = f"Your request of version {already} is still open."
        raise Refusal("TAB-UNDO-05", wrong, "Withdraw it, or wait until the others have answered it.")
    if any((each.seat, each.to) == (seat, to) for each in game.around.asked.values()):
        wrong = f"You have already asked to go back to version {to}."
        raise Refusal("TAB-UNDO-05", wrong, "Ask again when the game has moved on, or name another version.")
    step = game.log([(TakeBackAsked(seat, to, asks), game.draws)], replace(cause, seat=seat), at)
    return agreed(step, step.game.version, earlier, at)


def answer_take_back(
    game: Game,
    seat: Seat,
    version: Version,
    agrees: bool,
    earlier: Callable[[Version], Game],
    cause: Cause,
    at: str,
) -> Decided:
    """Answer the request of version `version`. When nobody is left to agree, the game goes back.

    A seat that refuses its own request withdraws it.

    Raises:
        Refusal: the game does not go on, the seat has resigned (TAB-SEAT-04), there is no such open request, the seat
            has answered it or agrees to its own (TAB-UNDO-05), or the seat is not asked (TAB-UNDO-04).
    """
    _ = game.running_ruleset
    game.require_not_resigned(seat)
    request = game.around.asked.get(version)
    if request is None or request.is_closed:
        versions = ", ".join(str(at) for at, each in game.around.asked.items() if not each.is_closed)
        allowed = (
            f"Versions at which an open request was made: {versions}." if versions else "There is no open request."
        )
        raise Refusal("TAB-UNDO-05", f"No open request to take moves back was made at version {version}.", allowed)
    if seat == request.seat and agrees:
        raise Refusal("TAB-UNDO-05", "This is your own request.", "You can only withdraw it.")
    if seat != request.seat and seat not in game.asked_by(request):
        asked_whom = ", ".join(game.asked_by(request))
        rule, wrong = ("TAB-UNDO-05", "has answered") if seat in request.agreed else ("TAB-UNDO-04", "is not asked")
        raise Refusal(rule, f"{seat} {wrong}.", f"The seats asked: {asked_whom}.")
    step = game.log([(TakeBackAnswered(seat, version, agrees), game.draws)], replace(cause, seat=seat), at)
    return agreed(step, version, earlier, at)


def _accepted(game: Game, earlier: Game, others: Iterable[Record], at: str) -> Iterator[Version]:
    """Yield the versions of those commands that are accepted when they are given again, one after the other."""
    course = replace(earlier, draws=game.draws, clocks=None)
    for record in others:
        try:
            course = give_again(course, cause_of(record), at).game
        except Refusal:
            continue  # it depended on a move that was taken back, so it lapses
        yield record.version


def give_again(game: Game, cause: Cause, at: str) -> Decided:
    """Give a command that stands aside again, in this game (TAB-UNDO-03). Raises `Refusal` when a rule forbids it."""
    seat, command = cast(Seat, cause.seat), game.ruleset.read_command(cast(Raw, cause.command))
    return game.command(seat, [command], _NO_CHANCE, Vault(), Cause(cause.account), at)


def agreed(step: Decided, version: Version, earlier: Callable[[Version], Game], at: str) -> Decided:
    """Return `step`, followed by the way back when all seats have agreed to the request of `version`."""
    game, request = step.game, step.game.around.asked[version]
    if request.is_closed or game.asked_by(request):
        return step
    return step.then(go_on_from(game, earlier(request.to), "consent", "", None, at))


class _NoChance:
    """The chance of commands that draw nothing."""

    secret = b""

    def dice(self, draw: int, count: int, sides: int) -> NoReturn:
        self._refuse()

    def order(self, draw: int, items: Sequence[Any]) -> NoReturn:
        self._refuse()

    def salt(self, draw: int) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise AssertionError("a command that stands aside draws nothing")


_NO_CHANCE: Final = _NoChance()
