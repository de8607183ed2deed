"""The log of the service: one JSON object a line, on stderr. Names and values, not sentences; no token, no secret."""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, TextIO, cast

import msgspec
import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.types import EventDict

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}

log: structlog.stdlib.BoundLogger = structlog.get_logger()
"""The logger of every module."""

request_id: ContextVar[str] = ContextVar("request")
"""The id of the request that is being answered. Every line that is logged meanwhile has it."""


_MARKS: Final = ("tab", "inv_", "code_", "dev_", "whsec_", "eyJ")
"""Every text that `_SECRET` matches contains one of these, and few others do. They are faster to find than a match."""

_SECRET: Final = re.compile(
    r"(?:tab[a-z]?|inv)_[\w-]{20,}|(?:code|dev)_[\w-]{40,}|whsec_[\w+/-]{20,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*"
)
"""The pattern of the secret values that the service issues, and of JSON Web Tokens."""

# Without the local variables of the frames, which structlog shows by default: tokens and secrets are among them.
_EXCEPTIONS: Final = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))


_encode: Final = msgspec.json.Encoder(enc_hook=repr).encode


class _Stderr:
    """The current ``sys.stderr``, looked up for every line, because a test or a supervisor may replace it."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def configure(level: str = "info") -> None:
    """Send the log to stderr as JSON lines: our own lines from `level` on, those of libraries from ``warning`` on.

    With the level ``error``, the log has only errors, those of libraries as well.
    """
    stderr = cast(TextIO, _Stderr())
    structlog.configure(
        processors=[_complete, _to_json_line],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_complete, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _to_json_line],
        )
    )
    # Below warnings, libraries log a line for every connection, which says nothing that our own lines do not.
    logging.basicConfig(handlers=[handler], level=max(LEVELS[level], logging.WARNING), force=True)


def _complete(logger: Any, level: str, event: EventDict) -> EventDict:
    """Add the level, the time and, if there is one, the request's id. Replace `exc_info` by the rendered exception."""
    if request := request_id.get(None):
        event.setdefault("request", request)
    event["level"] = level
    event["timestamp"] = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return _EXCEPTIONS(logger, level, event) if "exc_info" in event else event


def _to_json_line(logger: Any, name: str, event: EventDict) -> str:
    line = _encode({"at": event.pop("timestamp", None), **event}).decode()
    if not line.isascii():
        # The client chooses the path: U+0085 or U+2028 ends a line for some readers, U+009B commands a terminal.
        line = json.dumps(json.loads(line), separators=(",", ":"))
    # No code logs a secret, but a client may send one in place of a game's id, and paths are logged.
    return without_secrets(line)


def without_secrets(text: str) -> str:
    """Return `text` with `…` in place of everything that `_SECRET` matches."""
    return _SECRET.sub("…", text) if any(mark in text for mark in _MARKS) else text
