"""Whether the process is alive, and whether it can serve requests."""

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

    Asks the database. The answer is a problem (503) if the database does not answer or is damaged, or if its disk was
    full at a write in the last ten seconds.
    """
    request.read_query(Nothing)
    await request.services.store.ready()
    return answer(Health("ok"))
