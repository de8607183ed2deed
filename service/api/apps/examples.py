"""Examples of the endpoints about apps."""

from typing import Final

from service.api.apps.bodies import (
    AppAddress,
    AppDecision,
    AppQuery,
    AppRequest,
    DeviceAnswer,
    DeviceCode,
    DeviceDecision,
    IssuedClient,
    LetInApp,
    LetInApps,
    NewClient,
    RegisteredClient,
    RegisteredClients,
)
from service.api.scene import AT, Example, Scene
from service.store.apps import AppId, ClientId

APP: Final = AppId("ob7m2x4k9v6c3n8wzt")
CLIENT: Final = ClientId("app_q4w8x3c6v9m2k5n7")

_QUERY: Final = (
    "response_type=code&client_id=Board%20Room&redirect_uri=https%3A%2F%2Fboards.example.org%2Fback&scope=play"
    "&state=k3w7&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
)


def examples(scene: Scene) -> dict[str, Example]:
    name, site = ClientId("Board Room"), "boards.example.org"
    request = AppRequest(name, name, "web", site, False, ("play",), False, "", "")
    on_device = AppRequest(name, name, "device", "", False, ("play", "notify"), False, "", "")
    let_in = LetInApp(APP, name, name, "web", site, ("play",), AT, AT, 1, None)
    redirects = ("https://boards.example.org/back",)
    registered = RegisteredClient(CLIENT, name, redirects, AT)
    address = AppAddress(
        f"{redirects[0]}?code=code_9sT2vX5zB8dF1hJ4kM7pQ0rU3wY6aC9eG2iL5nO8qS1&state=k3w7&iss=https%3A%2F%2Fgames.example.org"
    )
    return {
        "showAppRequest": Example(request, AppQuery(_QUERY)),
        "answerAppRequest": Example(address, AppDecision(query=_QUERY, allow=True)),
        "showDeviceRequest": Example(on_device, DeviceCode("BCDF-GHJK")),
        "answerDeviceRequest": Example(DeviceAnswer(allowed=True), DeviceDecision(code="BCDF-GHJK", allow=True)),
        "listApps": Example(LetInApps((let_in,), None)),
        "shutAppOut": Example(let_in),
        "listClients": Example(RegisteredClients((registered,), None)),
        "registerClient": Example(
            IssuedClient("tabc_3nQ6tW9zC2fH5kN8qT1wZ4cF7hK0nQ3tW6zC9fH2kN5", registered), NewClient(name, redirects)
        ),
        "unregisterClient": Example(registered),
    }
