"""The endpoints of OAuth, which programs call. They take forms, and answer errors as the RFCs say, not as problems."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import msgspec
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import InvalidRequestError
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from litestar.handlers import get, post
from litestar.response import Response

from service.accounts.apps.http import Answer
from service.accounts.apps.protocol import GRANTABLE, GUIDE, refused
from service.api.request import Call
from service.api.response import answer, answer_json

_FORM: Final = "application/x-www-form-urlencoded"
_AUTHENTICATE: Final = ["client_secret_basic", "client_secret_post", "none"]


def issuer_of(request: Call) -> str:
    """Return the issuer: the public address in the settings, or else the host of the request."""
    public_url = request.services.settings.public_url.rstrip("/")
    return public_url or f"{request.scope['scheme']}://{request.header('host')}"


def metadata_of(issuer: str) -> AuthorizationServerMetadata:
    """Return the metadata of this authorization server (RFC 8414)."""
    return AuthorizationServerMetadata(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/oauth/token",
            "device_authorization_endpoint": f"{issuer}/oauth/device",
            "revocation_endpoint": f"{issuer}/oauth/revoke",
            "introspection_endpoint": f"{issuer}/oauth/introspect",
            "scopes_supported": list(GRANTABLE),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": [
                "authorization_code",
                "refresh_token",
                "urn:ietf:params:oauth:grant-type:device_code",
            ],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": _AUTHENTICATE,
            "revocation_endpoint_auth_methods_supported": _AUTHENTICATE,
            "introspection_endpoint_auth_methods_supported": _AUTHENTICATE,
            "authorization_response_iss_parameter_supported": True,
            "service_documentation": f"{issuer}{GUIDE}",
        }
    )


@get("/.well-known/oauth-authorization-server")
async def show_metadata(request: Call) -> Response[bytes]:
    """Show the metadata of this authorization server (RFC 8414)."""
    return answer(dict(metadata_of(issuer_of(request))))


@post("/oauth/token", status_code=200)
async def give_tokens(request: Call) -> Response[bytes]:
    """Give tokens for a code, for a refresh token, or for the code of a device."""
    return await _respond(request, request.services.apps.give_tokens)


@post("/oauth/device", status_code=200)
async def give_device_code(request: Call) -> Response[bytes]:
    """Give a device two codes (RFC 8628): one to show to a person, and one to ask for tokens with."""
    return await _respond(request, request.services.apps.give_device_code)


@post("/oauth/revoke", status_code=200)
async def revoke_sign_in(request: Call) -> Response[bytes]:
    """End a sign-in, by any of its tokens (RFC 7009)."""
    return await _respond(request, request.services.apps.revoke)


@post("/oauth/introspect", status_code=200)
async def introspect_token(request: Call) -> Response[bytes]:
    """Tell an app about a token of its own (RFC 7662)."""
    return await _respond(request, request.services.apps.introspect)


async def _respond(request: Call, ask: Callable[[str, Mapping[str, str], str], Awaitable[Answer]]) -> Response[bytes]:
    issuer = issuer_of(request)
    try:
        form = await _form(request)
    except OAuth2Error as error:
        reply = refused(error, issuer)
    else:
        authorization = request.header("authorization")
        reply = await ask(form, {"Authorization": authorization} if authorization is not None else {}, issuer)
    headers = {name: value for name, value in reply.headers.items() if name != "Content-Type"}
    return answer_json(msgspec.json.encode(reply.body), reply.status, {**headers, "Cache-Control": "no-store"})


async def _form(request: Call) -> str:
    """Return the form of a request. Raises `InvalidRequestError`."""
    if (request.header("content-type") or "").partition(";")[0].strip().lower() != _FORM:
        raise InvalidRequestError(f"Send Content-Type: {_FORM}.")
    if request.scope["query_string"]:
        raise InvalidRequestError("Send all parameters in the body, and none in the address.")
    try:
        return (await request.body()).decode("ascii")
    except UnicodeDecodeError:
        raise InvalidRequestError("The body is not URL-encoded.") from None
