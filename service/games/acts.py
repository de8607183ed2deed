"""Acts of accounts in games: each decides its own events. `Games` stores the events of all acts in the same way."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import PlayerId, Seat, Version
from domain.kernel.log import answering, beginning, officials, organizing, retracting, seating
from domain.kernel.log.answers import Answer
from domain.kernel.log.fold import earlier_of, retract
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.request import read_undo, sent_commands
from domain.kernel.log.upgrading import upgrade
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from service.games.views import seat_of


class NotSeated(PermissionError):
    """The account may not do this: it holds no seat in this game, or another one."""


class NotOrganizer(PermissionError):
    """The account may not do this: it does not organize this game."""


class TooManyBots(Exception):
    """The games of one organizer have as many bots as they may."""


class Case(Struct, frozen=True, eq=False):
    """The input for deciding an act: the present game with its secrets, the cause, and the time.

    Attributes:
        log: reads the whole log of the game.
    """

    game: Game
    secret: bytes
    vault: Vault
    cause: Cause
    at: str
    library: Library
    log: Callable[[], Awaitable[Sequence[Record]]]

    @property
    def chance(self) -> Chance:
        return self.game.chance(self.secret)

    def seat(self) -> Seat:
        """Return the seat of the account that acts. Raises `NotSeated`."""
        seat = seat_of(self.game, self.cause.account)
        if seat is None:
            raise NotSeated("You hold no seat in this game.")
        return seat


class Act(Struct, frozen=True):
    """Something that an account does in a game."""

    kind: ClassVar[str]

    @property
    def content(self) -> list[Any]:
        """The values of the fields, for JSON. An act with the idempotency key of one with other content is refused."""
        return [self.kind, *msgspec.structs.astuple(self)]

    async def decide(self, case: Case) -> Decided:
        """Decide the act. Raises `Refusal`, `NotSeated` or `NotOrganizer`."""
        raise NotImplementedError


class Commands(Act, frozen=True):
    """Commands of a player's seat (JSON, ``undo`` among them): all of them happen or none does.

    With `tentative`, a list may go on after a command that rolls or reveals something, and is decided only up to that
    command. `decide` also raises `msgspec.DecodeError` when a command is not JSON.
    """

    kind = "command"
    given: Sequence[bytes | Raw]
    tentative: bool = False

    @property
    def content(self) -> list[Any]:
        return [self.kind, *map(msgspec.json.decode, self.given)]

    async def decide(self, case: Case) -> Decided:
        game, seat = case.game, case.seat()
        to = read_undo(self.given)
        if to is not None:
            seat = game.undo_seat if game.is_analysis else seat
            cause = replace(case.cause, seat=seat)
            return retract(game, to, "undo", await case.log(), case.library, cause, case.at)
        commands = sent_commands(game.ruleset, self.given)
        return game.command(seat, commands, case.chance, case.vault, case.cause, case.at, tentative=self.tentative)


class TakeSeat(Act, frozen=True):
    """Taking the seat `seat`; without one, the seat reserved for the account or the first free one."""

    kind = "take-seat"
    seat: Seat | None = None
    entropy: str = ""

    async def decide(self, case: Case) -> Decided:
        seat = self.seat or seating.seat_for(case.game, case.cause.account)
        return seating.take_seat(case.game, seat, self.entropy, case.cause, case.at)


class LeaveSeat(Act, frozen=True):
    """Leaving your seat: giving it up in a running game, declining a rematch that has not begun."""

    kind = "leave-seat"
    seat: Seat | None = None

    async def decide(self, case: Case) -> Decided:
        own = case.seat()
        if self.seat is not None and self.seat != own:
            raise NotSeated(f"{self.seat} is not your seat; you hold {own}.")
        return await leave_seat(case, own, case.cause)


async def leave_seat(case: Case, seat: Seat, cause: Cause) -> Decided:
    """Decide what happens when an account leaves its seat.

    Before the game begins, the seat is free again, but a rematch is cancelled (TAB-REM-04). In a running game, the seat
    is given up.
    """
    if case.game.rematch_of is not None and case.game.status == "gathering":
        return beginning.cancel(case.game, replace(cause, seat=None), case.at)
    if case.game.status != "running":
        return seating.leave_seat(case.game, seat, cause, case.at)
    earlier = earlier_of(case.game, await case.log(), case.library)
    return seating.give_up_seat(case.game, seat, earlier, cause, case.at)


class SeatBot(Act, frozen=True):
    """Seating a bot, as the organizer.

    Before the game begins it can replace another bot, later a player who gave up the seat or a bot whose account is
    closed.

    `bots` are the open accounts of bots with their levels; the first that can hold the seat takes it. `closed` are the
    accounts of bots that an administrator has closed. `room` is how many more bots there may be; None for any number.
    """

    kind = "seat-bot"
    seat: Seat
    level: str
    bots: Mapping[PlayerId, str]
    closed: Collection[PlayerId] = ()
    room: int | None = None

    @property
    def content(self) -> list[Any]:
        return [self.kind, self.seat, self.level]

    async def decide(self, case: Case) -> Decided:
        if not may_seat_bots(case.game, case.cause.account):
            require_organizer(case.game, case.cause.account)
        case.game.require_no_offer("change a bot")
        holder = case.game.players.get(self.seat)
        running = case.game.status == "running"
        if not running and holder is not None and self.bots.get(holder) == self.level:
            wrong = f"A {self.level} bot already holds {self.seat}."
            raise Refusal("TAB-BOT-01", wrong, "Choose another level, or take the bot away.")
        reservations = case.game.kept_seats
        others = (player for seat, player in reservations.items() if seat != self.seat)
        barred = {*case.game.players.values(), *case.game.around.officials, *others}
        able = (each for each, level in self.bots.items() if level == self.level and each not in barred)
        if self.bots.get(reserved := reservations.get(self.seat, case.cause.account)) == self.level:
            able = iter((reserved,))
        bot = next(able, None)
        if bot is None:
            raise Refusal(
                "TAB-BOT-01", f"No {self.level} bot is open.", "Choose another level, or ask an administrator."
            )
        held_by_bot = holder in self.bots or holder in self.closed
        is_free = holder is None or (self.seat in case.game.around.given_up and not held_by_bot)
        if self.room is not None and self.room < 1 and is_free:
            raise TooManyBots("Bots hold as many seats in your games as they may.")
        if running and holder in self.closed:
            # A bot with a closed account does not play, so give up its seat here.
            step = await leave_seat(case, self.seat, Cause(holder))
            return step.then(seating.take_over_seat(step.game, self.seat, Cause(bot), case.at))
        if running:
            return seating.take_over_seat(case.game, self.seat, Cause(bot), case.at)
        if not held_by_bot:
            return seating.take_seat(case.game, self.seat, "", Cause(bot), case.at)
        step = await leave_seat(case, self.seat, Cause(holder))
        return step.then(seating.take_seat(step.game, self.seat, "", Cause(bot), case.at))


def may_seat_bots(game: Game, player: PlayerId) -> bool:
    """Tell whether an account may put bots on seats: the organizer; and players, when they have left their own seat."""
    present = set(game.present.values())
    is_gone = game.status == "running" and game.organizer in game.around.seated and game.organizer not in present
    return player == game.organizer or (is_gone and player in present)


class RemoveBot(Act, frozen=True):
    """Removing a bot from its seat before the game begins, as the organizer. `bots` are all accounts of bots."""

    kind = "remove-bot"
    seat: Seat
    bots: Collection[PlayerId]

    @property
    def content(self) -> list[Any]:
        return [self.kind, self.seat]

    async def decide(self, case: Case) -> Decided:
        require_organizer(case.game, case.cause.account)
        case.game.require_no_offer("change a bot")
        occupant = case.game.players[self.seat]
        if occupant not in self.bots:
            seats = [seat for seat, holder in case.game.players.items() if holder in self.bots]
            allowed = f"Bots hold {', '.join(seats)}." if seats else "This game has no bot."
            raise Refusal("TAB-BOT-01", f"No bot holds {self.seat}.", allowed)
        return seating.leave_seat(case.game, self.seat, Cause(occupant), case.at)


class Depart(Act, frozen=True):
    """Leaving a game because the account is closed. It gives up seat and office, and another account organizes it.

    `able` are the accounts that may organize the game next.
    """

    kind = "depart"
    able: Collection[PlayerId]

    async def decide(self, case: Case) -> Decided:
        game, player, at = case.game, case.cause.account, case.at
        if game.is_analysis:
            return beginning.cancel(game, case.cause, at)
        decided = Decided(game, ())
        if (seat := next((seat for seat, holder in game.present.items() if holder == player), None)) is not None:
            decided = await self.vacate(case, seat)
        if game.around.is_official(player):
            decided = decided.then(officials.release_official(decided.game, player, case.cause, at))
        if game.organizer == player and decided.game.status != "cancelled":
            heir = next((each for each in self.heirs(decided.game) if each in self.able), None)
            if heir is not None:
                decided = decided.then(organizing.pass_on(decided.game, heir, case.cause, at))
            elif game.status == "gathering":
                decided = decided.then(beginning.cancel(decided.game, case.cause, at))
        if not decided.records:
            raise NotSeated("You take no part in this game any more.")
        return decided

    async def vacate(self, case: Case, seat: Seat) -> Decided:
        """Decide what happens to the account's seat."""
        return await leave_seat(case, seat, case.cause)

    def heirs(self, game: Game) -> Sequence[PlayerId]:
        """Return the accounts that could organize the game next, the first choice first."""
        return organizing.heirs(game)


