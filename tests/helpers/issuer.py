"""A small OpenID Connect provider to test with: discovery, keys, and JWTs signed with them. Gone at the end."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "tabularium"


@cache
def _made_key(number: int) -> rsa.RSAPrivateKey:
    # Making one takes a tenth of a second, and which it is matters to no test.
    return rsa.generate_private_key(65537, 2048)


class Provider:
    """An issuer whose keys, answers and moods the test decides."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}/realm"
        self.keys: dict[str, PrivateKeyTypes] = {}
        self.published: list[dict[str, Any]] = []
        self.discovery: dict[str, Any] = {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        self.asked: list[str] = []
        self.away = False
        self.add_key("first")
        self.add_curve_key("curve")

    def add_key(self, key_id: str, **said: Any) -> None:
        """Publish a new key; `said` are further members of it."""
        key = _made_key(len(self.keys))
        self.keys[key_id] = key
        public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        self.published.append({**public, "kid": key_id, "use": "sig", **said})

    def add_curve_key(self, key_id: str) -> None:
        """Publish a new key on the curve P-256."""
        key = ec.generate_private_key(ec.SECP256R1())
        self.keys[key_id] = key
        public = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
        self.published.append({**public, "kid": key_id, "alg": "ES256"})

    def withdraw(self, key_id: str) -> None:
        """Publish a key no longer; it can still sign."""
        self.published = [key for key in self.published if key["kid"] != key_id]

    def token(
        self,
        subject: str = "livia",
        key_id: str = "first",
        algorithm: str = "RS256",
        headers: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """Return a JWT for five minutes. A claim that is None is left out."""
        now = int(time.time())
        said = {"iss": self.url, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 300, **claims}
        payload = {name: value for name, value in said.items() if value is not None}
        named = {"kid": key_id} if headers is None else headers
        return jwt.encode(payload, self.keys[key_id], algorithm, named)  # type: ignore[reportArgumentType]

    def answer(self, path: str) -> dict[str, Any] | None:
        self.asked.append(path)
        if self.away:
            return None
        places = {"/realm/.well-known/openid-configuration": self.discovery, "/realm/keys": {"keys": self.published}}
        return places.get(path)


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        told = self.provider.answer(self.path)
        content = json.dumps(told).encode()
        self.send_response(200 if told is not None else 503)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (so the base class calls it)
        pass


@contextmanager
def provider() -> Iterator[Provider]:
    """Run an issuer on a free port of this machine."""
    handler = type("Handler", (_Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        handler.provider = Provider(server)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield handler.provider
        finally:
            server.shutdown()
            thread.join()
