"""The published contract: OpenAPI 3.1 and the rulesets' JSON Schemas, generated from the code.

`write` puts it into a folder, `differs` says what in there is not what the code says. Where the two disagree about
the service, the code is right and the folder is generated again.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import astuple

from domain.boards import builtin
from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from service.api.bearer import COOKIE
from service.api.cases.bodies import LoggedCaseEvent
from service.api.contract import releases
from service.api.contract.examples import Example, Examples, examples
from service.api.contract.families import describe, families
from service.api.downloads import DOWNLOAD_HEADERS
from service.api.endpoint import JSON, Answer, Endpoint
from service.api.log.routes import NDJSON
from service.api.log.streams import EventFrame, ProblemFrame
from service.api.pictures.routes import PNG, SVG
from service.api.players.bodies import Waiting
from service.api.problems.access import (
    CROSS_SITE,
    MISSING_TOKEN,
    SCOPE_MISSING,
    SESSION_ENDED,
    TOKEN_ENDED,
    UNKNOWN_TOKEN,
)
from service.api.problems.games import PRIVATE, WITHHELD
from service.api.problems.problem import MEDIA_TYPE, Kind, ProblemBody, example_of
from service.api.problems.published import KINDS
from service.api.problems.request import (
    BODY_TOO_LARGE,
    HEADERS_TOO_LARGE,
    INTERNAL_ERROR,
    INVALID_BODY,
    INVALID_HEADER,
    INVALID_QUERY,
    MALFORMED_JSON,
    MALFORMED_REQUEST,
    NOT_JSON,
    REQUEST_TIMEOUT,
    TOO_MANY_CONNECTIONS,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    URI_TOO_LONG,
)
from service.api.problems.transparency import NOT_LOGGED_YET
from service.api.request import OCTETS
from service.api.routes import API, LARGE
from service.api.rulesets import schemas
from service.api.rulesets.schemas import Book, Schema
from service.api.services import Boards
from service.api.transparency.routes import TEXT
from service.base.scopes import MEANINGS
from service.pictures.views import FrameView, Scene

SCHEMAS: Final = "#/components/schemas/"

INTRODUCTION: Final = """\
A rules service for board games: every move an event, every refusal a cited rule, every game proved.

**Accounts.** Register with `POST /v1/players`, and send the token as `Authorization: Bearer <token>`. Without a token
you see what a spectator sees. A page of the service uses a session in place of a token: a cookie, from
`POST /v1/session`.

**Scopes** say what a token may do: {scopes}. Every endpoint says which it needs. An account has several tokens. Give
each bot one of its own, which you can revoke alone.

**Games.** Create a game, let players take its seats, start it. From then on the game always waits for at least one open
*decision*. `GET …/options` says what your seat may do, `POST …/commands` does it, and `GET …/events/stream` tells
everybody what happened, as far as they may see it.

**Rulesets** have commands, events and positions of their own, and the same name can mean different things in two.
Whatever contains one names its `ruleset`: look at that first, and then at the `type`. A command made from the schema of
an option always fits the game.

**Versions.** The version of a game is the number of its events. It is the `ETag` of what follows from the log alone,
and of every answer that says what you did. With `If-Match` you make sure that a command meets the game that you saw, or
one of several that you name. You can ask for the position at any version.

**Retries.** An `Idempotency-Key` makes a request safe to repeat: the same key with the same request gets the first
answer again, and nothing happens twice. The service keeps a key for at least 24 hours, by default 48. After that the
key counts as new. Accounts do not share keys. Every endpoint that changes something takes a key, or says that repeating
the request changes nothing.

**Lists** have `items` and `next`. Send `next` as `cursor` (for a log: as `after`) to get the following page.

**Problems** are `application/problem+json` (RFC 9457) with a stable `type`, whose page says what to do. When the
rules forbid a command, the problem names the rule and where it stands. Every answer has a `Request-Id`.

