"""What can go wrong with a request, each kind with an address of its own (RFC 9457)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from domain.kernel.ids import GameId, RuleId, Version
from domain.kernel.rules.catalogue import Catalogue, CatalogueError
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.message import shortened
from domain.kernel.rules.refusal import Refusal
from service.base.expected import wanted
from service.base.scopes import SCOPES, Scope
from service.games.views import EventView

MEDIA_TYPE: Final = "application/problem+json"

LONGEST: Final = 2_000
"""The most characters of a problem's `detail`, and of its `allowed`: of what was sent, more is not repeated."""

LONGEST_PATH: Final = 200


class Kind(Struct, frozen=True):
    """A kind of problem. `slug`, `status` and `title` never change.

    `meaning` and `remedy` are for its page, `example` are members of an example of it.
    """

    slug: str
    status: int
    title: str
    meaning: str
    remedy: str
    example: Mapping[str, Any] = {}

    @property
    def type(self) -> str:
        """The address that identifies the kind, and where its page is."""
        return f"/problems/{self.slug}"


class ProblemBody(Struct, frozen=True, omit_defaults=True):
    """What went wrong (RFC 9457), and what is right.

    Attributes:
        type: identifies the kind of problem, and is the address of its page.
        title: the kind of problem in a few words, the same for every problem of the kind.
        status: the HTTP status.
        detail: what was wrong with this request.
        instance: the id of this request, which the service's log has too.
        allowed: what would have been right.
        path: where in the body the problem is, as a JSON path such as ``$.command.count``.
        version: the version of the game now.
        rule: the id of the rule that a refused command breaks.
        rule_title: the title of that rule.
        rule_standing: what kind of rule it is and when it holds, in words; absent for a plain rule.
        source: where that rule stands.
        decision: the open decision that blocks the command: the caller's own if there is one.
        options_url: what the caller may do now.
        scopes: the token needs one of these scopes and has none of them.
        until: the fork is withheld until this game is over.
        first: the first event of that fork. It names the game that it forks from, and its hash is in the transparency
            log.
    """

    type: str
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: str
    instance: str
    allowed: str = ""
    path: str = ""
    version: Version | None = None
    rule: RuleId | None = None
    rule_title: str = ""
    rule_standing: str = ""
    source: str = ""
    decision: Decision | None = None
    options_url: str = ""
    scopes: tuple[Scope, ...] = ()
    until: GameId | None = None
    first: EventView | None = None


class Problem(Exception):
    """An answer that says what is wrong with a request.

    `detail` and `allowed` may repeat what was sent: of what is too long, the middle is left out.

    Args:
        kind: the kind of problem.
        detail: what was wrong, in a sentence.
        allowed: what would have been right, in a sentence.
        headers: headers of the answer.
        members: further members of `ProblemBody`.
    """

    def __init__(
        self, kind: Kind, detail: str, allowed: str = "", headers: Mapping[str, str] | None = None, **members: Any
    ) -> None:
        # Here and nowhere else: whatever repeats what was sent goes through a problem.
        self.kind = kind
        self.detail = shortened(detail, LONGEST)
        self.allowed = shortened(allowed, LONGEST)
        self.headers = dict(headers or {})
        self.members = {**members, "path": shortened(members["path"], LONGEST_PATH)} if "path" in members else members
        super().__init__(f"{kind.slug}: {self.detail}")

    def body(self, instance: str) -> ProblemBody:
        """Return the problem as it is sent."""
        return ProblemBody(
            type=self.kind.type,
            title=self.kind.title,
            status=self.kind.status,
            detail=self.detail,
            instance=instance,
            allowed=self.allowed,
            **self.members,
        )


# --- The kinds --------------------------------------------------------------------------------------------------------

