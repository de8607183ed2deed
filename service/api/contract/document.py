"""The OpenAPI document of a service, made from its endpoints, its bodies and its rulesets."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from domain.boards import builtin
from domain.kernel.rules.ruleset import Library
from service.accounts.apps.protocol import GRANTABLE
from service.api.bearer import COOKIE
from service.api.cases.bodies import LoggedCaseEvent
from service.api.contract import releases
from service.api.contract.examples import examples
from service.api.contract.families import describe, families
from service.api.contract.operations import CONTENTS, SCHEMAS, operation_of, possible_problems
from service.api.contract.texts import ANSWER_HEADERS, INTRODUCTION, SIGNED, TAGS
from service.api.endpoint import JSON, Endpoint
from service.api.log.streams import EventFrame, ProblemFrame
from service.api.notifications.bodies import InboxState
from service.api.players.bodies import Waiting
from service.api.problems.problem import ProblemBody, example_of
from service.api.problems.published import KINDS
from service.api.routes import API, EXPORTS, LARGE
from service.api.rulesets.schemas import Book, Schema
from service.api.services import Boards
from service.base.scopes import MEANINGS
from service.pictures.views import FrameView, Scene
from service.webhooks.events import FAMILIES, WebhookEvent
from service.webhooks.events import MEANINGS as TOLD


def endpoints() -> list[tuple[str, str, Endpoint]]:
    """Return every endpoint with its path, in the contract's form, and its method."""
    listed: list[tuple[str, str, Endpoint]] = []
    for handler in (*API, *LARGE, *EXPORTS):
        endpoint = handler.opt.get("endpoint")
        if isinstance(endpoint, Endpoint):
            (path,), (method,) = handler.paths, handler.http_methods  # type: ignore[reportAttributeAccessIssue]
            listed.append((re.sub(r"{(\w+):(?:str|path)}", r"{\1}", path), str(method), endpoint))
    return sorted(listed, key=lambda each: (list(TAGS).index(each[2].tag), each[0], each[1]))


def document(library: Library, boards: Boards = builtin) -> dict[str, Any]:
    """Return the OpenAPI document of the service that plays the rulesets of `library`."""
    samples = examples(library, boards)
    book = _book(library)
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    refused: dict[str, Any] = {}
    for path, method, endpoint in endpoints():
        paths[path][method.lower()] = operation_of(path, endpoint, book, samples, refused)
    operations = [operation for methods in paths.values() for operation in methods.values()]
    answers = [each for operation in operations for each in operation["responses"].values()]
    possible = {kind.slug for *_, endpoint in endpoints() for kind in possible_problems(endpoint)}
    headers = {name for each in (*answers, *refused.values()) for name in each.get("headers", ())}
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
        "webhooks": {
            family: {"post": _delivery_operation(family, kinds, samples.events)} for family, kinds in FAMILIES.items()
        },
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token of the account, with a scope that the endpoint names; or a JWT, where the "
                    "service trusts another issuer.",
                },
                "app": {
                    "type": "oauth2",
                    "description": "The access token of an app that somebody let in. An app needs no registration.",
                    "flows": {
                        "authorizationCode": {
                            "authorizationUrl": "/authorize",
                            "tokenUrl": "/oauth/token",
                            "refreshUrl": "/oauth/token",
                            "scopes": {scope: MEANINGS[scope] for scope in GRANTABLE},
                        }
                    },
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
            "parameters": {
                **parameters,
                **{
                    header: {"name": header, "in": "header", "required": True, "description": what, "schema": schema}
                    for header, (what, schema) in SIGNED.items()
                },
            },
            "responses": dict(sorted(refused.items())),
            "headers": {
                name: {"description": what, "schema": schema}
                for name, (what, schema) in ANSWER_HEADERS.items()
                if name in headers
            },
            "examples": {
                **{
                    kind.slug: {"summary": kind.title, "value": msgspec.to_builtins(example_of(kind))}
                    for kind in KINDS
                    if kind.slug in possible
                },
                **{
                    name: {"value": samples.endpoints[name].answer}
                    for name in _downloads()
                    if name in samples.endpoints
                },
            },
        },
    }


