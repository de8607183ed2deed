"""The metrics, for Prometheus. They are for operators, so the published contract leaves them out."""

from litestar.handlers import get
from litestar.response import Response

from service.api.operations.exporter import Exporter
from service.api.request import Call


@get("/metrics")
async def show_metrics(request: Call) -> Response[bytes]:
    """Show the metrics of this process."""
    services = request.services
    content, media = await Exporter(services.metrics, services.store, services.rows).exposition(
        request.headers.get("accept", "")
    )
    return Response(content, headers={"Content-Type": media})