**Requests are read strictly.** Unknown fields and query parameters are refused, and nothing is converted. Every GET
except the streams also takes HEAD.
"""

TAGS: Final = {
    "Rulesets": "What you can play.",
    "Players": "Accounts.",
    "Sessions": "How a browser stays signed in: by a cookie that no script can read.",
    "Tokens": "Several for each account, each with its own scopes.",
    "Games": "Creating, joining, starting and listing games.",
    "Play": "The position, your options, and commands.",
    "Cases": "Disputes about games, and the rulings that decide them.",
    "Pictures": "Any position as a picture, and what it is drawn from.",
    "Log": "What happened: events, sentences, streams, the export.",
    "Transparency": "What the service signs of every game, so that nobody can be told anything else.",
    "Statistics": "Read models of the logs of all games, a moment behind them.",
    "Administration": "Accounts, their scopes, and the log of all games: for administrators and auditors.",
    "Service": "Health checks.",
}

PARAMETERS: Final = {
    "ruleset": "The id of a ruleset.",
    "rule": "The id of a rule.",
    "document": "The name of a document, such as `cards`.",
    "lesson": "The id of a lesson.",
    "player": "The id of a player.",
    "case": "The id of a case.",
    "number": "The version of the case at which the statement was made.",
    "game": "The id of a game.",
    "seat": "A seat of the game.",
    "left": "The version at which an answer was left.",
    "asked": "The version at which a request to take moves back was made.",
    "chart": "What it shows, and `.svg`: `dice.svg`, or a figure of the scoreboard.",
    "level": "The level of a tile, from 0 for hashes of entries.",
    "tile": "The number of a tile, in groups of three digits of which all but the last begin with `x`. If it is not "
    "full, `.p/` and its width follow: `x001/x234/067`, `000.p/17`. Its slashes are slashes of the address.",
    "invitation": "The id of an invitation.",
    "passkey": "The id of a passkey.",
    "secret": "The value of an invitation.",
    "token": "The id of a token, or `current` for the one that the request comes with.",
}

_CONTENTS: Final[Mapping[str, Schema]] = {
    NDJSON: {"contentMediaType": NDJSON, "contentSchema": {"$ref": f"{SCHEMAS}Export"}},
    SVG: {"contentMediaType": SVG},
    PNG: {"format": "binary", "contentMediaType": PNG},
    OCTETS: {"format": "binary"},
    TEXT: {"contentMediaType": TEXT},
}
"""The schemas of answers that are neither JSON nor plain text. A client may also read each as plain bytes."""

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
        "Makes the request safe to repeat for at least 24 hours: the same key with the same request gets the first "
        "answer again.",
        {"type": "string", "pattern": r"^[!-~]{1,255}$(?!\n)"},
        "0f0e7a86-6c2f-4f0b-9b57-0c6a7f3d9e11",
    ),
    "If-Match": (
        "Take this only if the game, or the case, is at this version, or at one of several. `*` stands for any.",
        _VERSION_TAGS,
        '"17"',
    ),
    "Range": ("Send only these bytes.", {"type": "string"}, "bytes=1024-"),
    "If-Range": (
        "Send the part only if this is still the ETag, and the whole otherwise.",
        {"type": "string"},
        '"17.8f14e45fceea167a"',
    ),
    "If-None-Match": ("Answer 304 if the ETag is still this, or one of several.", {"type": "string"}, '"17"'),
    "Tabularium-Page": (
        "Says that a page of this service sends the request. Needed with a browser's session, or to begin one.",
        {"type": "string"},
        "1",
    ),
    "Last-Event-ID": (
        "Begin after this version.",
        {"type": "string", "pattern": r"^(0|[1-9][0-9]{0,14})$(?!\n)"},
        "17",
    ),
}

ANSWER_HEADERS: Final[Mapping[str, tuple[str, Schema]]] = {
    "ETag": (
        "The version of the game or case (for a bare board: of its ruleset), in quotes. For a picture, a digest of the "
        "viewer and of the drawing code follows, because the same version may look different after an update; for an "
        "export, a digest of what it shows. Elsewhere it is a digest alone. It is weak (`W/`) where bytes may differ, "
        "as those of a packed export do.",
        _ANY_TAG,
    ),
    "Accept-Ranges": ("Says that `Range` is read.", {"type": "string", "const": "bytes"}),
    "Content-Range": (
        "Which bytes these are, and of how many.",
        {"type": "string", "pattern": r"^bytes (0|[1-9][0-9]*)-(0|[1-9][0-9]*)/(0|[1-9][0-9]*)$(?!\n)"},
    ),
    "Location": ("The address of the new resource.", {"type": "string"}),
    "RateLimit": (
        "What remains of your limits, if the service has any: `r` requests now, and all of them again in `t` seconds.",
        {"type": "string"},
    ),
    "RateLimit-Policy": ("The limits: requests `q` in seconds `w`.", {"type": "string"}),
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
    "Link": ("Where the guide says how something ends.", {"type": "string"}),
    "Request-Id": ("The id of the request, which the service's log has too.", {"type": "string", "format": "uuid"}),
}


# --- The files --------------------------------------------------------------------------------------------------------


def write(folder: Path) -> None:
    """Write the contract into `folder`, and remove files that no longer belong to it."""
    wanted = _wanted(folder)
    for path in _present(folder):
        if path not in wanted:
            (folder / path).unlink()
    for path, content in wanted.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def differs(folder: Path) -> list[str]:
    """Return the files in `folder` that are not what the code says: missing, left over or different."""
    wanted = _wanted(folder)
    present = {path: (folder / path).read_bytes() for path in _present(folder)}
    return sorted(path for path in wanted.keys() | present.keys() if wanted.get(path) != present.get(path))


def _present(folder: Path) -> list[str]:
    found = [*folder.rglob("*.json"), *folder.glob(releases.CHANGELOG)]
    return sorted(path.relative_to(folder).as_posix() for path in found)


def fault(folder: Path) -> str | None:
    """Return what is wrong with the version of the contract, by the last release in `folder`; None if nothing is."""
    return (
        releases.fault(releases.last_release(folder), json.loads(published(LIBRARY))) if _has_release(folder) else None
    )


def release(folder: Path, day: date) -> None:
    """Write the contract into `folder` and make it the last release."""
    write(folder)
    releases.release(folder, json.loads(published(LIBRARY)), day)


def _has_release(folder: Path) -> bool:
    return (folder / releases.RELEASED).is_file()


@cache
def published(library: Library, boards: Boards = builtin) -> bytes:
    """Return the OpenAPI document as the folder has it; made once, which takes half a second."""
    return encoded(document(library, boards))


def _wanted(folder: Path) -> dict[str, bytes]:
    """Return the files of the contract, with the changelog where `folder` keeps the last release."""
    files = _files(LIBRARY)
    if _has_release(folder):
        files[releases.CHANGELOG] = releases.changelog(folder, json.loads(published(LIBRARY)))
    return files


def _files(library: Library) -> dict[str, bytes]:
    files = {"openapi.json": published(library)}
    for ruleset_id in library.ids():
        each = schemas.of_ruleset(library.current(ruleset_id))
        for name in ("commands", "events", "view", "setup"):
            files[f"{ruleset_id}/{name}.schema.json"] = encoded(getattr(each, name))
    return files


def encoded(value: Any) -> bytes:
    """Return a part of the contract as the folder has it: indented, so that its changes can be read."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


