"""An endpoint as an operation of the OpenAPI document: its parameters, body, answers and problems."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import astuple

from service.accounts.apps.protocol import GRANTABLE
from service.api.contract.examples import Example, Examples
from service.api.contract.texts import PARAMETERS, REQUEST_HEADERS
from service.api.downloads import DOWNLOAD_HEADERS
from service.api.endpoint import JSON, Answer, Endpoint
from service.api.log.routes import NDJSON
from service.api.pictures.routes import PNG, SVG
from service.api.problems.access import (
    CROSS_SITE,
    MISSING_TOKEN,
    SCOPE_MISSING,
    SESSION_ENDED,
    TOKEN_ENDED,
    UNKNOWN_TOKEN,
)
from service.api.problems.games import PRIVATE, WITHHELD
from service.api.problems.problem import MEDIA_TYPE, Kind, ProblemBody
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
from service.api.rulesets import schemas
from service.api.rulesets.schemas import Book, Schema
from service.api.transparency.routes import TEXT
from service.tournaments.calendar import CALENDAR
from service.tournaments.spreadsheets import CSV

SCHEMAS: Final = "#/components/schemas/"

CONTENTS: Final[Mapping[str, Schema]] = {
    NDJSON: {"contentMediaType": NDJSON, "contentSchema": {"$ref": f"{SCHEMAS}Export"}},
    SVG: {"contentMediaType": SVG},
    PNG: {"format": "binary", "contentMediaType": PNG},
    OCTETS: {"format": "binary"},
    **{text: {"contentMediaType": text} for text in (TEXT, CSV, CALENDAR)},
}
"""The schemas of answers that are neither JSON nor plain text. A client may also read each as plain bytes."""


_Value = TypeVar("_Value")


class Undescribed(Exception):
    """The contract cannot be made, because something has no example or no description. The message says what to do."""


def operation_of(
    path: str, endpoint: Endpoint, book: Book, examples: Examples, refused: dict[str, Any]
) -> dict[str, Any]:
    """Return an operation, and add its answers for problems, by name, to `refused`. Raises `Undescribed`."""
    example = examples.endpoints.get(endpoint.name)
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": _described(endpoint),
        "parameters": [
            *_path_parameters(path, endpoint, examples),
            *_query_parameters(endpoint, book),
            *_header_parameters(endpoint),
        ],
    }
    operation["security"] = []
    if endpoint.account != "none":
        # In OpenAPI 3.1, the requirement of a bearer token can name scopes; one entry is enough.
        each: list[dict[str, list[str]]] = [{"token": [scope]} for scope in endpoint.scopes] or [{"token": []}]
        by_apps: list[dict[str, list[str]]] = [{"app": [scope]} for scope in endpoint.scopes if scope in GRANTABLE]
        each = [*each, *by_apps, {"session": []}]
        operation["security"] = each if endpoint.account == "required" else [*each, {}]
    if endpoint.deprecated is not None:
        operation["deprecated"] = True
    if endpoint.body is not None:
        operation["requestBody"] = _request_body(endpoint, book, example)
    operation["responses"] = _responses(endpoint, book, example, refused)
    return operation


def require_example(endpoint: Endpoint, examples: Examples) -> None:
    """Raise `Undescribed` if an endpoint has a body or an answer with a body, and no example of them."""
    name, file = endpoint.name, f"{endpoint.function.__module__.rpartition('.')[0].replace('.', '/')}/examples.py"
    if endpoint.body is None and all(answer.shape is None for answer in endpoint.answers):
        return
    example = _entry(examples.endpoints, name, f"{name} has no example: add {name!r} to those of {file}")
    if endpoint.body is not None and example.body is None:
        raise Undescribed(f"the example of {name} has no `body`: add the one that is sent, in {file}")


def _entry(among: Mapping[str, _Value], name: str, missing: str) -> _Value:
    if name not in among:
        raise Undescribed(missing)
    return among[name]


def _described(endpoint: Endpoint) -> str:
    parts = [endpoint.description]
    if endpoint.scopes:
        parts.append(f"Scope: {' or '.join(f'`{scope}`' for scope in endpoint.scopes)}.")
    if endpoint.deprecated is not None:
        since, sunset, instead = astuple(endpoint.deprecated)
        parts.append(f"Deprecated since {since}, and gone from {sunset} at the earliest. {instead}")
    return "\n\n".join(parts)


def _path_parameters(path: str, endpoint: Endpoint, examples: Examples) -> list[dict[str, Any]]:
    add = f"{endpoint.name} has a new name in its path: add {{0!r}} to {{1}}"
    texts, values = "PARAMETERS in service/api/contract/texts.py", "`parameters` in service/api/contract/examples.py"
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _entry(PARAMETERS, name, add.format(name, texts)),
            "schema": {"type": "string", "minLength": 1},
            "example": _entry(examples.parameters, name, add.format(name, values)),
        }
        for name in re.findall(r"{(\w+)}", path)
    ]


def _query_parameters(endpoint: Endpoint, book: Book) -> list[dict[str, Any]]:
    documented, query = schemas.field_docs(endpoint.query), endpoint.query.__name__
    return [
        {
            "name": field.encode_name,
            "in": "query",
            **({"required": True} if field.required else {}),
            "description": _entry(
                documented, field.name, f"{query} says nothing of `{field.name}`: describe it under Attributes"
            ),
            "schema": _not_null(book.schema(field.type), field.default),
        }
        for field in msgspec.structs.fields(endpoint.query)
    ]


def _not_null(schema: Schema, default: Any) -> Schema:
    """Return the schema of a parameter without null: a parameter without a value is absent."""
    if isinstance(schema.get("type"), list):
        (schema["type"],) = (kind for kind in schema["type"] if kind != "null")
    if "anyOf" in schema:
        (schema,) = (kind for kind in schema["anyOf"] if kind != {"type": "null"})
    return {**schema, "default": default} if isinstance(default, int | str) else schema


def _header_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "header", "description": what, "schema": schema, "example": example}
        for name in endpoint.headers
        for what, schema, example in (REQUEST_HEADERS[name],)
    ]


def _request_body(endpoint: Endpoint, book: Book, example: Example | None) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": book.schema(endpoint.body)}
    if example is not None and example.body is not None:
        content["examples"] = {"typical": {"value": example.body}}
    return {"required": True, "content": {JSON: content}}


# --- Answers ----------------------------------------------------------------------------------------------------------


def possible_problems(endpoint: Endpoint) -> list[Kind]:
    """Return all problems with which an endpoint can answer."""
    kinds = [
        *endpoint.problems,
        MALFORMED_REQUEST,
        INVALID_QUERY,
        REQUEST_TIMEOUT,
        URI_TOO_LONG,
        TOO_MANY_CONNECTIONS,
        HEADERS_TOO_LARGE,
        INTERNAL_ERROR,
        UNAVAILABLE,
    ]
    if endpoint.of_game or endpoint.of_case:
        kinds += [PRIVATE, WITHHELD]
    if endpoint.tag != "Service":
        kinds.append(TOO_MANY_REQUESTS)
    if endpoint.account != "none":
        kinds += [UNKNOWN_TOKEN, TOKEN_ENDED, SESSION_ENDED, CROSS_SITE]
    if endpoint.account == "required":
        kinds.append(MISSING_TOKEN)
    if endpoint.scopes:
        kinds.append(SCOPE_MISSING)
    if set(endpoint.headers) - {*DOWNLOAD_HEADERS, "Tabularium-Page"}:
        kinds.append(INVALID_HEADER)
    if endpoint.body is not None:
        kinds += [MALFORMED_JSON, NOT_JSON, INVALID_BODY, BODY_TOO_LARGE]
    return [kind for kind in KINDS if kind in kinds]


def _responses(endpoint: Endpoint, book: Book, example: Example | None, refused: dict[str, Any]) -> dict[str, Any]:
    by_status: dict[int, list[Kind]] = defaultdict(list)
    for kind in possible_problems(endpoint):
        by_status[kind.status].append(kind)
    announced = ("Deprecation", "Sunset", "Link") if endpoint.deprecated is not None else ()
    responses = {answer.status: _answer(endpoint.name, answer, announced, book, example) for answer in endpoint.answers}
    for status, kinds in by_status.items():
        if status in responses:
            raise TypeError(f"{endpoint.name}: {status} is both an answer and a problem")
        name = _refusal(status, kinds)
        refused[name] = _problem_answer(status, kinds, book)
        responses[status] = {"$ref": f"#/components/responses/{name}"}
    return {str(status): responses[status] for status in sorted(responses)}


def _answer(name: str, answer: Answer, more: Iterable[str], book: Book, example: Example | None) -> dict[str, Any]:
    response: dict[str, Any] = {"description": answer.what, "headers": _headers((*answer.headers, *more, "Request-Id"))}
    if answer.shape is not None:
        schema = {**book.schema(answer.shape), **CONTENTS.get(answer.media, {})}
        if answer.media == NDJSON and answer.shape is not str:
            schema = {"type": "string", "contentMediaType": NDJSON, "contentSchema": book.schema(answer.shape)}
        content: dict[str, Any] = {"schema": schema}
        if example is not None:
            shared = {"$ref": f"#/components/examples/{name}"}
            content["examples"] = {"typical": shared if answer.media in CONTENTS else {"value": example.answer}}
        response["content"] = {answer.media: content}
        if answer.media in CONTENTS:
            response["content"][OCTETS] = {**content, "schema": {"type": "string", "format": "binary"}}
    return response


def _refusal(status: int, kinds: Sequence[Kind]) -> str:
    """Return the name of the shared answer for these problems. It depends on them alone, so other changes keep it."""
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
