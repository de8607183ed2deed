"""OpenTelemetry traces, behind a setting: a span for every request, and within it for what takes its time.

A span says which route, which game and how it ended; never what was sent: no query, no header, no body, no message of
an exception. Queries to the database are spans without their values. Queries that serve several requests at once, as
group commit does, belong to the trace of the first.
"""

import os
from collections.abc import Iterator, MutableMapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, cast

from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.base.extras import needs_extra
from service.observe.logging import without_secrets

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

FLUSH: Final = 3000
"""Milliseconds that the last spans have to get away when the service stops."""

_NOTHING: Final = nullcontext()
_tracer: "Tracer | None" = None


def span(name: str, **attributes: str | int) -> AbstractContextManager[Any]:
    """Return a context with a span within the current one. It has no effect when there are no traces."""
    if _tracer is None:
        return _NOTHING
    return _tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    )


@contextmanager
def tracing(url: str) -> Iterator[None]:
    """A context in which traces are sent to `url`. If it is empty, there are none.

    Spans that cannot be sent are dropped, and no request waits for them. Raises `MissingExtra`.
    """
    global _tracer  # noqa: PLW0603  # one for the process, as the libraries that are instrumented are
    if not url:
        yield
        return
    with needs_extra("tracing", "Tracing"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.asyncpg import AsyncPGInstrumentor
        from opentelemetry.instrumentation.redis import RedisInstrumentor
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace import SpanKind

    class Requests(BatchSpanProcessor):
        """Sends the spans of requests, but not those of queries that the service makes for itself all the time."""

        def on_end(self, span: ReadableSpan) -> None:
            if span.parent is not None or span.kind is SpanKind.SERVER:
                super().on_end(span)

    provider = TracerProvider(
        resource=Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "tabularium")}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(Requests(OTLPSpanExporter(endpoint=url)))
    instrumentors = (AsyncPGInstrumentor(), RedisInstrumentor())
    for instrumentor in instrumentors:
        instrumentor.instrument(tracer_provider=provider)
    _tracer = provider.get_tracer("tabularium")
    try:
        yield
    finally:
        _tracer = None
        for instrumentor in instrumentors:
            instrumentor.uninstrument()
        provider.force_flush(FLUSH)
        provider.shutdown()


def is_tracing() -> bool:
    """Tell whether there are traces."""
    return _tracer is not None


class Traced:
    """ASGI middleware that makes a span of every request, in the trace that a ``traceparent`` header names."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind, StatusCode

        if _tracer is None or scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = cast(MutableMapping[str, Any], scope)
        method = request.get("method", "WEBSOCKET")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request["headers"]}
        status = 0

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with _tracer.start_as_current_span(
            method, extract(headers), SpanKind.SERVER, record_exception=False, set_status_on_exception=False
        ) as spanned:
            request["trace"] = f"{spanned.get_span_context().trace_id:032x}"
            try:
                await self.app(scope, receive, send_on)
            finally:
                # Known only now: routing is done inside.
                route = request.get("path_template") or "unmatched"
                spanned.update_name(f"{method} {route}")
                spanned.set_attributes(
                    {"http.request.method": method, "http.route": route, "tabularium.request": request["request_id"]}
                )
                if status:
                    spanned.set_attribute("http.response.status_code", status)
                if game := request.get("path_params", {}).get("game"):
                    spanned.set_attribute("tabularium.game", without_secrets(str(game)))
                if status >= 500:
                    spanned.set_status(StatusCode.ERROR)