# --- The document -----------------------------------------------------------------------------------------------------


def endpoints() -> list[tuple[str, str, Endpoint]]:
    """Return every endpoint with its path, in the contract's form, and its method."""
    found: list[tuple[str, str, Endpoint]] = []
    for handler in (*API, *LARGE):
        said = handler.opt.get("endpoint")
        if isinstance(said, Endpoint):
            (path,), (method,) = handler.paths, handler.http_methods  # type: ignore[reportAttributeAccessIssue]
            found.append((re.sub(r"{(\w+):(?:str|path)}", r"{\1}", path), str(method), said))
    return sorted(found, key=lambda each: (list(TAGS).index(each[2].tag), each[0], each[1]))


def document(library: Library, boards: Boards = builtin) -> dict[str, Any]:
    """Return the OpenAPI document of the service that plays the rulesets of `library`."""
    shown = examples(library, boards)
    book = _book(library)
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    refused: dict[str, Any] = {}
    for path, method, said in endpoints():
        paths[path][method.lower()] = _operation(path, said, book, shown, refused)
    operations = [said for methods in paths.values() for said in methods.values()]
    answers = [each for said in operations for each in said["responses"].values()]
    possible = {kind.slug for *_, said in endpoints() for kind in possible_problems(said)}
    named = {name for each in (*answers, *refused.values()) for name in each.get("headers", ())}
    parameters = _shared_parameters(operations)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tabularium",
            "version": releases.VERSION,
            "description": INTRODUCTION.format(scopes=_scopes()),
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": what} for name, what in TAGS.items()],
        "paths": dict(paths),
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token of the account, with a scope that the endpoint names; or a JWT, where the "
                    "service trusts another issuer.",
                },
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": COOKIE,
                    "description": "The session of a browser, from `POST /v1/session`. Requests other than GET must "
                    "come from a page of the service and have a header `Tabularium-Page: 1`.",
                },
            },
            "schemas": _in_order(book.structs, [family.name for family in families(library)]),
            "parameters": parameters,
            "responses": dict(sorted(refused.items())),
            "headers": {
                name: {"description": what, "schema": schema}
                for name, (what, schema) in ANSWER_HEADERS.items()
                if name in named
            },
            "examples": {
                **{
                    kind.slug: {"summary": kind.title, "value": msgspec.to_builtins(example_of(kind))}
                    for kind in KINDS
                    if kind.slug in possible
                },
                **{name: {"value": shown.endpoints[name].answer} for name in _downloads() if name in shown.endpoints},
            },
        },
    }


