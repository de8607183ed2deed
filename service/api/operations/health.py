"""Whether the service lives, and whether it can serve."""

from litestar.response import Response

from service.api.bodies import Health, Nothing
from service.api.endpoint import Answer, endpoint
from service.api.request import Call
from service.api.response import answer


@endpoint("GET", "/health", tag="Service", answers=(Answer(200, "The process is alive.", Health),))
async def show_health(request: Call) -> Response[bytes]:
    """Check whether the process is alive.

    Does not ask the database.
    """
    request.read_query(Nothing)
    return answer(Health("ok"))


@endpoint("GET", "/ready", tag="Service", answers=(Answer(200, "It can serve.", Health),))
async def show_readiness(request: Call) -> Response[bytes]:
    """Check whether the service can serve.

    Asks the database. When a write found no room on its disk in the last ten seconds, or when the database was found
    damaged, the answer says so (503).
    """
    request.read_query(Nothing)
    await request.services.store.ready()
    return answer(Health("ok"))
