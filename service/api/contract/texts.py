"""Texts of the contract that endpoints share: its introduction, tags, parameters and headers."""

from collections.abc import Mapping
from typing import Any, Final

from service.api.rulesets.schemas import Schema

INTRODUCTION: Final = """\
A rules service for board games: every move an event, every refusal a cited rule, every game proved.

**Accounts.** Register with `POST /v1/players`, and send the token as `Authorization: Bearer <token>`. Without a token
you see what a spectator sees. A page of the service uses a session in place of a token: a cookie, from
`POST /v1/session`.

**Scopes** say what a token may do: {scopes}. Every endpoint says which it needs. An account has several tokens. Give
each bot one of its own, which you can revoke alone.

**Games.** Create a game, let players take its seats, start it. From then on the game always waits for at least one open
*decision*. `GET …/options` says what your seat may do, `POST …/commands` does it, and `GET …/events/stream` sends
everybody the events, as far as they may see them.

**Rulesets** have commands, events and positions of their own, and the same name can mean different things in two.
Whatever contains one names its `ruleset`: look at that first, and then at the `type`. A command made from the schema of
an option always fits the game.

**Versions.** The version of a game is the number of its events. It is the `ETag` of answers that follow from the log
alone, and of answers to requests that change the game. With `If-Match`, the service accepts a command only if the game
is at the version, or at one of the versions, that you name. You can ask for the position at any version.

**Retries.** An `Idempotency-Key` makes a request safe to repeat: a repeated request with the same key gets the same
response, and nothing happens twice. Where the response has a field `repeated`, it is then true. The service keeps a key
for at least 24 hours, by default 48. After that the key counts as new. Accounts do not share keys. Every endpoint that
changes something takes a key, or says what repeating the request does.

**Lists** have `items` and `next`. Send `next` as `cursor` (for a log: as `after`) to get the following page.

**Problems** are `application/problem+json` (RFC 9457) with a stable `type`. Its page says what to do. When the rules
forbid a command, the problem names the rule and its source. Every answer has a `Request-Id`.

**Requests are read strictly.** Unknown fields and query parameters are refused, and nothing is converted. Every GET
except the streams also takes HEAD.
"""

TAGS: Final = {
    "Rulesets": "What you can play.",
    "Players": "Accounts.",
    "Sessions": "How a browser stays signed in: by a cookie that no script can read.",
    "Tokens": "Several for each account, each with its own scopes.",
    "Apps": "Apps of other people that sign you in (OAuth 2.1): what they ask for, and what you let them do.",
    "Notifications": "Notices about your games, and what waits for you.",
    "Games": "Creating, joining, starting and listing games.",
    "Play": "The position, your options, and commands.",
    "Cases": "Disputes about games, and the rulings that decide them.",
    "Tournaments": "Announced, drawn in the open, played at tables, and closed.",
    "Leagues": "Seasons of tournaments with a table over them, and divisions.",
    "Pictures": "Any position as a picture, and the data that it is drawn from.",
    "Log": "What happened: events, sentences, streams, the export.",
    "Imports": "Games that other services recorded: verified, kept as they came, and counted nowhere.",
    "Webhooks": "The service calls your program when something happens.",
    "Transparency": "What the service signs about every game, so that it cannot show different people different logs.",
    "Statistics": "Read models of the logs of all games, a moment behind them.",
    "Administration": "Accounts, their scopes, and the log of all games: for administrators and auditors.",
    "Service": "Health checks.",
    "Sandbox": "Only on a service that was started with `--sandbox`: its accounts, its time, and resetting it.",
}

PARAMETERS: Final = {
    "ruleset": "The id of a ruleset.",
    "rule": "The id of a rule.",
    "document": "The name of a document, such as `cards`.",
    "lesson": "The id of a lesson.",
    "file": "The name of a file.",
    "imported": "The id of an import.",
    "player": "The id of a player.",
    "case": "The id of a case.",
    "tournament": "The id of a tournament.",
    "league": "The id of a league.",
    "season": "The number of a season.",
    "round": "The number of a round, from 1.",
    "draft": "The number of a draft of a round, from 1.",
    "offer": "The number of an offer of a rematch, from 1 to 5.",
    "table": "The number of a table in its round, from 1.",
    "number": "The version of the case at which the statement was made.",
    "game": "The id of a game.",
    "seat": "A seat of the game.",
    "left": "The version at which an answer was left.",
    "proposed": "The version at which a proposal to end the game was made.",
    "asked": "The version at which a request to take moves back was made.",
    "chart": "What it shows, and `.svg`: `dice.svg`, or a figure of the scoreboard.",
    "level": "The level of a tile, from 0 for hashes of entries.",
    "tile": "The number of a tile, in groups of three digits of which all but the last begin with `x`. If it is not "
    "full, `.p/` and its width follow: `x001/x234/067`, `000.p/17`. Its slashes are slashes of the address.",
    "invitation": "The id of an invitation.",
    "passkey": "The id of a passkey.",
    "secret": "The value of an invitation.",
    "webhook": "The id of a webhook.",
    "delivery": "The id of a delivery.",
    "device": "The id of a device that gets pushes.",
    "bulk": "The id of games that you created together.",
    "app": "The id of an app that you let in.",
    "client": "The `client_id` of an app that you registered.",
    "token": "The id of a token, or `current` for the one that the request comes with.",
}