class HandOn(Depart, frozen=True):
    """Leaving a game with an account that is joined with the account `to`, which gets its seat (TAB-JOIN-04)."""

    kind = "hand-on"
    to: PlayerId

    async def decide(self, case: Case) -> Decided:
        if takes_part(case.game, self.to) and takes_part(case.game, case.cause.account):
            wrong = "Both accounts take or took part in this game."
            raise Refusal("TAB-JOIN-03", wrong, "Join them when it is over. Tell an official of it who you are.")
        return await super().decide(case)

    async def vacate(self, case: Case, seat: Seat) -> Decided:
        game, at, heir = case.game, case.at, Cause(self.to)
        by_seat = replace(case.cause, seat=seat)
        if game.status == "running":
            decided = Decided(game, ())
            if seat in game.around.offers:
                decided = seating.withdraw_offer(game, seat, by_seat, at)
            decided = decided.then(seating.offer_seat(decided.game, seat, self.to, by_seat, at))
            return decided.then(seating.take_over_seat(decided.game, seat, heir, at))
        if game.rematch_of is not None:
            wrong = "This rematch has not begun, and only who was asked holds its seats."
            raise Refusal("TAB-JOIN-04", wrong, "Decline it, or wait until it has begun.")
        step = seating.leave_seat(game, seat, case.cause, at)
        return step.then(seating.take_seat(step.game, seat, "", heir, at))

    def heirs(self, game: Game) -> Sequence[PlayerId]:
        return sorted(organizing.heirs(game), key=lambda player: player != self.to)


