"""The lines of the file in which an account gets its own data."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from domain.kernel.ids import CaseId, GameId, LeagueId, Seat, StreamId, TournamentId, Version
from projections.inbox import Took
from projections.ratings import Pool
from projections.tournaments import DIRECTOR, PLAYER
from service.api.accounts.bodies import Token
from service.api.apps.bodies import LetInApp, RegisteredClient
from service.api.bodies import Identifier
from service.api.joining.bodies import AccountJoining
from service.api.notifications.bodies import InboxSettings
from service.api.organizing.bodies import Consent
from service.api.players.bodies import PasskeyView, Player, RecoveryCodesLeft, player_view
from service.api.statistics.bodies import Rating
from service.api.webhooks.bodies import Webhook
from service.base.scopes import Scope
from service.store.accounts import PlayerRow
from service.store.imports import ImportId
from service.store.webhooks import HookId, HookRow, HookStatus

RoleInGame = Literal["organizer", "seat", "official"]
RoleInTournament = Literal["organizer", "director", "player"]


class OwnAccount(Player, frozen=True):
    """Your account.

    Attributes:
        scopes: the most that its tokens may be used for.
        findable: whether others can find it by its name.
    """

    scopes: tuple[Scope, ...]
    findable: bool


class OwnIssuer(Struct, frozen=True):
    """An OpenID Connect provider that signs you in.

    Attributes:
        issuer: the provider.
        subject: what it calls you.
    """

    issuer: str
    subject: str


class OwnEmail(Struct, frozen=True):
    """Your settings for e-mail.

    Attributes:
        address: your address; null where the service lacks the key with which it was encrypted.
        status: as in `EmailSettings`.
        turns: whether you get an e-mail when it is your turn.
        daily: whether you get an e-mail once a day with what waits for you.
    """

    address: str | None
    status: HookStatus
    turns: bool
    daily: bool


class OwnDevice(Struct, frozen=True):
    """A device that gets pushes.

    Attributes:
        id: its id.
        service: the host of its push service.
        created: when it was added.
        active: whether a push has reached it.
    """

    id: HookId
    service: str
    created: str
    active: bool


class ReadMark(Struct, frozen=True):
    """How far you have read the notices of your inbox.

    Attributes:
        stream: the game, the case or the tournament that they are about.
        version: its version up to which you have read them.
    """

    stream: StreamId
    version: Version


class GamePart(Struct, frozen=True):
    """How you take part in a game, or once did.

    Attributes:
        id: the game.
        role: as its `organizer`, in a `seat`, or as an `official`.
        seat: the seat; null for another role.
        since: when that began; null for an organizer, and for a seat that you still hold: the game's log says it.
        until: when that ended; null if it goes on.
    """

    id: GameId
    role: RoleInGame
    seat: Seat | None = None
    since: str | None = None
    until: str | None = None


class TournamentPart(Struct, frozen=True):
    """How you take part in a tournament, or once did.

    Attributes:
        id: the tournament.
        role: as its `organizer`, as a `director`, or as a `player`.
        since: when that began; null for its organizer.
        until: when that ended; null if it goes on.
    """

    id: TournamentId
    role: RoleInTournament
    since: str | None = None
    until: str | None = None


class LeaguePart(Struct, frozen=True):
    """A league that you organize.

    Attributes:
        id: the league.
        role: always `organizer`.
    """

    id: LeagueId
    role: Literal["organizer"] = "organizer"


class OwnText(Struct, frozen=True):
    """What you wrote in a case.

    Attributes:
        version: the version of the case that your text made.
        at: when you wrote it.
        text: the text.
        command: the secret command that was refused you, where the case is about one; otherwise null.
    """

    version: Version
    at: str
    text: str
    command: dict[str, Any] | None


class OwnCase(Struct, frozen=True):
    """A case in which you did something.

    Attributes:
        id: the case.
        game: the game that it is about.
        opened: whether you opened it.
        texts: what you wrote there and nobody has erased.
    """

    id: CaseId
    game: GameId
    opened: bool
    texts: tuple[OwnText, ...]


class OwnImport(Struct, frozen=True):
    """A game of another service that you imported.

    Attributes:
        id: the import.
        game: the id that its issuer gave the game.
        imported: when.
    """

    id: ImportId
    game: GameId
    imported: str


class OwnRating(Struct, frozen=True):
    """Your rating in a ruleset.

    Attributes:
        ruleset: the ruleset.
        list: the list in which it stands: that of `players` or of `bots`.
        rating: the rating.
    """

    ruleset: str
    list: Pool
    rating: Rating


class Unread(Struct, frozen=True):
    """What the file leaves out.

    Attributes:
        cases: how many cases of your games were not searched for what you wrote; `GET /v1/cases` lists them.
    """

    cases: int


class WhoseData(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose data.

    Attributes:
        account: an account that was joined with yours; your own, if absent.
    """

    account: Identifier | UnsetType = UNSET


