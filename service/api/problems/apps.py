"""Problems of apps that ask people for access."""

from typing import Final

from service.api.problems.problem import Kind

BAD_APP_REQUEST: Final = Kind(
    "bad-app-request",
    400,
    "The request of the app cannot be answered",
    "An app sent somebody to `/authorize` with a request that does not say which app it is, or that names no "
    "acceptable address for sending them back. So the service sends nobody anywhere.",
    "The makers of the app have to correct the request. [The guide](/docs/guides/oauth) says what belongs in it.",
    {"detail": "Its redirect_uri is 'javascript:alert(1)'."},
)
GUEST_ACCOUNT: Final = Kind(
    "guest-account",
    403,
    "A guest lets no app in",
    "Only one browser can sign in to the account. If it forgot the account, nobody could take the access of the app "
    "away.",
    "Make a passkey or recovery codes first, on the page /account, or by POST /v1/passkeys or POST /v1/recovery-codes.",
    {"detail": "Only this browser keeps your account."},
)
UNKNOWN_DEVICE_CODE: Final = Kind(
    "unknown-device-code",
    404,
    "No device waits with this code",
    "No device shows this code, or its ten minutes are over, or somebody has answered already.",
    "Enter the code exactly as the device shows it. If it is older than ten minutes, let the device show another one.",
    {"detail": "No device waits with the code 'BCDF-GHJK'."},
)
UNKNOWN_APP: Final = Kind(
    "unknown-app",
    404,
    "You have no such app",
    "You have neither let in nor registered an app with this id, or it was removed.",
    "GET /v1/apps lists the apps that you let in, and GET /v1/clients those that you registered.",
    {"detail": "You have not let in an app 'ogone'."},
)
TOO_MANY_CLIENTS: Final = Kind(
    "too-many-clients",
    409,
    "The account has registered too many apps",
    "An account can register 20 apps.",
    "Delete one that you no longer need: DELETE /v1/clients/{client}.",
    {"detail": "The account has registered 20 apps and cannot have more."},
)