def takes_part(game: Game, player: PlayerId, but: Seat | None = None) -> bool:
    """Tell whether an account has or had a side in a game, or has seen more of it than a seat does.

    It has a side if it holds a seat other than `but`, or held one once the game ran, or is or was an official. It has
    seen more if it organizes or organized the game and its organizer sees everything.
    """
    holds = any(holder == player for seat, holder in game.players.items() if seat != but)
    held_before = any(player in before for seat, before in game.around.held.items() if seat != but)
    sees_all = game.organizer_sees == "all" and player in (game.organizer, game.first_organizer)
    return holds or held_before or sees_all or player in game.around.officials


class Start(Act, frozen=True):
    """Starting a game, as its organizer or a player."""

    kind = "start"

    async def decide(self, case: Case) -> Decided:
        if case.cause.player != case.game.organizer:
            case.seat()
        return beginning.start(case.game, case.chance, case.cause, case.at)


class Cancel(Act, frozen=True):
    """Cancelling a game before it begins, as its organizer."""

    kind = "cancel"

    async def decide(self, case: Case) -> Decided:
        require_organizer(case.game, case.cause.account)
        return beginning.cancel(case.game, case.cause, case.at)


class Upgrade(Act, frozen=True):
    """Moving a running game to a newer version of its ruleset, as its organizer."""

    kind = "upgrade"
    to: int

    async def decide(self, case: Case) -> Decided:
        return upgrade(case.game, self.to, case.chance, case.vault, case.cause, case.at)


