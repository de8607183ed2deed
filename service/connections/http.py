"""A connection over which requests come: what it may send, and until when."""

import asyncio
from functools import partial
from typing import Any, Final, Literal, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import get_remote_addr

from service.api.problems.problem import Problem
from service.api.problems.request import (
    HEADERS_TOO_LARGE,
    MALFORMED_REQUEST,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    URI_TOO_LONG,
)
from service.base.ids import new_uuid
from service.connections.counting import Connection, Connections
from service.connections.refusing import Excess, as_answer, large, late, malformed
from service.connections.websocket import SocketConnection
from service.cycle import Cycle, parsed
from service.observe.logging import log

PIECE: Final = 16 * 1024
"""Bytes that the parser gets at once. What it keeps is counted after every piece."""
PIPELINED: Final = 16
"""Requests that may wait on a connection while one is answered."""
LINGER: Final = 2.0
"""Seconds for which a connection is still read after its last answer. Closed at once, a client that is sending might
never see that answer."""
LINGER_BYTES: Final = 1024 * 1024
"""Bytes that are read and thrown away in that time."""

_REQUEST_LINE: Final = 64
"""Bytes of a request line beside its address: more than any method and version have."""

Stage = Literal["waiting", "head", "body", "refused"]
"""What a connection reads: no request yet, a request line and headers, the rest of a request; nothing any more."""


