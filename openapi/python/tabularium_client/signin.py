"""Signing somebody in from a program (OAuth 2.1), by the browser or by a code, and keeping them signed in.

Access tokens last an hour. A refresh token that is used twice ends the sign-in, so one thread, task or program at a
time refreshes.
"""

import base64
import hashlib
import os
import queue
import secrets
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import msgspec
from msgspec import Struct

from tabularium_client.calls import Calling, Calls, Whole
from tabularium_client.client import Client
from tabularium_client.problems import NotSignedIn
from tabularium_client.streams import Rest

try:
    import fcntl
except ImportError:
    # Windows has no such locks. There, nothing stops two programs from using one file: use one at a time.
    fcntl = None

_EARLY: Final = 60
"""A token that is good for fewer seconds than this is refreshed: it may end before its request arrives."""
_DEVICE: Final = "urn:ietf:params:oauth:grant-type:device_code"
_PAGE: Final = b"<!doctype html><title>Tabularium</title><p>You can close this window and go back to the program."


class App(Struct, frozen=True):
    """An app that signs people in.

    Attributes:
        url: the address of the service. It must be its issuer, the address that the service itself uses.
        client: what the app calls itself.
        scope: the scopes that it asks for, such as ``play notify``. Without a scope, it only learns who somebody is.
        file: where the sign-in is kept, readable by its owner only. Without a file, it is kept in memory.
    """

    url: str
    client: str
    scope: str = ""
    file: Path | None = None


class DeviceCode(Struct, frozen=True):
    """The code that a device shows. `expires_in` is in seconds; `verification_uri_complete` contains the code."""

    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: float
    device_code: str
    interval: float = 5


class _Tokens(Struct, frozen=True):
    access: str
    refresh: str
    ends: float

    def is_good(self, refused: str | None) -> bool:
        return self.access != refused and time.time() < self.ends - _EARLY


class SignIn:
    """Gives tokens to a `Client` or `AsyncClient`, and refreshes them. Threads and tasks may share it."""

    def __init__(self, app: App) -> None:
        """Load the sign-in from the app's file."""
        self.app: Final = app
        self.url: Final = app.url.rstrip("/")
        self._lock = threading.Lock()
        self._tokens: _Tokens | None = None

    def token(self, calls: Calls, refused: str | None = None) -> Calling[str]:
        """Return the access token. If the service has `refused` one, return another.

        Raises:
            NotSignedIn: the sign-in has ended. Let the person sign in again.
        """
        tokens = self._load()
        if tokens is not None and tokens.is_good(refused):
            return tokens.access
        return (yield Whole(self._refreshed(calls, refused)))

    def _refreshed(self, calls: Calls, refused: str | None) -> Calling[str]:
        with (yield from self._alone()):
            tokens = self._load()
            if tokens is None:
                raise NotSignedIn("signed_out", "Nobody is signed in any more. Sign in again.")
            if tokens.is_good(refused):
                return tokens.access  # Another thread or program has refreshed it meanwhile.
            form = {"grant_type": "refresh_token", "client_id": self.app.client, "refresh_token": tokens.refresh}
            try:
                # `calls.form` repeats this if no answer arrives. If the first request did arrive, the repetition ends
                # the sign-in; but its new token was lost with the answer in any case.
                return self._keep((yield from calls.form("/oauth/token", form)))
            except NotSignedIn as error:
                if error.error == "invalid_grant":
                    self._forget()
                raise

    def _end(self, calls: Calls) -> Calling[None]:
        """Forget the tokens, and end the sign-in at the service."""
        with (yield from self._alone()):
            tokens = self._load()
            self._forget()
            if tokens is not None:
                yield from calls.form("/oauth/revoke", {"client_id": self.app.client, "token": tokens.refresh})

    def _load(self) -> _Tokens | None:
        """Return the newest tokens. Another program may have refreshed them."""
        if self.app.file is None:
            return self._tokens
        try:
            return msgspec.json.decode(self.app.file.read_bytes(), type=_Tokens)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def _keep(self, answer: Mapping[str, Any]) -> str:
        """Store the tokens that the service gave, and return the access token."""
        ends = time.time() + answer["expires_in"]
        self._tokens = tokens = _Tokens(answer["access_token"], answer["refresh_token"], ends)
        if self.app.file is not None:
            self.app.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, new = tempfile.mkstemp(dir=self.app.file.parent)  # Readable by its owner only.
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(tokens))
                file.flush()
                os.fsync(descriptor)
            Path(new).replace(self.app.file)
        return tokens.access

    def _forget(self) -> None:
        """Delete the stored tokens."""
        self._tokens = None
        if self.app.file is not None:
            self.app.file.unlink(missing_ok=True)

    def _alone(self) -> Calling[ExitStack]:
        """Wait for other threads, tasks and programs with this file, and take the locks. The stack releases them."""
        with ExitStack() as stack:
            while not self._lock.acquire(blocking=False):
                yield Rest(0.02)
            stack.callback(self._lock.release)
            if self.app.file is not None and fcntl is not None:
                lock = stack.enter_context(self.app.file.with_name(f"{self.app.file.name}.lock").open("wb"))
                while True:
                    try:
                        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        yield Rest(0.02)
            return stack.pop_all()