class DataEnd(Struct, frozen=True):
    """The end of the file.

    Attributes:
        lines: how many lines come before it.
    """

    lines: int


class DataLine(Struct, frozen=True, omit_defaults=True):
    """A line of the file. It has exactly one of these members.

    Attributes:
        account: the account; one line.
        token: a token, a session of a browser, or an app's sign-in, without its value; also those that have ended.
        passkey: a passkey.
        issuer: an OpenID Connect provider that signs you in.
        recovery_codes: how many recovery codes are left; one line.
        consent: an organizer whom you let seat you.
        app: an app that you let in.
        client: an app that you registered, without its secret.
        joining: that an account was joined with yours, or yours with another.
        inbox: the notices that you do not want; one line.
        email: your settings for e-mail.
        device: a device that gets pushes, without its address and keys.
        webhook: a webhook, without its secret.
        read_mark: how far you have read the notices about a game, a case or a tournament.
        game: how you take part in a game, or once did.
        tournament: how you take part in a tournament, or once did.
        league: a league that you organize.
        case: a case in which you did something, with what you wrote there.
        imported: a game of another service that you imported.
        rating: your rating in a ruleset.
        more: what the file leaves out; absent if that is nothing.
        end: the last line. A file without it was cut off.
    """

    account: OwnAccount | UnsetType = UNSET
    token: Token | UnsetType = UNSET
    passkey: PasskeyView | UnsetType = UNSET
    issuer: OwnIssuer | UnsetType = UNSET
    recovery_codes: RecoveryCodesLeft | UnsetType = UNSET
    consent: Consent | UnsetType = UNSET
    app: LetInApp | UnsetType = UNSET
    client: RegisteredClient | UnsetType = UNSET
    joining: AccountJoining | UnsetType = UNSET
    inbox: InboxSettings | UnsetType = UNSET
    email: OwnEmail | UnsetType = UNSET
    device: OwnDevice | UnsetType = UNSET
    webhook: Webhook | UnsetType = UNSET
    read_mark: ReadMark | UnsetType = UNSET
    game: GamePart | UnsetType = UNSET
    tournament: TournamentPart | UnsetType = UNSET
    league: LeaguePart | UnsetType = UNSET
    case: OwnCase | UnsetType = UNSET
    imported: OwnImport | UnsetType = UNSET
    rating: OwnRating | UnsetType = UNSET
    more: Unread | UnsetType = UNSET
    end: DataEnd | UnsetType = UNSET


def own_account(row: PlayerRow) -> OwnAccount:
    """Return an account as its owner gets it."""
    public = player_view(row)
    return OwnAccount(**asdict(public), scopes=row.scopes, findable=row.findable)


def own_device(row: HookRow) -> OwnDevice:
    """Return a device as its owner gets it: without its address, and without the digest of that."""
    return OwnDevice(row.webhook, row.host, row.created, row.status == "on")


def part_line(part: Took) -> DataLine | None:
    """Return the line of a part in a game or a tournament; None if another line has it, or only the log."""
    game, tournament = part.game, part.tournament
    if game is not None and part.role == "official":
        return DataLine(game=GamePart(game, "official", since=part.since, until=part.until))
    if (
        game is not None and part.role == "seat" and part.until is not None
    ):  # lines of the index have the seats that the account still holds
        return DataLine(game=GamePart(game, "seat", Seat(part.holds), part.since, part.until))
    if tournament is not None and part.role in (PLAYER, DIRECTOR):
        return DataLine(tournament=TournamentPart(tournament, part.role, part.since, part.until))
    return None