_VERSION_TAGS: Final[Schema] = {
    "type": "string",
    "pattern": r'^(\*|"(0|[1-9][0-9]{0,14})"( *, *"(0|[1-9][0-9]{0,14})")*)$(?!\n)',
}
_ANY_TAG: Final[Schema] = {
    "type": "string",
    "pattern": r'^(W/)?"((0|[1-9][0-9]{0,14})(\.[0-9a-f]{16})?|[0-9a-f]{32})"$(?!\n)',
}

REQUEST_HEADERS: Final[Mapping[str, tuple[str, Schema, Any]]] = {
    "Idempotency-Key": (
        "Makes the request safe to repeat for at least 24 hours: a repeated request with the same key "
        "gets the same response.",
        {"type": "string", "pattern": r"^[!-~]{1,255}$(?!\n)"},
        "0f0e7a86-6c2f-4f0b-9b57-0c6a7f3d9e11",
    ),
    "If-Match": (
        "Accept this only if the game (or the case, …) is at this version, or at one of several. `*` stands for any.",
        _VERSION_TAGS,
        '"17"',
    ),
    "Prefer": (
        "`respond-async` lets the service answer 202 before the work is done (RFC 7240).",
        {"type": "string"},
        "respond-async",
    ),
    "Range": ("Answer with only these bytes.", {"type": "string"}, "bytes=1024-"),
    "If-Range": (
        "Answer with the part only if this is still the ETag, otherwise with the whole.",
        {"type": "string"},
        '"17.8f14e45fceea167a"',
    ),
    "If-None-Match": ("Answer 304 if the ETag is still this, or one of several.", {"type": "string"}, '"17"'),
    "Tabularium-Page": (
        "Says that a page of this service sends the request. Needed with a browser's session for anything but GET, and "
        "to begin one.",
        {"type": "string"},
        "1",
    ),
    "Last-Event-ID": (
        "Begin after this version.",
        {"type": "string", "pattern": r"^(0|[1-9][0-9]{0,14})$(?!\n)"},
        "17",
    ),
}

SIGNED: Final[Mapping[str, tuple[str, Schema]]] = {
    "webhook-id": (
        "The id of the delivery. It stays the same when the delivery is sent again: ignore ids that you know.",
        {"type": "string"},
    ),
    "webhook-timestamp": ("When it is sent, in seconds since 1970.", {"type": "string", "pattern": r"^[0-9]+$(?!\n)"}),
    "webhook-signature": (
        "Signatures with the secret of the webhook and, for a while, with the one before, with blanks between them.",
        {"type": "string", "pattern": r"^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)?$(?!\n)"},
    ),
}
"""The headers of deliveries to webhooks."""

ANSWER_HEADERS: Final[Mapping[str, tuple[str, Schema]]] = {
    "ETag": (
        "The version of the game or case (for a bare board: of its ruleset), in quotes. For a picture, a digest of the "
        "viewer and of the drawing code follows, because the same version may look different after an update; for an "
        "export, a digest of what it shows. Elsewhere it is a digest alone. It is weak (`W/`) where bytes may differ, "
        "as those of a compressed export do.",
        _ANY_TAG,
    ),
    "Accept-Ranges": ("Says that you may send `Range`.", {"type": "string", "const": "bytes"}),
    "Content-Range": (
        "Which bytes these are, and of how many.",
        {"type": "string", "pattern": r"^bytes (0|[1-9][0-9]*)-(0|[1-9][0-9]*)/(0|[1-9][0-9]*)$(?!\n)"},
    ),
    "Location": ("The address of the new resource.", {"type": "string"}),
    "RateLimit": (
        "What remains of your limits, if there are any: `r` requests now, and the whole limit again in `t` seconds.",
        {"type": "string"},
    ),
    "RateLimit-Policy": ("The limits: `q` requests in `w` seconds.", {"type": "string"}),
    "Set-Cookie": ("Gives the browser its session, or takes it away.", {"type": "string"}),
    "Retry-After": (
        "Seconds to wait before the request is sent again.",
        {"type": "string", "pattern": r"^[0-9]+$(?!\n)"},
    ),
    "Deprecation": (
        "Since when this is deprecated (RFC 9745): `@` and the seconds since 1970.",
        {"type": "string", "pattern": r"^@[0-9]+$(?!\n)"},
    ),
    "Sunset": ("When this ends at the earliest (RFC 8594).", {"type": "string"}),
    "Link": ("Where the guide says how endpoints are removed.", {"type": "string"}),
    "Request-Id": ("The id of the request, which the service's log has too.", {"type": "string", "format": "uuid"}),
}
