"""The metrics, for Prometheus. For those who run the service, so not in the published contract."""

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