def _delivery_operation(family: str, kinds: Sequence[str], samples: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operation that describes a delivery to a webhook, for some types of events."""
    alone = len(kinds) == 1
    example = kinds[-1]
    return {
        "operationId": "on" + "".join(word.capitalize() for word in re.findall(r"[a-z]+", family)),
        "tags": ["Webhooks"],
        "summary": TOLD[example].rstrip(".") if alone else f"Events whose types begin with `{family[:-1]}`",
        "description": TOLD[example] if alone else "\n".join(f"- `{kind}`: {TOLD[kind]}" for kind in kinds),
        "parameters": [{"$ref": f"#/components/parameters/{header}"} for header in SIGNED],
        "requestBody": {
            "required": True,
            "content": {
                JSON: {"schema": _reference("WebhookEvent"), "examples": {example: {"value": samples[example]}}}
            },
        },
        "responses": {"2XX": {"description": "You received it. After any other answer it is sent again."}},
        "security": [],
    }


def _in_order(structs: Mapping[str, Schema], families: Sequence[str]) -> dict[str, Schema]:
    """Return the schemas in an order that compresses well, without their titles, which repeat the names, and gestures.

    Gestures are in the schemas of options and of rulesets. Shapes that each family of rulesets has stand together: gzip
    looks back 32 kB, so this saves 7 kB.
    """

    def shape(name: str) -> str:
        bare = next((name.removeprefix(family) for family in families if name.startswith(family)), name)
        return bare if all(family + bare in structs for family in families) else name

    return {
        name: {keyword: value for keyword, value in structs[name].items() if keyword not in ("title", "x-gesture")}
        for name in sorted(structs, key=lambda name: (shape(name) == name, shape(name), name))
    }


def _shared_parameters(operations: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the parameters that several operations share, by name, and replace them in the operations by references.

    If parameters with one name differ, the one that most operations have is shared.
    """
    counts = Counter(json.dumps(each) for operation in operations for each in operation["parameters"])
    shared: dict[str, Any] = {}
    for written, count in counts.most_common():
        if count > 1:
            shared.setdefault(json.loads(written)["name"], json.loads(written))
    for operation in operations:
        operation["parameters"] = [
            {"$ref": f"#/components/parameters/{each['name']}"} if each == shared.get(each["name"]) else each
            for each in operation["parameters"]
        ]
    return dict(sorted(shared.items()))


def _downloads() -> list[str]:
    """Return the names of the endpoints that use one example for several answers or media types."""
    return [
        endpoint.name for *_, endpoint in endpoints() if any(answer.media in CONTENTS for answer in endpoint.answers)
    ]


def _scopes() -> str:
    return "; ".join(f"`{scope}`: {meaning}" for scope, meaning in MEANINGS.items())


def _book(library: Library) -> Book:
    """Return all schemas, including those of the commands, events and views of all rulesets."""
    book = Book(
        SCHEMAS,
        {
            ("NewGame", "board"): _reference("Board"),
            ("StreamedEvent", "data"): _in_json(_reference("EventView")),
            ("StreamedCaseEvent", "data"): _in_json(_reference("CaseEventView")),
            ("StreamedBulk", "data"): _in_json(_reference("BulkGameView")),
            ("StreamedTournamentEvent", "data"): _in_json(_reference("TournamentEventView")),
            ("StreamedLogged", "data"): _in_json({"anyOf": [_reference("LoggedEvent"), _reference("LoggedCaseEvent")]}),
            ("StreamedWaiting", "data"): _in_json(_reference("Waiting")),
            ("StreamedInbox", "data"): _in_json(_reference("InboxState")),
            ("FramePage", "key"): _reference("Scene"),
            ("LessonTry", "command"): _reference("Command"),
            ("ProblemBody", "first"): {"anyOf": [_reference("GameForkedView"), {"type": "null"}]},
            ("WebhookEvent", "type"): {"type": "string", "enum": sorted(TOLD)},
            ("FramePage", "frames"): {"type": "array", "items": _reference("FrameView")},
        },
        defaults=False,
    )
    for shape in (
        Scene,
        FrameView,
        ProblemBody,
        EventFrame,
        ProblemFrame,
        Waiting,
        InboxState,
        LoggedCaseEvent,
        WebhookEvent,
    ):
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
