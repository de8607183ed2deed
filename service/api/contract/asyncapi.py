"""The AsyncAPI document: the streams, the socket and the webhooks of the contract, with its types."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

STREAM: Final = "text/event-stream"
CONTRACT: Final = "openapi.json"
"""The file with the types, in the same folder."""

DESCRIPTION: Final = """\
What the service sends by itself: server-sent events, the messages of a WebSocket, and requests to webhooks. The types \
are those of `openapi.json`, which also says who may open a stream, and what is refused. For a server-sent event, the \
payload is its `data`, and the headers are its `id` and its `event`. Where a stream takes `Last-Event-ID`, send the \
last `id` to go on from there."""


def async_document(contract: Mapping[str, Any]) -> dict[str, Any]:
    """Return the AsyncAPI document that belongs to an OpenAPI document."""
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for name, channel, operation in (*_streams(contract), *_webhooks(contract)):
        channels[name] = channel
        operations[name] = {
            "action": "send",
            "channel": {"$ref": f"#/channels/{name}"},
            **operation,
            "messages": [{"$ref": f"#/channels/{name}/messages/{message}"} for message in channel["messages"]],
        }
    info = contract["info"]
    document = {
        "asyncapi": "3.0.0",
        "info": {"title": info["title"], "version": info["version"], "description": DESCRIPTION},
        "defaultContentType": "application/json",
        "servers": {
            "service": {
                "host": "{host}",
                "protocol": "https",
                "variables": {"host": {"default": "127.0.0.1:8000", "description": "Where the service is."}},
            }
        },
        "channels": channels,
        "operations": operations,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": contract["components"]["securitySchemes"]["token"]["description"],
                }
            }
        },
    }
    return json.loads(json.dumps(document).replace('"#/components/schemas/', f'"{CONTRACT}#/components/schemas/'))


def _streams(contract: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, the channel and the operation of each stream and socket."""
    for path, methods in contract["paths"].items():
        for method, details in methods.items():
            for status, answer in details["responses"].items():
                streamed = answer.get("content", {}).get(STREAM)
                if streamed is None and status != "101":
                    continue
                query = _query(contract, details)
                channel: dict[str, Any] = {
                    "address": path,
                    "title": details["summary"],
                    "description": details["description"],
                    "parameters": _parameters(contract, path, details),
                    "messages": dict([_frame(contract, streamed) if streamed is not None else _message("Frame")]),
                }
                operation: dict[str, Any] = {"title": details["summary"]}
                if streamed is None:
                    channel["bindings"] = {"ws": {"method": "GET", "query": query, "bindingVersion": "0.1.0"}}
                else:
                    http = {"method": method.upper(), "query": query, "bindingVersion": "0.3.0"}
                    operation["bindings"] = {"http": http}
                if {} not in details["security"]:
                    operation["security"] = [{"$ref": "#/components/securitySchemes/token"}]
                yield details["operationId"], channel, operation


def _webhooks(contract: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the same for each family of webhooks. Their owners choose the address."""
    for webhook in contract["webhooks"].values():
        details = webhook["post"]
        parameters = [_resolved(contract, each) for each in details["parameters"]]
        (content,) = details["requestBody"]["content"].values()
        headers = {
            "type": "object",
            "properties": {each["name"]: each["schema"] | {"description": each["description"]} for each in parameters},
            "required": [each["name"] for each in parameters],
        }
        examples = [{"name": name, "payload": each["value"]} for name, each in content["examples"].items()]
        name, message = _message("WebhookEvent")
        channel = {
            "address": None,
            "title": details["summary"],
            "description": details["description"],
            "messages": {name: message | {"headers": headers, "examples": examples}},
        }
        bindings = {"http": {"method": "POST", "bindingVersion": "0.3.0"}}
        yield details["operationId"], channel, {"title": details["summary"], "bindings": bindings}


def _message(shape: str) -> tuple[str, dict[str, Any]]:
    return shape, {"payload": {"$ref": f"#/components/schemas/{shape}"}}


def _frame(contract: Mapping[str, Any], streamed: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name and the message of a server-sent event."""
    shape = streamed["schema"]["$ref"].rpartition("/")[2]
    frame = contract["components"]["schemas"][shape]
    message: dict[str, Any] = {
        "title": frame["description"],
        "headers": {
            "type": "object",
            "properties": {name: frame["properties"][name] | {"type": "string"} for name in ("id", "event")},
            "required": ["id"],
        },
        "payload": frame["properties"]["data"]["contentSchema"],
    }
    return shape, message


def _parameters(contract: Mapping[str, Any], path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {each["name"]: each for each in (_resolved(contract, each) for each in operation["parameters"])}
    return {name: {"description": parameters[name]["description"]} for name in re.findall(r"{(\w+)}", path)}


def _query(contract: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the query of an operation."""
    parameters = [_resolved(contract, each) for each in operation["parameters"]]
    return {
        "type": "object",
        "properties": {
            each["name"]: each["schema"] | {"description": each["description"]}
            for each in parameters
            if each["in"] == "query"
        },
    }


def _resolved(contract: Mapping[str, Any], parameter: Mapping[str, Any]) -> Mapping[str, Any]:
    name = parameter.get("$ref", "").rpartition("/")[2]
    return contract["components"]["parameters"][name] if name else parameter