class LeaveAnswer(Act, frozen=True):
    """Leaving an answer in advance, for your seat."""

    kind = "leave-answer"
    answer: Answer

    async def decide(self, case: Case) -> Decided:
        sent_commands(case.game.running_ruleset, (canonical(self.answer.command),))
        return answering.leave_answer(case.game, case.seat(), self.answer, case.chance, case.cause, case.at)


class RevokeAnswer(Act, frozen=True):
    """Revoking an answer that your seat has left in advance."""

    kind = "revoke-answer"
    left: Version

    async def decide(self, case: Case) -> Decided:
        return answering.revoke_answer(case.game, case.seat(), self.left, case.cause, case.at)


class NameOfficial(Act, frozen=True):
    """Naming an official of a game, as its organizer."""

    kind = "name-official"
    player: PlayerId

    async def decide(self, case: Case) -> Decided:
        require_organizer(case.game, case.cause.account)
        officials.require_few_officials(case.game, self.player)
        decided = officials.name_official(case.game, self.player, case.cause, case.at)
        officials.require_rarely_addressed(self.player, await case.log())
        return decided


class ReleaseOfficial(Act, frozen=True):
    """Releasing an official of a game, as its organizer or as that official."""

    kind = "release-official"
    player: PlayerId

    async def decide(self, case: Case) -> Decided:
        if case.cause.player != self.player or not case.game.around.is_official(self.player):
            require_organizer(case.game, case.cause.account)
        return officials.release_official(case.game, self.player, case.cause, case.at)


class Resume(Act, frozen=True):
    """Resuming a paused game, without a case."""

    kind = "resume"

    async def decide(self, case: Case) -> Decided:
        return officials.resume(case.game, case.cause, case.at)


class AskTakeBack(Act, frozen=True):
    """Asking the other seats to take moves back, to a version before one of your commands."""

    kind = "ask-take-back"
    to: Version

    async def decide(self, case: Case) -> Decided:
        seat, history = case.seat(), await case.log()
        earlier = earlier_of(case.game, history, case.library)
        return retracting.ask_take_back(case.game, seat, self.to, history, earlier, case.cause, case.at)


class AnswerTakeBack(Act, frozen=True):
    """Answering a request to take moves back, or withdrawing your own."""

    kind = "answer-take-back"
    asked: Version
    agrees: bool

    async def decide(self, case: Case) -> Decided:
        seat = case.seat()
        earlier = earlier_of(case.game, await case.log(), case.library)
        return retracting.answer_take_back(case.game, seat, self.asked, self.agrees, earlier, case.cause, case.at)


def require_organizer(game: Game, player: PlayerId) -> None:
    """Raise `NotOrganizer` unless `player` organizes the game."""
    if player != game.organizer:
        raise NotOrganizer(f"Game {game.id!r} is organized by {game.organizer!r}.")