MALFORMED_JSON: Final = Kind(
    "malformed-json",
    400,
    "The body is not JSON",
    "The request body is not a JSON document in UTF-8, or it is nested too deeply.",
    "Send one JSON object, encoded in UTF-8.",
    {
        "detail": "The service cannot read the body: JSON is malformed: trailing comma in object (byte 23).",
        "allowed": "Send one JSON object.",
    },
)
MALFORMED_REQUEST: Final = Kind(
    "malformed-request",
    400,
    "The request is not HTTP",
    "The service could not read what arrived as an HTTP/1.1 request. It closes the connection.",
    "Use an HTTP client. This service speaks HTTP/1.1, and TLS only behind a proxy.",
    {"detail": "The service cannot read the request: Invalid method encountered."},
)
INVALID_QUERY: Final = Kind(
    "invalid-query",
    400,
    "A query parameter is unknown or wrong",
    "The query has a parameter that this endpoint does not know, has one twice, lacks a required one, or gives one a "
    "value that it does not take.",
    "Use the parameters that the contract names for this endpoint, each at most once.",
    {"detail": "This endpoint has no query parameter 'page'.", "allowed": "It takes cursor, limit."},
)
INVALID_HEADER: Final = Kind(
    "invalid-header",
    400,
    "A header is wrong",
    "A header that this endpoint reads has an invalid value: `Idempotency-Key`, `If-Match` or `Last-Event-ID`.",
    "An Idempotency-Key has 1 to 255 printable ASCII characters. Without a token it must be a random UUID, or as hard "
    "to guess. A version is a whole number, in quotes as in an ETag.",
    {"detail": "If-Match has 'abc'.", "allowed": 'Send one version or several, each in quotes: "17", "18".'},
)
MISSING_TOKEN: Final = Kind(
    "missing-token",
    401,
    "The request does not say who you are",
    "This needs an account, and the request has no bearer token.",
    "Register with POST /v1/players, store the token, and send it as `Authorization: Bearer <token>`.",
    {"detail": "The request has no Authorization header.", "allowed": "Send `Authorization: Bearer <token>`."},
)
UNKNOWN_TOKEN: Final = Kind(
    "unknown-token",
    401,
    "The token is not known",
    "The request has an `Authorization` header that is not of the form `Bearer <token>`, or a token that no account "
    "has.",
    "Send the token exactly as you got it. The service cannot show a lost token again. Create another one with a token "
    "that you still have, or register again.",
    {"detail": "No account has this token."},
)
TOKEN_ENDED: Final = Kind(
    "token-ended",
    401,
    "The token is no longer valid",
    "The token has expired, or it was revoked, or its account was closed.",
    "Use another token of the account. POST /v1/tokens creates one, with a token that has the scope `account`.",
    {"detail": "The token was revoked at 2026-11-21T18:00:00.000000Z."},
)
SESSION_ENDED: Final = Kind(
    "session-ended",
    401,
    "The browser is no longer signed in",
    "The cookie `tabularium_session` is no session of an account, or the session ended: by signing out, because it was "
    "revoked, or because the account was closed. The answer removes the cookie.",
    "Send the request again as a spectator, or sign in with POST /v1/session.",
    {"detail": "The token was revoked at 2026-11-21T18:00:00.000000Z."},
)
CROSS_SITE: Final = Kind(
    "cross-site",
    403,
    "The request does not come from a page of this service",
    "A browser sends its session by itself, even when the page of another site makes the request. So with a session, "
    "requests that change something and WebSockets are taken only from a page of this service: `Origin` must name the "
    "service, `Sec-Fetch-Site` must be `same-origin`, and there must be a header `Tabularium-Page`, which no form can "
    "send. Bearer tokens need none of this.",
    "Send `Tabularium-Page: 1` from a page of this service, or use a bearer token in place of the session.",
    {"detail": "The request comes from https://example.org, not from a page of this service."},
)
ALREADY_SIGNED_IN: Final = Kind(
    "already-signed-in",
    409,
    "The browser is signed in already",
    "A browser has one session. Another must not replace it, because it may be the only way into its account.",
    "Sign out first, with DELETE /v1/session; or send a bearer token to act as another account.",
    {"detail": "This browser is signed in as Livia."},
)
PASSKEY_REFUSED: Final = Kind(
    "passkey-refused",
    403,
    "The passkey was not accepted",
    "The passkey is not one of an account, or of another account than it says, or it did not sign the challenge that "
    "the service gave for this, in time and once, on a page of this service, after it recognized its owner.",
    "Ask for a new challenge and let the passkey sign that. Or sign in by another way: a recovery code or a token.",
    {"detail": "No account has this passkey."},
)
PASSKEY_KNOWN: Final = Kind(
    "passkey-known",
    409,
    "An account has this passkey already",
    "A passkey belongs to one account.",
    "Let the device make a new passkey for this account.",
    {"detail": "An account has this passkey already."},
)
TOO_MANY_PASSKEYS: Final = Kind(
    "too-many-passkeys",
    409,
    "The account has too many passkeys",
    "An account can have 20 passkeys.",
    "Remove one that you no longer use: DELETE /v1/passkeys/{passkey}.",
    {"detail": "The account has 20 passkeys and cannot have more."},
)
UNKNOWN_PASSKEY: Final = Kind(
    "unknown-passkey",
    404,
    "You have no such passkey",
    "Your account has no passkey with this id, or it was removed.",
    "GET /v1/passkeys lists your passkeys.",
    {"detail": "You have no passkey 'kgone'."},
)
CODE_REFUSED: Final = Kind(
    "code-refused",
    403,
    "The recovery code was not accepted",
    "No account has this recovery code. Each is good once, and new codes replace all earlier ones.",
    "Use another code of the same list, a passkey or a token.",
    {"detail": "No account has this recovery code."},
)
NO_PROVIDER: Final = Kind(
    "no-provider",
    404,
    "There is no provider to sign in through",
    "The operator of this service has set up no OpenID Connect provider through which people sign in to the pages.",
    "Sign in by another way: POST /v1/session, a passkey or a recovery code.",
    {"detail": "People cannot sign in to this service through OpenID Connect."},
)
SIGN_IN_REFUSED: Final = Kind(
    "sign-in-refused",
    403,
    "Signing in through the provider did not succeed",
    "The provider said no, or its answer is not accepted: it must come to the browser that was sent to the provider, "
    "within ten minutes and once, and prove for this service who the person is. Nothing was changed.",
    "Begin again with POST /v1/session/provider, in one window. Or sign in by another way.",
    {"detail": "login.example.org did not sign you in: access_denied."},
)
OTHER_ACCOUNT: Final = Kind(
    "other-account",
    409,
    "The person has another account",
    "The person who signed in through the provider has an account already, and this browser is signed in to another. "
    "Neither the session nor the link is changed without being asked for, because the session may be the only way into "
    "its account.",
    "To change accounts, begin again with `leave`: then the session of this browser ends. Or stay signed in.",
    {"detail": "login.example.org signs you in as Livia. This browser is signed in as Guest 7093."},
)
ALREADY_LINKED: Final = Kind(
    "already-linked",
    409,
    "The provider signs another person in to this account",
    "An account has one person of the provider at most. Another person would get into the account of the first.",
    "Sign out first to sign in as that person; or remove the link with DELETE /v1/session/provider and begin again.",
    {"detail": "login.example.org signs another person in to Livia."},
)
SCOPE_MISSING: Final = Kind(
    "scope-missing",
    403,
    "The token may not be used for this",
    "This needs a scope that the token does not have, or that its account has not been granted. Any one of `scopes` is "
    "enough.",
    "Use a token with one of these scopes. POST /v1/tokens creates one with scopes that your account has been granted. "
    "Administrators grant more: PUT /v1/players/{player}/scopes.",
    {
        "detail": "The token has the scope play; this needs organize.",
        "allowed": "Use one of your tokens that has it, or create one with POST /v1/tokens.",
        "scopes": ("organize",),
    },
)
REGISTRATION_CLOSED: Final = Kind(
    "registration-closed",
    403,
    "Registration is closed",
    "Self-registration is turned off on this service.",
    "Ask an administrator for an account, or use a token of the provider that the service trusts.",
    {"detail": "Self-registration is turned off on this service: administrators open accounts."},
)
NOT_SEATED: Final = Kind(
    "not-seated",
    403,
    "You hold no seat in this game",
    "Only a player who holds a seat in this game can do this.",
    "Take a seat before the game starts, or watch as a spectator.",
    {"detail": "You hold no seat in this game, and only seats have options."},
)
OPTIONS_HIDDEN: Final = Kind(
    "options-hidden",
    403,
    "What this seat could do is hidden from you",
    "The options of a seat may show what is in its hand. You asked for those of a seat that can or could read what you "
    "may not.",
    "Ask as an official of the game with the scope `judge`, or when the game is over.",
    {"detail": "At version 17, red could read what you may not."},
)
NOT_ORGANIZER: Final = Kind(
    "not-organizer",
    403,
    "You do not organize this game",
    "Only the account that organizes a game can do this.",
    "Use a token of the organizer. GET /v1/games/{game} says who that is.",
    {"detail": "Game 'gm5x2q7ahbk3oxw7c' is organized by 'pq2v6m3n4k5x7c8b9'."},
)
NOT_AN_OFFICIAL: Final = Kind(
    "not-an-official",
    403,
    "You are no official of this game",
    "Only an official of the game can do this. The organizer is one only when they have named themselves.",
    "Ask the organizer to name you, before the game ends: PUT /v1/games/{game}/officials/{player}.",
    {
        "detail": "You are no official of this game.",
        "allowed": "Its officials are pq2v6m3n4k5x7c8b9.",
        "rule": "TAB-RUL-05",
        "rule_title": "An official rules on a case",
        "source": "Tabularium documentation",
    },
)
OWN_GAME: Final = Kind(
    "own-game",
    403,
    "You cannot judge this yourself",
    "You hold or held a seat in this game, or you opened this case.",
    "Leave the ruling to an official who is no party to it.",
    {
        "detail": "You hold or held a seat in this game.",
        "allowed": "An official who never had a seat in the game rules.",
        "rule": "TAB-RUL-06",
        "rule_title": "Nobody rules in a game of their own",
        "source": "Tabularium documentation",
    },
)
UNKNOWN_PATH: Final = Kind(
    "unknown-path",
    404,
    "There is nothing at this address",
    "The service has no such endpoint or page.",
    "See /docs for every endpoint.",
    {"detail": "The service has no '/v1/tables'.", "allowed": "See /docs for every endpoint."},
)
UNKNOWN_RULESET: Final = Kind(
    "unknown-ruleset",
    404,
    "There is no such ruleset",
    "The address names a ruleset that this service does not play.",
    "GET /v1/rulesets lists those that it plays.",
    {"detail": "There is no ruleset 'chess'.", "allowed": "GET /v1/rulesets lists those that it plays."},
)
NO_MAP: Final = Kind(
    "no-map",
    404,
    "There is no map of this board",
    "The service cannot draw this board: it has no map of it, or the board has areas that the map does not.",
    "Draw the answer of `GET /v1/games/{game}/marks` on a map of your own.",
    {
        "detail": "There is no map of the board 'my-board'.",
        "allowed": "Draw the answer of `GET /v1/games/{game}/marks` on a map of your own.",
    },
)
UNKNOWN_RULE: Final = Kind(
    "unknown-rule",
    404,
    "There is no such rule",
    "The ruleset has no rule with this id.",
    "GET /v1/rulesets/{ruleset}/rules lists its rules.",
    {"detail": "The catalogue has no rule 'CC-MOV-99'."},
)
UNKNOWN_DOCUMENT: Final = Kind(
    "unknown-document",
    404,
    "There is no such document",
    "The ruleset has no document with this name. Most rulesets have none beside their board.",
    "GET /v1/rulesets/{ruleset} lists its documents.",
    {"detail": "Tiny Auction has no document 'cards'; known: none."},
)
UNKNOWN_LESSON: Final = Kind(
    "unknown-lesson",
    404,
    "There is no such lesson",
    "The tutorial of the ruleset has no lesson with this id, or the ruleset has no tutorial.",
    "GET /v1/rulesets/{ruleset}/tutorial lists its lessons.",
    {"detail": "The tutorial of Tiny Auction has no lesson 'march'."},
)
UNKNOWN_PLAYER: Final = Kind(
    "unknown-player",
    404,
    "There is no such player",
    "No account has this id.",
    "Use an id from registration or from a game.",
    {"detail": "There is no player 'nobody'."},
)
NO_SUCH_TOKEN: Final = Kind(
    "no-such-token",
    404,
    "There is no such token",
    "You have no token with this id. The id is not the token itself: it begins with `t`, and GET /v1/tokens shows it.",
    "GET /v1/tokens lists your tokens. `current` is the one that you send with the request.",
    {"detail": "You have no token 'tgone'."},
)
UNKNOWN_GAME: Final = Kind(
    "unknown-game",
    404,
    "There is no such game",
    "No game has this id.",
    "GET /v1/games lists the games.",
    {"detail": "There is no game 'gone'."},
)
UNKNOWN_CASE: Final = Kind(
    "unknown-case",
    404,
    "There is no such case",
    "No case has this id.",
    "GET /v1/cases lists the cases.",
    {"detail": "There is no case 'cgone'."},
)
UNKNOWN_STATEMENT: Final = Kind(
    "unknown-statement",
    404,
    "The case has no such statement",
    "Nobody made a statement at this version of the case.",
    "GET /v1/cases/{case} lists the statements.",
    {"detail": "Case 'c4xq2m7ahbk3oxw7c' has no statement at version 9."},
)
UNKNOWN_CHART: Final = Kind(
    "unknown-chart",
    404,
    "The game has no such chart",
    "The ruleset counts no such figure, or the name does not end in `.svg`.",
    "Use one of the charts that the problem names: `dice.svg`, or one for a figure of the scoreboard.",
    {"detail": "The game has no chart 'points.svg'.", "allowed": "It has tribute.svg, territory.svg, dice.svg."},
)
NOT_COUNTED: Final = Kind(
    "not-counted",
    404,
    "A fork has no scoreboard",
    "Forks are in no list of games, in no record and in no statistics, so nobody counts what their seats had.",
    "GET /v1/games/{game}/state shows how a fork stands, and GET /v1/games/{game}/comparison how it differs.",
    {"detail": "Game 'gm5x2q7ahbk3oxw7c' is a fork."},
)
UNKNOWN_SEAT: Final = Kind(
    "unknown-seat",
    404,
    "There is no such seat",
    "The game has no seat of this name.",
    "GET /v1/games/{game} lists its seats.",
    {"detail": "The game has no seat 'pink'.", "allowed": "Expected one of red, blue."},
)
UNKNOWN_LEVEL: Final = Kind(
    "unknown-level",
    422,
    "There is no bot of this level",
    "The ruleset of the game has no bot of this level.",
    "GET /v1/rulesets/{ruleset} lists the levels as `bots`.",
    {
        "detail": "There is no bot of the level 'grandmaster'.",
        "allowed": "Expected one of random, greedy.",
        "path": "$.level",
    },
)
UNKNOWN_INVITATION: Final = Kind(
    "unknown-invitation",
    404,
    "There is no such invitation",
    "No game has this invitation, or its organizer revoked it.",
    "Use the whole link that you got, or ask the game's organizer for a new one.",
    {"detail": "No game has this invitation."},
)
TOO_MANY_INVITATIONS: Final = Kind(
    "too-many-invitations",
    409,
    "The game has too many invitations",
    "A game can have 20 invitations that were not revoked. Each seats players until the seats are full, so one is "
    "enough for all.",
    "Revoke one that you no longer need: DELETE /v1/games/{game}/invitations/{invitation}.",
    {"detail": "The game has 20 invitations and cannot have more."},
)
NOT_FOR_BOTS: Final = Kind(
    "not-for-bots",
    403,
    "A bot's account cannot do this",
    "A program plays this account. Invitations are for people; a bot takes a free seat by itself.",
    "POST /v1/games/{game}/seats takes a free seat. Bots of the service get theirs from the organizer.",
    {"detail": "A bot does not follow invitations."},
)
UNKNOWN_ANSWER: Final = Kind(
    "unknown-answer",
    404,
    "You left no such answer",
    "Your seat left no answer in advance at this version, or it has ended.",
    "GET /v1/games/{game}/answers lists the answers that you left.",
    {"detail": "red has left no answer at version 41.", "allowed": "Answers of red were left at: 17."},
)
UNKNOWN_TAKE_BACK: Final = Kind(
    "unknown-take-back",
    404,
    "There is no such open request",
    "No request to take moves back was made at this version, or it was refused or withdrawn, or the game has moved on "
    "since.",
    "GET /v1/games/{game} lists open requests as `take_backs`.",
    {
        "detail": "There is no open request to take moves back of version 41.",
        "allowed": "Open requests were made at: 44.",
    },
)
UNKNOWN_VERSION: Final = Kind(
    "unknown-version",
    404,
    "The game has no such version",
    "The game has not reached this version.",
    "Use a version from 1 to the game's `version`.",
    {"detail": "There is no version 99 of this game; its versions are 1 to 17.", "version": 17},
)
NOT_LOGGED_YET: Final = Kind(
    "not-logged-yet",
    404,
    "The transparency log does not have this yet",
    "Each second in which something happened, every game that moved gets an entry with its newest version in the "
    "transparency log. This version has none yet, or the service signs no log.",
    "Ask again after the seconds of the `Retry-After` header.",
    {"detail": "Version 17 is not in the transparency log yet.", "allowed": "Ask again in a second."},
)
UNKNOWN_TILE: Final = Kind(
    "unknown-tile",
    404,
    "The transparency log has no such tile",
    "The tree of the newest checkpoint does not have this tile, or not so wide, or the address is not written as C2SP "
    "`tlog-tiles` says.",
    "Fetch /transparency/checkpoint, and the tiles of a tree of that size.",
    {
        "detail": "The tree of the newest checkpoint has no tile '0/001'.",
        "allowed": "Fetch /transparency/checkpoint, and the tiles of a tree of that size.",
    },
)
METHOD_NOT_ALLOWED: Final = Kind(
    "method-not-allowed",
    405,
    "This address does not take that method",
    "The address exists, but not with this method.",
    "The `Allow` header names the methods.",
    {"detail": "'/v1/games' does not take PUT.", "allowed": "See the Allow header."},
)
REQUEST_TIMEOUT: Final = Kind(
    "request-timeout",
    408,
    "The request did not arrive in time",
    "The headers or the body did not arrive in time: by default the service waits 10 seconds for the headers, and 30 "
    "more for the body. It changed nothing, and closes the connection.",
    "Send the whole request at once, on a new connection.",
    {"detail": "The body of the request did not arrive within 30 seconds."},
)
NOT_NOW: Final = Kind(
    "not-now",
    409,
    "The command cannot be given now",
    "Your seat cannot give this command at this point of the game: it has another decision to make, others decide "
    "first, the game has not started, or it is over.",
    "Read the game's open decisions, and your options at `options_url`.",
    {
        "detail": "You asked to start, but this game has already begun.",
        "allowed": "You can do that only before a game begins.",
        "rule": "TAB-LIFE-02",
        "rule_title": "A game starts when its seats are taken",
        "source": "Tabularium documentation",
    },
)
SEAT_TAKEN: Final = Kind(
    "seat-taken",
    409,
    "The seat cannot be taken",
    "Somebody already holds this seat, or you hold another seat in this game.",
    "Take one of the free seats. GET /v1/games/{game} lists them.",
    {
        "detail": "red is already taken.",
        "allowed": "Free seats: blue.",
        "rule": "TAB-LIFE-03",
        "rule_title": "One player, one seat",
        "source": "Tabularium documentation",
    },
)
TOO_MANY_BOTS: Final = Kind(
    "too-many-bots",
    409,
    "The organizer has too many bots",
    "Bots hold as many seats as they may in the games of one organizer that go on: by default 24. Games that are over, "
    "and those in which nothing has happened for a day, do not count.",
    "Finish a game with bots, cancel one that has not begun, or give up your seat in one and let a bot play it to its "
    "end. Or come back tomorrow.",
    {"detail": "Bots hold as many seats in your games as they may."},
)
TOO_MANY_TOKENS: Final = Kind(
    "too-many-tokens",
    409,
    "The account has too many tokens",
    "An account can have 100 valid tokens.",
    "Revoke one that you no longer need. GET /v1/tokens says when each was last used, and DELETE /v1/tokens/{token} "
    "revokes it.",
    {"detail": "The account has 100 tokens and cannot have more."},
)
TOKEN_REPLACED: Final = Kind(
    "token-replaced",
    409,
    "The token was replaced already",
    "You can replace a token once. The value of its replacement was shown then, and cannot be shown again.",
    "Replace the replacement: GET /v1/tokens lists it. If you lost its value, revoke it and create another with "
    "POST /v1/tokens. Both need a token with the scope `account`.",
    {"detail": "Token 'tgk5x2q7ahbk3oxw7' was replaced, and ends at 2026-11-21T18:00:00.000000Z."},
)
WITHHELD: Final = Kind(
    "withheld",
    403,
    "The fork is withheld",
    "An official forked a game that runs from a version at which it hides something. Until that game is over, only its "
    "officials are shown the fork. The transparency log has its first event, which binds it to its game.",
    "Wait until the game in `until` is over. If you are one of its officials, use a token with the scope `judge`.",
    {
        "detail": "Game gk3w7c2q9xbt5hna4 is withheld until gm5x2q7ahbk3oxw7c is over.",
        "allowed": "Until then, only the officials of gm5x2q7ahbk3oxw7c are shown it.",
        "rule": "TAB-FORK-02",
        "rule_title": "A fork shows nothing that its game hides",
        "source": "Tabularium documentation",
        "until": "gm5x2q7ahbk3oxw7c",
    },
)
PRIVATE: Final = Kind(
    "private",
    403,
    "The game is private",
    "Only those who take part in a private game read it: its seats, its organizer and its officials. Others see of it "
    "what the transparency log has, which is hashes.",
    "Ask the organizer for an invitation. If you take part in the game, send a token of your account.",
    {
        "detail": "Game gk3w7c2q9xbt5hna4 is private.",
        "allowed": "Its seats, its organizer and its officials read it. Its organizer can invite you.",
        "rule": "TAB-READ-01",
        "rule_title": "A private game is read by those who take part in it",
        "source": "Tabularium documentation",
    },
)
FORK_HIDES: Final = Kind(
    "fork-hides",
    409,
    "The game hides something from its fork",
    "The game runs, and at this version something is hidden at its table. The maker of a fork plays all seats, and so "
    "would see it.",
    "Fork a version at which nothing is hidden, ask an official, or wait until the game is over.",
    {
        "detail": "You asked for a fork of version 17 of gm5x2q7ahbk3oxw7c.",
        "allowed": "While something is hidden and the game runs, only officials fork it.",
        "rule": "TAB-FORK-02",
        "rule_title": "A fork shows nothing that its game hides",
        "source": "Tabularium documentation",
    },
)
NOT_COMPARABLE: Final = Kind(
    "not-comparable",
    422,
    "The games have different rulesets",
    "Only positions of one ruleset are compared.",
    "Compare a game with a fork of it, or with another game of its ruleset.",
    {
        "detail": "Games 'gm5x2q7ahbk3oxw7c' and 'gk7t2c4m9x6v8b3nwq' are played by tiny-auction and chess.",
    },
)
CASE_CLOSED: Final = Kind(
    "case-closed",
    409,
    "The case is closed",
    "The case was withdrawn, settled or finally ruled on. Nothing happens in it any more.",
    "Open another case, about something else.",
    {
        "detail": "This case is closed: final.",
        "allowed": "Open another case.",
        "rule": "TAB-CASE-11",
        "rule_title": "A closed case stays closed",
        "source": "Tabularium documentation",
    },
)
ALREADY_RULED: Final = Kind(
    "already-ruled",
    409,
    "The case was ruled on already",
    "There is a ruling on this case, and no appeal against it; or the appeal is against your own ruling.",
    "Read the ruling: GET /v1/cases/{case}. After an appeal, another official rules finally.",
    {
        "detail": "This case was ruled on at version 4.",
        "allowed": "A case is ruled on again only after an appeal.",
        "rule": "TAB-RUL-10",
        "rule_title": "A case is ruled on once, and once more after an appeal",
        "source": "Tabularium documentation",
    },
)
STALE_RULING: Final = Kind(
    "stale-ruling",
    412,
    "The game went on before the ruling",
    "The game does not stand at the version, or has not the hash, that the ruling was made on.",
    "Look at the game as it stands, then send the ruling with its present version and hash.",
    {
        "detail": "You ruled on version 16 with hash 5c….",
        "allowed": "The game is at version 17 with hash 6d…: look at it, then rule.",
        "rule": "TAB-RUL-07",
        "rule_title": "A ruling is made on the game as it stands",
        "source": "Tabularium documentation",
    },
)
STALE_VERSION: Final = Kind(
    "stale-version",
    412,
    "The game has moved on",
    "`If-Match` names a version that is not the game's present one.",
    "Read the events since that version, then decide again.",
    {
        "detail": "You expected version 16, but the game is at version 17.",
        "allowed": 'Read the events after version 16, then send `If-Match: "17"`.',
        "version": 17,
    },
)
BODY_TOO_LARGE: Final = Kind(
    "body-too-large",
    413,
    "The body is too large",
    "The body is larger than this endpoint takes: 64 KiB, or 1 MiB where you can send a board.",
    "Send less at once.",
    {"detail": "The body has more bytes than this endpoint takes.", "allowed": "Send less at once."},
)
URI_TOO_LONG: Final = Kind(
    "uri-too-long",
    414,
    "The address is too long",
    "The path and the query are longer than the service reads: by default 8 KiB. It did not look at the request, and "
    "closes the connection.",
    "Send a shorter address. No endpoint needs more than 2 KiB.",
    {"detail": "The path and the query have more than 8192 bytes."},
)
NOT_JSON: Final = Kind(
    "unsupported-media-type",
    415,
    "The body must be declared as JSON",
    "The `Content-Type` of the request is not `application/json`.",
    "Send `Content-Type: application/json`.",
    {"detail": "The Content-Type is 'text/plain'.", "allowed": "Send `Content-Type: application/json`."},
)
RANGE_NOT_SATISFIABLE: Final = Kind(
    "range-not-satisfiable",
    416,
    "The range is beyond the end",
    "The `Range` of the request begins where the file has ended. `Content-Range` says how long it is.",
    "If you have all of it, you are done. Otherwise the file is no longer the one that you began to download: send the "
    "ETag of that one as `If-Range`, and you get the new file whole.",
    {
        "detail": "The range begins at byte 481204 of 481204.",
        "allowed": "Send a range that begins before byte 481204, or no Range header.",
    },
)
INVALID_BODY: Final = Kind(
    "invalid-body",
    422,
    "The body has the wrong shape",
    "The body is JSON, but a field is missing, unknown, of the wrong type or out of range. The service converts "
    'nothing: a number is 3, not "3" or 3.0.',
    "Correct the field at `path`. The contract and GET /v1/rulesets/{ruleset}/schemas say what each field takes.",
    {
        "detail": "Expected `int`, got `str`, at $.players.",
        "allowed": "Send a whole number from 1 to 100.",
        "path": "$.players",
    },
)
INVALID_BOARD: Final = Kind(
    "invalid-board",
    422,
    "No game can be played on this board",
    "The board is not valid, or this ruleset cannot be played on it.",
    "Correct what `detail` names. GET /v1/rulesets/{ruleset}/board shows a valid board.",
    {"detail": "border roma - neapolis: 'neapolis' is not an area of this board."},
)
INVALID_DOCUMENT: Final = Kind(
    "invalid-document",
    422,
    "No game can be played with this document",
    "A document that you sent along is not valid, does not fit the board, or is not one of the ruleset's.",
    "Correct what `detail` names: it begins with the name of the document, or says where in it the fault is.",
    {"detail": "cards.nations[3].rounds: expected `int` <= 10."},
)
KEY_REUSED: Final = Kind(
    "key-reused",
    422,
    "The idempotency key was used for another request",
    "You used this Idempotency-Key before, for a request with another body.",
    "Use a new key for each new request, and the same key only to repeat one.",
    {"detail": "You used this Idempotency-Key for another request.", "allowed": "Use a new key for a new request."},
)
REFUSED: Final = Kind(
    "refused",
    422,
    "The rules forbid it",
    "A rule forbids this. Nothing happened: there is no event, and no die was rolled. If one command of a list is "
    "refused, none of them happens.",
    "Read `allowed`: it says what the rule lets you do. `rule`, `rule_title` and `source` say which rule it is.",
    {
        "detail": "You cannot go back to version 12.",
        "allowed": "You have nothing to take back.",
        "rule": "TAB-UNDO-01",
        "rule_title": "A seat takes back only its own fresh commands",
        "source": "Tabularium documentation",
        "options_url": "/v1/games/gm5x2q7ahbk3oxw7c/options",
    },
)
UPGRADE_REQUIRED: Final = Kind(
    "upgrade-required",
    426,
    "This address speaks WebSocket",
    "This address sends the events of a game over a WebSocket, and the request did not ask for one.",
    "Open a WebSocket, or use the server-sent events at …/events/stream.",
    {"detail": "This address speaks WebSocket only."},
)
TOO_MANY_REQUESTS: Final = Kind(
    "too-many-requests",
    429,
    "Too many requests",
    "Your token or your address sends more requests than the service takes. It did not look at this one.",
    "Send it again after `Retry-After` seconds. `RateLimit` says in each answer how many requests you have left.",
    {"detail": "This token may send 20 requests a second, 200 after a rest.", "allowed": "Try again in 1 second."},
)
TOO_MANY_CONNECTIONS: Final = Kind(
    "too-many-connections",
    429,
    "Your address has too many connections",
    "The service keeps a limited number of connections open for each address: by default 100, including WebSockets and "
    "event streams. It closes the new connection without reading a request.",
    "Reuse connections instead of opening one for each request, close streams that nobody reads, and try again after "
    "`Retry-After` seconds.",
    {"detail": "Your address has 100 connections open and cannot have more."},
)
HEADERS_TOO_LARGE: Final = Kind(
    "headers-too-large",
    431,
    "The headers are too large",
    "The headers have more lines or more bytes than the service reads: by default 100 lines and 16 KiB. The same "
    "limit holds for the chunk sizes, extensions and trailers of a chunked body. The service changed nothing, and "
    "closes the connection.",
    "Send fewer and shorter headers. The service reads only those that the contract names.",
    {"detail": "The request has more than 16384 bytes of headers."},
)
INTERNAL_ERROR: Final = Kind(
    "internal-error",
    500,
    "The service failed",
    "This is an error of the service. It stored nothing, unless only the answer was lost.",
    "Repeat the request with the same Idempotency-Key. If it fails again, report `instance` to the operator.",
    {"detail": "The service failed to answer this request."},
)
UNAVAILABLE: Final = Kind(
    "unavailable",
    503,
    "The service cannot answer now",
    "The database does not answer, its disk is full, or the service is stopping. `detail` says which. Nothing was"
    " acknowledged.",
    "Repeat the request with the same Idempotency-Key after `Retry-After` seconds.",
    {"detail": "The database does not answer."},
)

