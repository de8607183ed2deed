"""Problems of tokens, sessions and scopes."""

from collections.abc import Collection, Sequence
from typing import Final

from service.api.problems.problem import Kind, Problem
from service.base.scopes import SCOPES, Scope

MISSING_TOKEN: Final = Kind(
    "missing-token",
    401,
    "The request does not say who you are",
    "This needs an account, and the request has no bearer token.",
    "Register with POST /v1/players, store the token, and send it as `Authorization: Bearer <token>`.",
    {"detail": "The request has no Authorization header.", "allowed": "Send `Authorization: Bearer <token>`."},
)
UNKNOWN_TOKEN: Final = Kind(
    "unknown-token",
    401,
    "The token is not known",
    "The request has an `Authorization` header that is not of the form `Bearer <token>`, or a token that no account "
    "has.",
    "Send the token exactly as you got it. The service cannot show a lost token again. Create another one with a token "
    "that you still have, or register again.",
    {"detail": "No account has this token."},
)
TOKEN_ENDED: Final = Kind(
    "token-ended",
    401,
    "The token is no longer valid",
    "The token has expired, or it was revoked, or its account was closed.",
    "Use another token of the account. POST /v1/tokens creates one, with a token that has the scope `account`.",
    {"detail": "The token was revoked at 2026-11-21T18:00:00.000000Z."},
)
SESSION_ENDED: Final = Kind(
    "session-ended",
    401,
    "The browser is no longer signed in",
    "No account has the session in the cookie `tabularium_session`, or the session has ended: its browser signed out, "
    "it expired or was revoked, or the account was closed. The answer removes the cookie.",
    "Send the request again as a spectator, or sign in with POST /v1/session.",
    {"detail": "The token was revoked at 2026-11-21T18:00:00.000000Z."},
)
CROSS_SITE: Final = Kind(
    "cross-site",
    403,
    "The request does not come from a page of this service",
    "A browser sends its session by itself, even when the page of another site makes the request. So with a session, "
    "the service accepts WebSockets and requests that change something only from its own pages: `Origin` must name the "
    "service, `Sec-Fetch-Site` must be `same-origin`, and a request must have the header `Tabularium-Page`, which no "
    "form can send. A link on another site cannot download your data. Requests that sign a browser in or out need the "
    "header, too. Other requests with a bearer token need none of this.",
    "Send `Tabularium-Page: 1` from a page of this service, or use a bearer token in place of the session.",
    {"detail": "The request comes from https://example.org, not from a page of this service."},
)
SCOPE_MISSING: Final = Kind(
    "scope-missing",
    403,
    "The token may not be used for this",
    "This needs a scope that the token does not have, or that its account has not been granted. Any one of `scopes` is "
    "enough.",
    "Use a token with one of these scopes. POST /v1/tokens creates one with scopes that your account has been granted. "
    "Administrators grant more: PUT /v1/players/{player}/scopes.",
    {
        "detail": "The token has the scope play; this needs organize.",
        "allowed": "Use one of your tokens that has it, or create one with POST /v1/tokens.",
        "scopes": ("organize",),
    },
)


def scope_missing(needed: Sequence[Scope], has: Collection[Scope], granted: Collection[Scope]) -> Problem:
    """Return the problem of a token that has none of the scopes `needed`. `granted` are the scopes of its account."""
    scopes = [scope for scope in SCOPES if scope in has]
    count = "scopes" if len(scopes) > 1 else "scope"
    having = f"the {count} {' and '.join(scopes)}" if scopes else "no scope"
    return Problem(
        SCOPE_MISSING,
        f"The token has {having}; this needs {' or '.join(needed)}.",
        "Use one of your tokens that has it, or create one with POST /v1/tokens."
        if set(granted) & set(needed)
        else "Your account has not been granted it. An administrator can grant it: PUT /v1/players/{player}/scopes.",
        headers={"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{needed[0]}"'},
        scopes=tuple(needed),
    )
