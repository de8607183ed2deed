"""Tokens of another issuer: JWTs of an OpenID Connect provider, checked with the keys that it publishes.

The keys are found by discovery (OpenID Connect Discovery 1.0, section 4) and kept in memory. They are read again every
ten minutes, because the issuer may withdraw one, and when a token names an unknown key. While the issuer does not
answer, the known keys stay good.
"""

import asyncio
import hmac
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import jwt
import msgspec
from jwt import PyJWK
from jwt.exceptions import (
    ExpiredSignatureError,
    InvalidAlgorithmError,
    InvalidAudienceError,
    InvalidIssuerError,
    InvalidTokenError,
    PyJWTError,
)
from jwt.utils import base64url_decode, base64url_encode
from msgspec import Struct

from service.accounts.caller import Identity, IssuerAway, TokenEnded, UnknownToken
from service.base.clock import written
from service.base.scopes import EVERYBODYS, Scope
from service.base.settings import Settings
from service.observe.logging import log

REFRESH: Final = 600.0
"""Seconds after which the keys are read again."""

PAUSE: Final = 10.0
"""The least seconds between two reads of the keys. Anybody can make up tokens that name unknown keys."""

TIMEOUT: Final = 5.0
LARGEST_ANSWER: Final = 512 * 1024
LONGEST_SUBJECT: Final = 255
"""The most characters of a subject (OpenID Connect Core 1.0, section 2)."""

UNTOLD: Final = (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, msgspec.DecodeError)
"""The errors that are raised when the issuer gives no answer, or one that cannot be used."""

_KINDS: Final = ("RSA", "EC", "OKP")
"""Kinds of keys that have a public half. With a published key for HMAC, anybody could sign."""


class Key(Struct, frozen=True):
    """A key of the issuer (RFC 7517). `id` and `algorithm` are None if it does not say; `content` is the whole JWK."""

    id: str | None
    algorithm: str | None
    content: dict[str, Any]


class Published(Struct, frozen=True):
    """What the issuer publishes of itself.

    Attributes:
        keys: its keys.
        authorization: its authorization endpoint, where people sign in; None if it names none, or an unsafe one.
        token: its token endpoint; None likewise.
        takes: the methods by which clients can authenticate at the token endpoint.
    """

    keys: tuple[Key, ...]
    authorization: str | None
    token: str | None
    takes: tuple[str, ...]