KINDS: Final[Sequence[Kind]] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
"""Every kind of problem, by status."""


def example_of(kind: Kind) -> ProblemBody:
    """Return an example of a kind of problem."""
    return ProblemBody(
        **{
            "type": kind.type,
            "title": kind.title,
            "status": kind.status,
            "instance": "urn:uuid:2f1c7a56-3d2b-4b0e-9a38-5f0f4c1d7e90",
            "allowed": kind.remedy,
            **kind.example,
        }
    )


# --- Where problems come from -----------------------------------------------------------------------------------------


def invalid_body(error: msgspec.ValidationError, shape: Any, inside: str = "$", digits: int = 0) -> Problem:
    """Return the problem of a body, or of the part of it at path `inside`, that is none of `shape`.

    `digits` is how many a number has that is out of any range.
    """
    sentence, at, place = str(error).rpartition(" - at `")
    if not at:
        sentence, place = place, ""
    if digits:
        sentence = f"A number of {digits:,} digits is out of range"
    elif sentence.startswith("Expected `str` matching regex"):
        sentence = "The text has the wrong form"
    within = place.rstrip("`").removeprefix("$")
    path = inside + within
    return Problem(INVALID_BODY, f"{sentence}, at {path}.", f"Send {wanted(shape, within)}.", path=path)


