"""Adapters that give Authlib our clients, requests and answers in the form that it expects."""

import hmac
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from authlib.oauth2.rfc6749 import (
    ClientMixin,
    OAuth2Payload,
    OAuth2Request,
)

from service.accounts.apps.sites import is_same
from service.accounts.values import hashed
from service.store.apps import ClientId, ClientRow


class Client(ClientMixin):
    """An app: a registered one, or one that nobody registered, which chose its id itself."""

    def __init__(self, client: ClientId, row: ClientRow | None) -> None:
        self.client = client
        self.row = row

    @property
    def name(self) -> str:
        """The display name."""
        return self.client if self.row is None else self.row.name

    def get_client_id(self) -> str:
        return self.client

    def get_default_redirect_uri(self) -> str:
        return ""

    def get_allowed_scope(self, scope: Any) -> str:
        return scope or ""

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        # For an app that nobody registered, `site_of` has checked the address.
        return self.row is None or any(is_same(each, redirect_uri) for each in self.row.redirects)

    def check_client_secret(self, client_secret: str) -> bool:
        return self.row is not None and hmac.compare_digest(hashed(client_secret), self.row.hash)

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return (method == "none") == (self.row is None)

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return True


class Parameters(OAuth2Payload):
    """The parameters of a request. Each has one value."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = dict(fields)

    @property
    def data(self) -> dict[str, str]:
        return self._fields

    @property
    def datalist(self) -> defaultdict[str, list[str]]:
        return defaultdict(list, {name: [value] for name, value in self._fields.items()})


class OAuthRequest(OAuth2Request):
    """A request for Authlib. Raises `InsecureTransportError` if `uri` is plain HTTP and not on this machine."""

    def __init__(self, method: str, uri: str, parameters: Mapping[str, str], headers: Mapping[str, str]) -> None:
        super().__init__(method, uri, None, dict(headers))
        self.payload: Any = Parameters(parameters)

    @property
    def args(self) -> Any:
        return self.payload.data

    @property
    def form(self) -> Any:
        return self.payload.data


class Answer:
    """An answer of Authlib. `location` is the address to which the browser goes."""

    def __init__(self, status: int, body: Any, headers: Sequence[tuple[str, str]]) -> None:
        self.status = status
        self.body = body
        self.headers = dict(headers)

    @property
    def location(self) -> str:
        return self.headers.get("Location", "")

    @location.setter
    def location(self, address: str) -> None:
        self.headers["Location"] = address