class Issuer:
    """The issuer that the settings name, whose JWTs are accepted. Call `close` at the end."""

    def __init__(self, settings: Settings) -> None:
        self._issuer = settings.oidc_issuer
        self._audience = settings.oidc_audience
        self._algorithms = settings.oidc_algorithms.split(",")
        self._leeway = settings.oidc_leeway
        self._claim = settings.oidc_scope_claim.split(".")
        self._scopes = settings.oidc_scope_names
        self._client = httpx.AsyncClient(timeout=TIMEOUT, follow_redirects=False)
        self._published: Published | None = None
        self._is_away = True
        self._asked_at = -PAUSE
        self._asking: asyncio.Task[None] | None = None

    async def keep(self) -> None:
        """Read the keys at intervals, which are shorter while the issuer is away. Never returns."""
        while True:
            asking = self._ask()
            if asking is not None:
                await asyncio.wait((asking,))
            await asyncio.sleep(PAUSE if self._is_away else REFRESH)

    async def close(self) -> None:
        """Stop reading the keys, and close the connections."""
        if self._asking is not None:
            self._asking.cancel()
        await self._client.aclose()

    async def identify(self, token: str) -> Identity:
        """Return the identity that a JWT names. Raises `UnknownToken`, `TokenEnded` or `IssuerAway`."""
        return self._identity(await self._claims(token, self._audience))

    async def identify_for(self, token: str, client: str, nonce: str) -> Identity:
        """Return the identity in an ID token for this client and nonce. Raises what `identify` raises.

        Makes the checks of OpenID Connect Core 1.0, section 3.1.3.7.
        """
        claims = await self._claims(token, client, "iat")
        audience, authorized = claims["aud"], claims.get("azp")
        if authorized not in (None, client) or (isinstance(audience, list) and len(audience) > 1 and not authorized):
            raise UnknownToken("The service does not accept this JWT: it was made for another client.")
        if not isinstance(claims.get("nonce"), str) or not hmac.compare_digest(
            claims["nonce"].encode("utf-8", "surrogatepass"), nonce.encode()
        ):
            raise UnknownToken("The service does not accept this JWT: its nonce is not the one that was asked for.")
        return self._identity(claims)

    async def _claims(self, token: str, audience: str, *required: str) -> dict[str, Any]:
        """Check a JWT and return its claims. Raises `UnknownToken`, `TokenEnded` or `IssuerAway`."""
        try:
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            if algorithm not in self._algorithms:
                raise InvalidAlgorithmError
            key = PyJWK(await self._key(header.get("kid"), algorithm), algorithm)
            claims = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=audience,
                issuer=self._issuer,
                leeway=self._leeway,
                options={"require": ["exp", "iss", "aud", "sub", *required], "enforce_minimum_key_length": True},
            )
            _require_one_spelling(token)
        except ExpiredSignatureError:
            raise TokenEnded("The JWT has expired.") from None
        except PyJWTError as error:
            raise UnknownToken(f"The service does not accept this JWT: {self._wrong(error, audience)}.") from None
        except UnicodeEncodeError:
            raise UnknownToken("The service does not accept this JWT: it is not ASCII.") from None
        return claims

    def _wrong(self, error: PyJWTError, audience: str) -> str:
        match error:
            case InvalidAlgorithmError():
                return f"it is not signed with {' or '.join(self._algorithms)}"
            case InvalidAudienceError():
                return f"it is not for the audience {audience!r}"
            case InvalidIssuerError():
                return f"it is not of the issuer {self._issuer}"
            case InvalidTokenError():
                message = str(error)
                return message[:1].lower() + message[1:]
            case _:
                return "the key that it names does not fit"

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        subject = claims["sub"]
        if not 1 <= len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
            raise UnknownToken(
                f"The service does not accept this JWT: its subject is not 1 to {LONGEST_SUBJECT} characters."
            )
        try:
            ends = written(datetime.fromtimestamp(int(claims["exp"]) + self._leeway, UTC))
        except (ValueError, OverflowError, OSError):
            raise UnknownToken("The service does not accept this JWT: its expiry time is out of range.") from None
        names = [claims.get(claim) for claim in ("name", "preferred_username")]
        name = next((name for name in names if isinstance(name, str)), "")
        return Identity(self._issuer, subject, name, self._granted(claims), ends)

    def _granted(self, claims: Mapping[str, Any]) -> frozenset[Scope]:
        """Return the scopes that the settings give for the claims; without such settings, `EVERYBODYS`."""
        if not self._scopes:
            return frozenset(EVERYBODYS)
        value: Any = claims
        for name in self._claim:
            value = value.get(name) if isinstance(value, Mapping) else None
        names = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
        return frozenset(self._scopes[name] for name in names if isinstance(name, str) and name in self._scopes)

    # --- what it publishes ---

    async def latest(self) -> Published:
        """Return what the issuer published when it last answered. Raises `IssuerAway` if it never did."""
        if self._published is None and (asking := self._ask()) is not None:
            await asyncio.shield(asking)
        if self._published is None:
            raise IssuerAway(f"{self._issuer} does not answer.")
        return self._published

    async def _key(self, key_id: str | None, algorithm: str) -> dict[str, Any]:
        key = self._key_of(key_id, algorithm)
        if key is None and (asking := self._ask()) is not None:
            await asyncio.shield(asking)
            key = self._key_of(key_id, algorithm)
        if key is None and self._published is None:
            raise IssuerAway(f"The keys of {self._issuer} are not known, and it does not answer.")
        if key is None:
            raise UnknownToken("The service does not accept this JWT: its issuer publishes no such key.")
        return key.content

    def _key_of(self, key_id: str | None, algorithm: str) -> Key | None:
        """Return the key with this id, or None. Without an id, return the key that fits, if there is only one."""
        fitting = [
            key for key in (self._published.keys if self._published else ()) if key.algorithm in (None, algorithm)
        ]
        if key_id is None:
            return fitting[0] if len(fitting) == 1 else None
        return next((key for key in fitting if key.id == key_id), None)

    def _ask(self) -> asyncio.Task[None] | None:
        """Return the task that reads the keys; None when the issuer was asked just now."""
        if self._asking is not None and not self._asking.done():
            return self._asking
        if time.monotonic() - self._asked_at < PAUSE:
            return None
        self._asked_at = time.monotonic()
        self._asking = asyncio.create_task(self._read_keys())
        return self._asking

    async def _read_keys(self) -> None:
        """Read the keys. If that fails, log why and keep the known ones."""
        try:
            published = await self.published()
        except UNTOLD as error:
            self._is_away = True
            log.warning("issuer does not tell its keys", issuer=self._issuer, why=str(error) or type(error).__name__)
            return
        self._published, self._is_away = published, False
        log.info("keys of the issuer read", issuer=self._issuer, keys=len(published.keys))

    async def published(self) -> Published:
        """Fetch what the issuer publishes now. Raises one of `UNTOLD`, also when no key can be used."""
        metadata = await self._fetch(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        if metadata.get("issuer") != self._issuer:
            raise ValueError(f"it calls itself {metadata.get('issuer')!r}")
        place = metadata.get("jwks_uri")
        if not isinstance(place, str) or not self._is_safe(place):
            raise ValueError("its jwks_uri is no https address")
        jwks = (await self._fetch(place)).get("keys", ())
        keys = tuple(key for each in jwks if (key := _read_key(each)) is not None)
        if not keys:
            raise ValueError("it publishes no key that can be used")
        authorization, token = (
            place if isinstance(place, str) and self._is_safe(place) else None
            for place in (metadata.get("authorization_endpoint"), metadata.get("token_endpoint"))
        )
        takes = metadata.get("token_endpoint_auth_methods_supported")
        return Published(
            keys, authorization, token, tuple(map(str, takes)) if isinstance(takes, list) else ("client_secret_basic",)
        )

    def _is_safe(self, address: str) -> bool:
        place, issuer = urlsplit(address), urlsplit(self._issuer)
        return place.scheme == "https" or (place.scheme, place.hostname) == (issuer.scheme, issuer.hostname)

    async def send_form(self, address: str, form: str, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """Send a form; return the status of the answer (200, 400 or 401) and its JSON object.

        Raises one of `UNTOLD`, also for any other status.
        """
        return await self._ask_at(
            address,
            (200, 400, 401),
            method="POST",
            content=form.encode(),
            headers={"Content-Type": "application/x-www-form-urlencoded", **headers},
        )

    async def _fetch(self, address: str) -> dict[str, Any]:
        return (await self._ask_at(address, (200,), method="GET", headers={}))[1]

    async def _ask_at(
        self, address: str, expected: tuple[int, ...], *, headers: Mapping[str, str], **request: Any
    ) -> tuple[int, dict[str, Any]]:
        content = b""
        all_headers = {"Accept": "application/json", **headers}
        async with self._client.stream(url=address, headers=all_headers, **request) as answer:
            if answer.status_code not in expected:
                raise ValueError(f"{address} answered {answer.status_code}")
            async for chunk in answer.aiter_bytes():
                content += chunk
                if len(content) > LARGEST_ANSWER:
                    raise ValueError(f"{address} answered more than {LARGEST_ANSWER} bytes")
        return answer.status_code, msgspec.json.decode(content, type=dict[str, Any])


def _read_key(jwk: Any) -> Key | None:
    """Return a key that can check signatures; None for others."""
    if not isinstance(jwk, dict) or jwk.get("kty") not in _KINDS or jwk.get("use", "sig") != "sig":
        return None
    key_id, algorithm = jwk.get("kid"), jwk.get("alg")
    return Key(
        key_id if isinstance(key_id, str) else None, algorithm if isinstance(algorithm, str) else None, dict(jwk)
    )


def _require_one_spelling(token: str) -> None:
    """Raise `InvalidTokenError` unless the signature is written as RFC 7515 says, which the decoder does not check.

    Otherwise one token could be written in several ways, and each would have a rate limit of its own.
    """
    signature = token.rpartition(".")[2].encode()
    if base64url_encode(base64url_decode(signature)) != signature:
        raise InvalidTokenError("Its signature is not in the base64url of RFC 7515")