def _in_order(structs: Mapping[str, Schema], families: Sequence[str]) -> dict[str, Schema]:
    """Return the schemas by name, without titles, which would repeat the names, and without gestures.

    A gesture is in the schema of an option, and in the schemas of the ruleset. What each family of rulesets has a shape
    of stands together: gzip, which looks back 32 kB, makes 7 kB less of it.
    """

    def shape(name: str) -> str:
        bare = next((name.removeprefix(family) for family in families if name.startswith(family)), name)
        return bare if all(family + bare in structs for family in families) else name

    return {
        name: {keyword: value for keyword, value in structs[name].items() if keyword not in ("title", "x-gesture")}
        for name in sorted(structs, key=lambda name: (shape(name) == name, shape(name), name))
    }


def _shared_parameters(operations: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the parameters that several operations have alike, by name, and let the operations refer to them.

    Of those that have one name and are not alike, the one that most operations have.
    """
    counted = Counter(json.dumps(each) for operation in operations for each in operation["parameters"])
    shared: dict[str, Any] = {}
    for written, count in counted.most_common():
        if count > 1:
            shared.setdefault(json.loads(written)["name"], json.loads(written))
    for operation in operations:
        operation["parameters"] = [
            {"$ref": f"#/components/parameters/{each['name']}"} if each == shared.get(each["name"]) else each
            for each in operation["parameters"]
        ]
    return dict(sorted(shared.items()))


def _downloads() -> list[str]:
    """Return the names of the endpoints whose one example is that of several answers or media types."""
    return [said.name for *_, said in endpoints() if any(answer.media in _CONTENTS for answer in said.answers)]


def _scopes() -> str:
    return "; ".join(f"`{scope}`: {meaning}" for scope, meaning in MEANINGS.items())


def _book(library: Library) -> Book:
    """Return the schemas, with those of all rulesets' commands, events and views in it."""
    book = Book(
        SCHEMAS,
        {
            ("NewGame", "board"): _reference("Board"),
            ("StreamedEvent", "data"): _in_json(_reference("EventView")),
            ("StreamedCaseEvent", "data"): _in_json(_reference("CaseEventView")),
            ("StreamedLogged", "data"): _in_json({"anyOf": [_reference("LoggedEvent"), _reference("LoggedCaseEvent")]}),
            ("StreamedWaiting", "data"): _in_json(_reference("Waiting")),
            ("FramePage", "key"): _reference("Scene"),
            ("LessonTry", "command"): _reference("Command"),
            ("ProblemBody", "first"): {"anyOf": [_reference("GameForkedView"), {"type": "null"}]},
            ("FramePage", "frames"): {"type": "array", "items": _reference("FrameView")},
        },
        defaults=False,
    )
    for shape in (Scene, FrameView, ProblemBody, EventFrame, ProblemFrame, Waiting, LoggedCaseEvent):
        book.schema(shape)
    book.structs["Frame"] = {
        "description": "A WebSocket message.",
        "oneOf": [_reference("EventFrame"), _reference("ProblemFrame")],
    }
    describe(book, library)
    return book


def _in_json(schema: Schema) -> Schema:
    """Return the schema of a text that is the JSON of what `schema` describes."""
    return {"type": "string", "contentMediaType": JSON, "contentSchema": schema}


def _reference(name: str) -> Schema:
    return {"$ref": f"{SCHEMAS}{name}"}


def _operation(path: str, said: Endpoint, book: Book, shown: Examples, refused: dict[str, Any]) -> dict[str, Any]:
    """Return an operation, and add the refusals that it answers with to `refused`."""
    example = shown.endpoints.get(said.name)
    operation: dict[str, Any] = {
        "operationId": said.name,
        "tags": [said.tag],
        "summary": said.summary,
        "description": _described(said),
        "parameters": [*_path_parameters(path, shown), *_query_parameters(said, book), *_header_parameters(said)],
    }
    operation["security"] = []
    if said.account != "none":
        # OpenAPI 3.1 lets a bearer token's requirement name what the token must be good for; one entry is enough.
        each: list[dict[str, list[str]]] = [{"token": [scope]} for scope in said.scopes] or [{"token": []}]
        each = [*each, {"session": []}]
        operation["security"] = each if said.account == "required" else [*each, {}]
    if said.deprecated is not None:
        operation["deprecated"] = True
    if said.body is not None:
        operation["requestBody"] = _request_body(said, book, example)
    operation["responses"] = _responses(said, book, example, refused)
    return operation


def _described(said: Endpoint) -> str:
    parts = [said.description]
    if said.scopes:
        parts.append(f"Scope: {' or '.join(f'`{scope}`' for scope in said.scopes)}.")
    if said.deprecated is not None:
        since, sunset, instead = astuple(said.deprecated)
        parts.append(f"Deprecated since {since}, and gone from {sunset} at the earliest. {instead}")
    return "\n\n".join(parts)


def _path_parameters(path: str, shown: Examples) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": PARAMETERS[name],
            "schema": {"type": "string", "minLength": 1},
            "example": shown.parameters[name],
        }
        for name in re.findall(r"{(\w+)}", path)
    ]


