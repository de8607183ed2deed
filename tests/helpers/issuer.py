"""A small OpenID Connect provider to test with: discovery, keys, JWTs signed with them, and people who sign in."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "tabularium"
CLIENT = "tabularium-pages"


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
        self.discovery: dict[str, Any] = {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/keys",
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
        }
        self.asked: list[str] = []
        self.away = False
        self.subject = "livia"
        """Who signs in with a browser."""
        self.refuses = False
        """Whether a browser is sent back without a code."""
        self.secret = ""
        """The client's secret; empty when it needs none."""
        self.codes: dict[str, dict[str, str]] = {}
        """What is to be exchanged, with the parameters of the request for it and, as `sub`, whose it is."""
        self.claims: dict[str, Any] = {}
        """What ID tokens say beside, or in place of, what they should; None leaves a claim out."""
        self.signing: dict[str, Any] = {}
        """How ID tokens are signed, as `token` takes it."""
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

    # --- people who sign in ---

    def sign_in(self, address: str, subject: str = "livia") -> dict[str, str]:
        """Let somebody sign in at an address; return the parameters with which their browser is sent back."""
        asked = dict(parse_qsl(urlsplit(address).query))
        assert asked["response_type"] == "code", asked
        assert asked["code_challenge_method"] == "S256", asked
        code = secrets.token_urlsafe(16)
        self.codes[code] = {**asked, "sub": subject}
        return {"state": asked["state"], "code": code, "iss": self.url}

    def send_back(self, path: str) -> str:
        """Return where a browser is sent back to that came to this path."""
        asked = dict(parse_qsl(urlsplit(path).query))
        given = self.sign_in(path, self.subject)
        if self.refuses:
            given = {"state": given["state"], "error": "access_denied"}
        return f"{asked['redirect_uri']}?{urlencode(given)}"

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Return status and content of the answer to a client that brings a code."""
        basic = f"Basic {base64.b64encode(f'{CLIENT}:{self.secret}'.encode()).decode()}"
        posted = (form.get("client_id"), form.get("client_secret", "")) == (CLIENT, self.secret)
        if not (posted or (self.secret and authorization == basic)):
            return 401, {"error": "invalid_client"}
        asked = self.codes.pop(form.get("code", ""), None)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).decode().rstrip("=")
        proved = asked is not None and asked["code_challenge"] == challenge
        if asked is None or not proved or form.get("redirect_uri") != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        said: dict[str, Any] = {
            "aud": asked["client_id"],
            "nonce": asked["nonce"],
            "name": asked["sub"].title(),
            **self.claims,
        }
        token = self.token(asked["sub"], **self.signing, **said)
        return 200, {"access_token": "opaque", "token_type": "Bearer", "expires_in": 300, "id_token": token}

    def answer(self, path: str) -> dict[str, Any] | None:
        self.asked.append(path)
        if self.away:
            return None
        places = {"/realm/.well-known/openid-configuration": self.discovery, "/realm/keys": {"keys": self.published}}
        return places.get(path)


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        if urlsplit(self.path).path == "/realm/authorize":
            self.send_response(303)
            self.send_header("Location", self.provider.send_back(self.path))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        told = self.provider.answer(self.path)
        self._tell(200 if told is not None else 503, told)

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"])).decode()
        self.provider.asked.append(self.path)
        if self.provider.away:
            self._tell(503, None)
        else:
            form = dict(parse_qsl(content))
            self._tell(*self.provider.exchange(form, self.headers.get("authorization", "")))

    def _tell(self, status: int, told: Any) -> None:
        content = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (so the base class calls it)
        pass


@contextmanager
def provider() -> Iterator[Provider]:
    """Run an issuer on a free port of this machine."""

    class Handler(_Handler):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Handler.provider = Provider(server)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Handler.provider
        finally:
            server.shutdown()
            thread.join()