class HttpConnection(Connection, HttpToolsProtocol):
    """A connection over which requests come."""

    def __init__(self, connections: Connections, *arguments: Any, **parts: Any) -> None:
        HttpToolsProtocol.__init__(self, *arguments, **parts)
        self.connections_of_server = connections
        self._settings = settings = connections.settings
        self.timeout_keep_alive = settings.idle_timeout  # pyrefly: ignore[bad-assignment]  # uvicorn only adds it to a time
        # Looked up here once, not for every request.
        self._url_limit, self._header_limit = settings.url_limit, settings.header_limit
        self._header_count = settings.header_count
        self._stage: Stage = "waiting"
        self._deadline: asyncio.TimerHandle | None = None
        self._deadline_stage: Stage | None = None
        """The stage that has to be over at the deadline."""
        self._begun = 0
        """Requests that began in the piece that is read."""
        self._head = 0
        """Bytes of a head that is not complete, in the pieces before this one."""
        self._most = 0
        """Bytes that a head which becomes complete in this piece has at most."""
        self._content = 0
        """Bytes of a body, without what comes around it."""
        self._framing = 0
        """Bytes that come around it: chunk sizes, chunk extensions, trailers."""
        self._kept = 0
        """Bytes of bodies that are kept until there is an answer."""
        self._unwanted = 0
        """Bytes that were read and thrown away."""

    # --- reading ---

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[reportIncompatibleMethodOverride]
        peer = get_remote_addr(transport)
        problem = self.connections_of_server.enter(self, peer[0] if peer is not None else "")
        if problem is None:
            super().connection_made(transport)
            self._deadline_stage = "waiting"
            self._end_after(self._settings.header_timeout)
            return
        # Answered before a request came, and closed: this is the cheapest answer that a client understands.
        self.transport, self._stage = transport, "refused"
        self.connections_of_server.note(problem.kind.slug)
        transport.write(as_answer(problem, new_uuid()))
        transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._no_deadline()
        self._unset_keepalive_if_required()
        self._keep(-self._kept)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if len(data) <= PIECE and self._stage != "refused":
            self._read(data)
        else:
            view = memoryview(data)
            for start in range(0, len(data), PIECE):
                if self._stage == "refused":
                    self._throw_away(len(data) - start)
                    break
                self._read(view[start : start + PIECE])
        if self._deadline_stage != self._stage:
            self._set_deadline()

    def _read(self, piece: bytes | memoryview) -> None:
        parser, before, content = self.parser, self._stage, self._content
        if parser is None:
            return  # The connection is lost.
        self._begun, self._most = 0, self._head + len(piece)
        try:
            parser.feed_data(piece)
            if self._begun == 1 and self._stage == "waiting" == before:
                self._head = 0
                return  # A whole request, as most are.
            self._count(len(piece), before, self._content - content)
        except Excess as excess:
            self._refuse(excess.problem)
        except httptools.HttpParserError as error:
            cause = error.__context__
            self._refuse(cause.problem if isinstance(cause, Excess) else malformed(cause or error))
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            else:
                self._unsupported_upgrade_warning()

    def _count(self, size: int, before: Stage, content: int) -> None:
        """Count a piece that was read; `content` is the number of bytes of a body in it. Raises `Excess`."""
        limit = self._header_limit
        if self._stage == "body":
            if before == "body" and not self._begun:
                self._framing += size - content
                if self._framing > limit + self._content:
                    raise Excess(
                        HEADERS_TOO_LARGE,
                        f"The chunk sizes, extensions and trailers have more than {limit} bytes.",
                    )
        elif self._begun == 0 and before == self._stage:
            self._head += size
        elif self._stage == "head" and self._begun == 1 and before == "waiting":
            self._head = size
        else:
            self._head = 0  # Another request ended in this piece, so it is not known how much of it is of this one.
        if self._stage == "head" and self._head > limit + len(self.url) + _REQUEST_LINE:
            raise large(f"{limit} bytes of headers")
        if len(self.headers or ()) > self._header_count and self._stage != "waiting":
            raise large(f"{self._header_count} {'header lines' if self._stage == 'head' else 'trailers'}")
        if self._stage == "waiting" and self._head > limit:
            raise Excess(MALFORMED_REQUEST, "There are blank lines and no request.")

    # --- what the parser finds; it stops at an exception ---

    def on_message_begin(self) -> None:
        self._unset_keepalive_if_required()
        self._stage, self._deadline_stage = "head", None
        self._begun += 1
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self.url += url
        if len(self.url) > self._url_limit:
            raise Excess(URI_TOO_LONG, f"The path and the query have more than {self._url_limit} bytes.")

    def on_headers_complete(self) -> None:
        limit = self._header_limit
        if len(self.headers) > self._header_count:
            raise large(f"{self._header_count} header lines")
        if self._most > limit and sum(len(name) + len(value) + 4 for name, value in self.headers) > limit:
            raise large(f"{limit} bytes of headers")
        if len(self.pipeline) >= PIPELINED:
            raise Excess(TOO_MANY_REQUESTS, f"More than {PIPELINED} requests wait on this connection.")
        self._begin()
        if self.parser is not None and not self.parser.should_upgrade():
            self.headers = []  # Trailers come here: they say nothing of a request that is being answered.
        self._stage = "body"
        self._content = self._framing = self._unwanted = 0

    def _begin(self) -> None:
        """Begin to answer a request, as uvicorn does, or have it wait for those before it."""
        scope, parser = cast(dict[str, Any], self.scope), cast(Any, self.parser)
        version = parser.get_http_version()
        scope["method"] = parser.get_method().decode("ascii")
        if version != "1.1":
            scope["http_version"] = version
        if parser.should_upgrade() and self._should_upgrade():
            return
        scope["path"], scope["raw_path"], scope["query_string"] = parsed(self.url)
        before, app = self.cycle, cast(Any, self.app)
        self.cycle = Cycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=version != "1.0" and parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        if before is None or before.response_complete:
            self._start_asgi_task(self.cycle, app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, app))

    def on_body(self, body: bytes) -> None:
        self._content += len(body)
        if self.cycle is not None and self.cycle.response_complete:
            self._throw_away(len(body))
        elif self.connections_of_server.bodies + len(body) > self._settings.bodies_limit:
            raise Excess(UNAVAILABLE, "The service has too many requests with large bodies to answer now.")
        else:
            self._keep(len(body))
            super().on_body(body)

    def _keep(self, size: int) -> None:
        self._kept += size
        self.connections_of_server.bodies += size

    def on_message_complete(self) -> None:
        self._stage = "waiting"
        super().on_message_complete()

    # --- deadlines ---

    def _set_deadline(self) -> None:
        """Set the deadline of what is unfinished now, or none."""
        if self._deadline is not None:
            self._no_deadline()
        self._deadline_stage = self._stage
        if self._stage == "head":
            self._end_after(self._settings.header_timeout)
        elif self._stage == "body":
            self._end_after(self._settings.body_timeout)

    def _end_after(self, seconds: float) -> None:
        self._no_deadline()
        self._deadline = self.loop.call_later(seconds, self._overdue, seconds)

    def _no_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _overdue(self, seconds: float) -> None:
        if self._stage in ("head", "body") and self.flow.read_paused:
            self._end_after(seconds)  # The service has stopped reading, so the client is not late.
        elif self._stage == "head":
            self._refuse(late("headers", seconds))
        elif self._stage == "body" and not self.cycle.response_complete:
            self._refuse(late("body", seconds))
        else:
            if self._stage == "waiting":
                self.connections_of_server.note("silent")
            self.transport.close()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._kept:
            self._keep(-self._kept)
        if self._stage in ("head", "body"):
            self._unset_keepalive_if_required()  # It is not idle, and has a deadline.
            if self._stage == "body" and self.cycle.response_complete:
                self._end_after(LINGER)  # Answered without the rest of the request.

    # --- refusing ---

    def _refuse(self, problem: Problem) -> None:
        """Answer a request that cannot be read, and close the connection.

        While an earlier answer is due, or after this one has begun, no problem can be sent: then it is only closed.
        """
        stage, cycle, request = self._stage, self.cycle, new_uuid()
        self._stage = self._deadline_stage = "refused"
        self._no_deadline()
        self._unset_keepalive_if_required()
        self.connections_of_server.note(problem.kind.slug)
        log.info("request refused", problem=problem.kind.slug, why=problem.detail, request=request)
        is_answered = cycle is None or cycle.response_complete
        is_under_way = stage == "body" and not is_answered and not cycle.response_started
        if self.pipeline or not (is_answered or is_under_way) or self.transport.is_closing():
            self.transport.close()
            return
        if is_under_way:
            cycle.disconnected = True  # Tells the app that the client does not wait any more.
            cycle.body = bytearray()
            cycle.message_event.set()
            self._keep(-self._kept)
        self.transport.write(as_answer(problem, request))
        self.transport.write_eof()
        self.flow.resume_reading()
        self._end_after(LINGER)

    def _throw_away(self, size: int) -> None:
        self._unwanted += size
        if self._unwanted > LINGER_BYTES:
            self.transport.close()

    def handle_websocket_upgrade(self) -> None:
        self._stage = self._deadline_stage = "refused"  # From now on, the WebSocket reads.
        self._no_deadline()
        self._clear_stall()
        # uvicorn calls this as it calls the class.
        self.ws_protocol_class = cast(Any, partial(SocketConnection, self))
        super().handle_websocket_upgrade()