def _query_parameters(said: Endpoint, book: Book) -> list[dict[str, Any]]:
    documented = schemas.field_docs(said.query)
    return [
        {
            "name": field.encode_name,
            "in": "query",
            **({"required": True} if field.required else {}),
            "description": documented[field.name],
            "schema": _not_null(book.schema(field.type), field.default),
        }
        for field in msgspec.structs.fields(said.query)
    ]


def _not_null(schema: Schema, default: Any) -> Schema:
    """Return the schema of a parameter, which cannot be null: it is absent then."""
    if isinstance(schema.get("type"), list):
        (schema["type"],) = (kind for kind in schema["type"] if kind != "null")
    if "anyOf" in schema:
        (schema,) = (kind for kind in schema["anyOf"] if kind != {"type": "null"})
    return {**schema, "default": default} if isinstance(default, int | str) else schema


def _header_parameters(said: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "header", "description": what, "schema": schema, "example": example}
        for name in said.headers
        for what, schema, example in (REQUEST_HEADERS[name],)
    ]


def _request_body(said: Endpoint, book: Book, example: Example | None) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": book.schema(said.body)}
    if example is not None and example.body is not None:
        content["examples"] = {"typical": {"value": example.body}}
    return {"required": True, "content": {JSON: content}}


# --- Answers ----------------------------------------------------------------------------------------------------------