def scope_missing(needed: Sequence[Scope], has: Collection[Scope], granted: Collection[Scope]) -> Problem:
    """Return the problem of a token that `has` no scope out of `needed`, while its account has been `granted` some."""
    held = [scope for scope in SCOPES if scope in has]
    count = "scopes" if len(held) > 1 else "scope"
    having = f"the {count} {' and '.join(held)}" if held else "no scope"
    return Problem(
        SCOPE_MISSING,
        f"The token has {having}; this needs {' or '.join(needed)}.",
        "Use one of your tokens that has it, or create one with POST /v1/tokens."
        if set(granted) & set(needed)
        else "Your account has not been granted it. An administrator can grant it: PUT /v1/players/{player}/scopes.",
        headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{needed[0]}"'},
        scopes=tuple(needed),
    )


def refused(
    refusal: Refusal,
    catalogues: Sequence[Catalogue],
    decisions: Sequence[Decision] = (),
    seat: str | None = None,
    options_url: str = "",
    path: str = "",
) -> Problem:
    """Return the problem of a refusal, with the rule's title and source from the first catalogue that has it."""
    mine = [decision for decision in decisions if seat in decision.seats]
    title, standing, source = _cited(refusal.rule, catalogues)
    return Problem(
        NOT_NOW if refusal.untimely else REFUSED,
        refusal.asked,
        refusal.allowed,
        rule=refusal.rule,
        rule_title=title,
        rule_standing=standing,
        source=source,
        decision=next(iter([*mine, *decisions]), None),
        options_url=options_url,
        path=path,
    )


def _cited(rule_id: RuleId, catalogues: Sequence[Catalogue]) -> tuple[str, str, str]:
    for catalogue in catalogues:
        try:
            rule = catalogue.rule(rule_id)
        except CatalogueError:
            continue
        return rule.title, rule.standing, catalogue.cite(rule)
    return "", "", ""
