"""Traces, as a collector gets them."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from service.observe.tracing import is_tracing, tracing
from tests.helpers.redis import shared_server
from tests.service.api.serving import serving

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector:
    """What takes traces, by OTLP over HTTP."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[bytes] = []

    @property
    def spans(self) -> list[Any]:
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span
            for each in requests
            for found in each.resource_spans
            for scope in found.scope_spans
            for span in scope.spans
        ]

    def named(self, name: str) -> list[Any]:
        return [span for span in self.spans if span.name == name]


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector = Collector(f"http://127.0.0.1:{server.server_address[1]}/v1/traces")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield collector
        server.shutdown()
        thread.join()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


async def test_a_command_is_traced_through_the_service_and_nothing_that_was_sent_is_told(
    tmp_path: Path, database_url: str
):
    redis_url = shared_server().url if database_url else ""
    with collecting() as collector:
        with tracing(collector.url):
            async with serving(tmp_path, database_url=database_url, redis_url=redis_url) as service:
                anna, bert = await service.register("Canary-Name"), await service.register("Bert")
                game = await service.gathering(anna, bert)
                await service.post(f"/v1/games/{game}/start", anna, None, idempotency_key="canary-first")
                body = {"command": {"type": "put-up", "coins": 1}}
                path, parent = f"/v1/games/{game}/commands", f"00-{TRACE}-{PARENT}-01"
                await service.post(path, anna, body, idempotency_key="canary-key", traceparent=parent)
                refused = await service.ask("POST", path, bert, body)
                assert refused.status_code == 409
                token = anna.headers["authorization"].removeprefix("Bearer ")
                assert (await service.ask("GET", f"/v1/games/{token}?canary=1", anna)).status_code in (400, 404)
        assert not is_tracing()

        requests = collector.named("POST /v1/games/{game}/commands")
        assert [attributes(span)["http.response.status_code"] for span in requests] == [200, 409]
        assert {attributes(span)["tabularium.game"] for span in requests} == {game}
        assert requests[0].trace_id.hex() == TRACE
        assert requests[0].parent_span_id.hex() == PARENT
        assert requests[1].trace_id.hex() != TRACE
        assert all(span.status.code == 0 for span in requests), "a refusal is no error of the service"
        within = [span for span in collector.spans if span.parent_span_id == requests[0].span_id]
        assert {"decide", "append"} <= {span.name for span in within}
        if database_url:
            queries = [
                attributes(span) for span in collector.spans if attributes(span).get("db.system") == "postgresql"
            ]
            assert any("tabularium.append" in str(query) for query in queries)
        roots = [span for span in collector.spans if not span.parent_span_id]
        assert {span.kind for span in roots} == {Span.SPAN_KIND_SERVER}, "nothing that nobody asked for"
        sent = b"".join(collector.bodies)
        for hidden in (b"canary", b"Canary", token.encode()):
            assert hidden not in sent, hidden


async def test_a_failure_is_told_without_its_message(tmp_path: Path):
    with collecting() as collector:
        with tracing(collector.url):
            async with serving(tmp_path) as service:

                async def fail(*given: object, **named: object) -> object:
                    raise RuntimeError("canary")

                service.services.games.game = fail  # type: ignore[method-assign]
                assert (await service.client.get("/v1/games/some")).status_code == 500
        (span,) = collector.named("GET /v1/games/{game}")
        assert span.status.code == 2
        assert b"canary" not in b"".join(collector.bodies)


async def test_a_collector_that_is_away_makes_nobody_wait(tmp_path: Path):
    with tracing("http://127.0.0.1:1/v1/traces"):
        async with serving(tmp_path) as service:
            assert await service.gathering(await service.register("Anna"))
    async with serving(tmp_path) as service:
        assert await service.gathering(await service.register("Bert")), "and without traces as well"