def possible_problems(said: Endpoint) -> list[Kind]:
    """Return everything that can be wrong with a request to an endpoint."""
    kinds = [
        *said.problems,
        MALFORMED_REQUEST,
        INVALID_QUERY,
        REQUEST_TIMEOUT,
        URI_TOO_LONG,
        TOO_MANY_CONNECTIONS,
        HEADERS_TOO_LARGE,
        INTERNAL_ERROR,
        UNAVAILABLE,
    ]
    if said.of_game or said.of_case:
        kinds += [PRIVATE, WITHHELD]
    if said.tag != "Service":
        kinds.append(TOO_MANY_REQUESTS)
    if said.account != "none":
        kinds += [UNKNOWN_TOKEN, TOKEN_ENDED, SESSION_ENDED, CROSS_SITE]
    if said.account == "required":
        kinds.append(MISSING_TOKEN)
    if said.scopes:
        kinds.append(SCOPE_MISSING)
    if set(said.headers) - {*DOWNLOAD_HEADERS, "Tabularium-Page"}:
        kinds.append(INVALID_HEADER)
    if said.body is not None:
        kinds += [MALFORMED_JSON, NOT_JSON, INVALID_BODY, BODY_TOO_LARGE]
    return [kind for kind in KINDS if kind in kinds]


def _responses(said: Endpoint, book: Book, example: Example | None, refused: dict[str, Any]) -> dict[str, Any]:
    by_status: dict[int, list[Kind]] = defaultdict(list)
    for kind in possible_problems(said):
        by_status[kind.status].append(kind)
    announced = ("Deprecation", "Sunset", "Link") if said.deprecated is not None else ()
    responses = {answer.status: _answer(said.name, answer, announced, book, example) for answer in said.answers}
    for status, kinds in by_status.items():
        if status in responses:
            raise TypeError(f"{said.name}: {status} is both an answer and a problem")
        name = _refusal(status, kinds)
        refused[name] = _problem_answer(status, kinds, book)
        responses[status] = {"$ref": f"#/components/responses/{name}"}
    return {str(status): responses[status] for status in sorted(responses)}


def _answer(name: str, answer: Answer, more: Iterable[str], book: Book, example: Example | None) -> dict[str, Any]:
    said: dict[str, Any] = {"description": answer.what, "headers": _headers((*answer.headers, *more, "Request-Id"))}
    if answer.shape is not None:
        schema = {**book.schema(answer.shape), **_CONTENTS.get(answer.media, {})}
        content: dict[str, Any] = {"schema": schema}
        if example is not None:
            shared = {"$ref": f"#/components/examples/{name}"}
            content["examples"] = {"typical": shared if answer.media in _CONTENTS else {"value": example.answer}}
        said["content"] = {answer.media: content}
        if answer.media in _CONTENTS:
            said["content"][OCTETS] = {**content, "schema": {"type": "string", "format": "binary"}}
    return said


def _refusal(status: int, kinds: Sequence[Kind]) -> str:
    """Return the name of an answer with one of these problems, which stays the same when others are added or go."""
    digest = hashlib.sha256(" ".join(kind.slug for kind in kinds).encode()).hexdigest()[:6]
    return f"Problem{status}_{digest}"


def _problem_answer(status: int, kinds: Sequence[Kind], book: Book) -> dict[str, Any]:
    more = {429: ("Retry-After", "RateLimit", "RateLimit-Policy"), 503: ("Retry-After",)}.get(status, ())
    if NOT_LOGGED_YET in kinds:
        more = ("Retry-After",)
    return {
        "description": "\n".join(f"* `{kind.slug}`: {kind.title}." for kind in kinds),
        "headers": _headers(("Request-Id", *more)),
        "content": {
            MEDIA_TYPE: {
                "schema": book.schema(ProblemBody),
                "examples": {kind.slug: {"$ref": f"#/components/examples/{kind.slug}"} for kind in kinds},
            }
        },
    }


def _headers(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