def signed_in(app: App) -> SignIn | None:
    """Return the sign-in from the app's file; None if nobody is signed in."""
    sign_in = SignIn(app)
    return sign_in if sign_in._load() is not None else None


def sign_in_by_device(app: App, show: Callable[[DeviceCode], object]) -> SignIn:
    """Sign somebody in on any device: `show` asks them to enter a code at an address. Waits until they agree.

    With ``asyncio``: ``await asyncio.to_thread(sign_in_by_device, app, show)``.

    Raises:
        NotSignedIn: they refused, or did not answer in time.
    """
    with Client(app.url) as client:
        return client._run(_by_device(client._calls, app, show))


def _by_device(calls: Calls, app: App, show: Callable[[DeviceCode], object]) -> Calling[SignIn]:
    code = msgspec.convert(
        (yield from calls.form("/oauth/device", {"client_id": app.client, "scope": app.scope})), DeviceCode
    )
    show(code)
    form, pause = {"grant_type": _DEVICE, "client_id": app.client, "device_code": code.device_code}, code.interval
    while True:
        try:
            return _new(app, (yield from calls.form("/oauth/token", form)))
        except NotSignedIn as error:
            if error.error == "slow_down":
                pause += 5
            elif error.error != "authorization_pending":
                raise
        yield Rest(pause)


def sign_in_in_browser(app: App, *, within: float = 300, visit: Callable[[str], object] = webbrowser.open) -> SignIn:
    """Sign somebody in with the browser of this machine. Waits until they agree.

    Args:
        within: how many seconds they have for that.
        visit: opens an address in a browser, and returns False if there is none.

    Raises:
        NotSignedIn: they refused, or did not answer in time; there is no browser; or the answer belongs to another
            sign-in or came from another service.
    """
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    answers: queue.Queue[dict[str, str]] = queue.Queue()

    class Back(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if path != "/back":
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(_PAGE)
            answers.put(dict(parse_qsl(query)))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Print nothing: the output belongs to the program."""

    url = app.url.rstrip("/")
    with ThreadingHTTPServer(("127.0.0.1", 0), Back) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        back = f"http://127.0.0.1:{server.server_port}/back"
        request = {"response_type": "code", "client_id": app.client, "redirect_uri": back, "scope": app.scope}
        request |= {"state": state, "code_challenge": challenge, "code_challenge_method": "S256"}
        try:
            if visit(f"{url}/authorize?{urlencode(request)}") is False:
                raise NotSignedIn("no_browser", "This machine opened no browser. Use sign_in_by_device instead.")
            reply = answers.get(timeout=within)
        except queue.Empty:
            raise NotSignedIn("no_answer", f"Nobody answered within {within:g} seconds.") from None
        finally:
            server.shutdown()
    if not secrets.compare_digest(reply.get("state", "").encode(), state.encode()):
        raise NotSignedIn("wrong_state", "The answer belongs to another sign-in. Sign in again.")
    if reply.get("iss") != url:
        raise NotSignedIn("wrong_issuer", f"The answer is by {reply.get('iss') or 'nobody'}. Expected it from {url}.")
    if "code" not in reply:
        error = reply.get("error", "no_code")
        raise NotSignedIn(error, reply.get("error_description", error))
    form = {"grant_type": "authorization_code", "client_id": app.client, "redirect_uri": back}
    form |= {"code": reply["code"], "code_verifier": verifier}
    with Client(url) as client:
        return _new(app, client._run(client._calls.form("/oauth/token", form)))


def sign_out(sign_in: SignIn) -> None:
    """Forget the sign-in, and end it at the service. Raises `Lost` if the service could not be reached."""
    with Client(sign_in.url) as client:
        client._run(sign_in._end(client._calls))


def _new(app: App, answer: Mapping[str, Any]) -> SignIn:
    sign_in = SignIn(app)
    sign_in._keep(answer)
    return sign_in
