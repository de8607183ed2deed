"""Bodies of the endpoints for joining accounts."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import GameId, PlayerId, Seat
from service.api.bodies import Identifier
from service.api.players.bodies import Player, player_view
from service.joining import Plan
from service.store.joining import JoiningRow

Code = Annotated[str, Meta(min_length=1, max_length=100, description="1 to 100 characters")]


class JoiningCode(Struct, frozen=True):
    """A code that joins another account with yours.

    Attributes:
        code: the code. It is shown only once, can be used once, and ends when you ask for another.
        ends: when it ends.
    """

    code: str
    ends: str


class JoiningWish(Struct, frozen=True, forbid_unknown_fields=True):
    """The account to join yours with.

    Attributes:
        code: the code that you got in the account that stays.
    """

    code: Code


class NewJoining(JoiningWish, frozen=True, forbid_unknown_fields=True):
    """The account to join yours with, for good.

    Attributes:
        confirm: the id of the account that you are signed in to, which will end, so that you do not join the wrong one.
    """

    confirm: Identifier


class PassingGame(Struct, frozen=True):
    """What becomes of a game in which your account takes part.

    Attributes:
        id: the game.
        title: its title.
        seat: your seat, which passes; null if you hold none, or gave it up.
        organizer: who organizes the game from then on.
    """

    id: GameId
    title: str
    seat: Seat | None
    organizer: PlayerId


class JoiningPlan(Struct, frozen=True):
    """What a joining would do.

    Attributes:
        account: your account, which would end.
        kept: the account that would stay.
        games: what would become of your games that go on.
    """

    account: Player
    kept: Player
    games: tuple[PassingGame, ...]


class AccountJoining(Struct, frozen=True):
    """The joining of two accounts of one person.

    Attributes:
        account: the account that ended.
        kept: the account that stays.
        at: when.
    """

    account: PlayerId
    kept: PlayerId
    at: str


class JoiningPage(Struct, frozen=True):
    """The joinings of your account, the oldest first.

    Attributes:
        items: the joinings.
        next: always null: one page holds them all.
    """

    items: tuple[AccountJoining, ...]
    next: str | None = None


def plan_view(plan: Plan) -> JoiningPlan:
    """Return a plan as it is sent."""
    games = tuple(PassingGame(each.game, each.title, each.seat, each.organizer) for each in plan.games)
    return JoiningPlan(player_view(plan.account), player_view(plan.heir), games)


def joining_view(row: JoiningRow) -> AccountJoining:
    """Return a joining as it is sent, without the sessions that confirmed it."""
    return AccountJoining(row.account, row.kept, row.at)
