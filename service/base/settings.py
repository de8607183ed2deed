"""What a running service is told from outside: environment variables that begin with ``TABULARIUM_``."""

import ipaddress
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar, cast, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct

from domain.kernel.docstrings import docstring
from domain.kernel.message import enumerated
from service.base.expected import wanted
from service.base.scopes import SCOPES, Scope

T = TypeVar("T")

PREFIX = "TABULARIUM_"

DATABASE_URL = f"{PREFIX}DATABASE_URL"


class SettingsError(ValueError):
    """A setting that makes no sense; the message is one line that names the variable and what it takes."""


DatabaseUrl = Annotated[
    str,
    Meta(
        pattern=r"^(postgres(ql)?://\S+)?$",
        description="the address of a PostgreSQL database: postgresql://user:password@host/name",
    ),
]
RedisUrl = Annotated[
    str,
    Meta(
        pattern=r"^((rediss?|unix)://\S+)?$",
        description="the address of a Redis: redis://, rediss:// or unix:// and what follows it",
    ),
]
HttpUrl = Annotated[
    str, Meta(pattern=r"^(https?://\S+)?$", description="an address that begins with http:// or https://")
]

IssuerUrl = Annotated[
    str,
    Meta(
        pattern=r"^(https://[^\s?#]+|http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/[^\s?#]*)?)?$",
        description="an address that begins with https://, or on this machine with http://, without ? and #",
    ),
]
"""Over plain HTTP on this machine only: whoever can change the keys under way can be anybody."""

Algorithms = Annotated[
    str,
    Meta(
        pattern=r"^((RS|PS|ES)(256|384|512)|EdDSA)(,((RS|PS|ES)(256|384|512)|EdDSA))*$",
        description="names out of RS, PS or ES with 256, 384 or 512, and EdDSA, with commas between: RS256,ES256",
    ),
]
"""None of those with a shared secret."""

ScopeNames = Annotated[
    str,
    Meta(
        pattern=rf"^([^\s,=]+=({'|'.join(SCOPES)})(,(?!$)|$))*$",
        description=f"pairs with commas between, claim=scope, of the scopes {enumerated(SCOPES)}",
    ),
]

Proxies = Annotated[
    str, Meta(description="addresses and networks with commas between, such as 10.0.0.0/8, or * for all")
]
Rate = Annotated[float | Literal["off"] | None, Meta(description="a number from 0 to 1000000, or off for no limit")]
"""Unset it depends on the address that the service listens on."""

Count = Annotated[
    Annotated[int, Meta(ge=1, le=1_000_000)] | Literal["off"],
    Meta(description="a whole number from 1 to 1000000, or off for no limit"),
]
LogLevel = Literal["debug", "info", "warning", "error"]
Positive = Annotated[float, Meta(gt=0, description="a number above 0")]
Seconds = Annotated[float, Meta(gt=0, le=3600, description="a number above 0, 3600 at most")]

PUBLIC_RATES: Final[Mapping[str, float]] = {
    "rate_per_token": 50.0,
    "rate_per_address": 200.0,
    "registrations_per_address": 30.0,
}
"""What holds on an address that others than this machine reach, unless it is set."""


class Settings(Struct, frozen=True):
    """The settings of one service process.

    Attributes:
        data: the directory that holds the database; made when it is missing.
        database_url: a PostgreSQL database instead of the embedded one: ``postgresql://user:password@host/name``.
        database_connections: how many connections to it a process has at most, beside the one that writes.
        redis_url: a Redis through which processes wake each other and share rate limits: ``redis://:password@host/0``,
            ``rediss://`` for TLS. Without it they look at the database five times a second.
        rate_per_token: how many requests a second one token may send; `off` for any number. Unset it is off when the
            service listens on a loopback address (see `host`), and 50 otherwise.
        rate_per_address: how many requests a second one address may send (of IPv6, one /64), whatever tokens they come
            with; `off` for any number. Unset it is off on a loopback address, and 200 otherwise.
        rate_burst: for how many seconds' worth of these two may come at once after a rest.
        registrations_per_address: how many accounts an hour may be registered from one address; `off` for any number.
            Unset it is off on a loopback address, and 30 otherwise. Administrators are not counted.
        connections: how many connections a process keeps open, WebSockets and streams among them; another one is
            answered with 503 and closed.
        connections_per_address: how many of them may come from one address (of IPv6, from one /64), or `off`; another
            one is answered with 429 and closed. Those of the proxies (see `proxies`) only count towards `connections`:
            a proxy has to limit its own clients.
        url_limit: the longest path and query of a request, in bytes; a longer one is answered with 414.
        header_limit: how many bytes the header lines of a request may have together; more are answered with 431. Chunk
            sizes, chunk extensions and trailers of a body may have as many more than the body itself.
        header_count: how many header lines a request may have.
        header_timeout: seconds within which the request line and the headers have to arrive; 408 otherwise.
        body_timeout: seconds within which the rest of a request has to arrive; 408 otherwise.
        idle_timeout: seconds for which a connection stays open between two requests; longer than clients and proxies
            keep theirs, so that it is they who close it, and no request meets one that is just being closed.
        write_timeout: seconds for which a client may take nothing of an answer or a stream that waits for it.
        proxies: the addresses and networks of the proxies that are believed when they say whose request it is
            (``X-Forwarded-For``), with commas between them.
        host: the address to listen on.
        port: the port to listen on; 0 takes a free one.
        log_level: ``debug``, ``info``, ``warning`` or ``error``.
        durable: whether an accepted command is on the disk before it is answered. Without it a power failure may
            lose the last moments, though never damage the file; a killed process loses nothing either way.
        cache_games: how many games are kept in memory.
        checkpoint_every: the distance, in events, of the positions that a game in memory keeps of its past.
        snapshot_every: the distance, in events, of the positions of a game that are stored, so that a long one need not
            be folded from its start when it is loaded; 0 stores none.
        body_limit: the largest request body, in bytes.
        board_limit: the largest body of a request that brings a board, in bytes.
        bodies_limit: how many bytes of request bodies a process keeps at once, of all requests that are not answered;
            what goes beyond is answered with 503.
        heartbeat: seconds between the comments of a stream on which nothing happens.
        projections: whether this process keeps the projections up with the log (otherwise `tabularium projections run`
            does); it reads them in any case.
        metrics_port: the port on which /metrics is told, and nothing else; when absent, `port` has it too.
        traces_url: where traces go, by OTLP over HTTP: ``http://collector:4318/v1/traces``; none when empty. Which
            requests are traced, and under what name, say OpenTelemetry's own variables (``OTEL_TRACES_SAMPLER`` …).
        registration: whether anybody may register; otherwise administrators open accounts.
        token_cache: seconds for which a token is taken without asking the database again: so long it may live on in
            other processes after it was revoked in one.
        oidc_issuer: an OpenID Connect provider whose JWTs are taken as tokens, such as ``https://login.example.org``;
            whoever comes with one for the first time gets an account.
        oidc_audience: the audience that these must name: this service, as the provider knows it.
        oidc_algorithms: the algorithms with which they may be signed, with commas between.
        oidc_leeway: seconds that the provider's clock may be wrong.
        oidc_scope_claim: the claim that says what a JWT may be used for, such as ``scope`` or ``realm_access.roles``.
        oidc_scopes: what its values stand for: ``games-admin=admin,players=play``. When absent, every JWT may be used
            for account, play and organize.
        key_hours: hours for which an idempotency key is kept: so long a repeated request gets its first answer. Then it
            is deleted, and the key is as good as new.
        grace: seconds that open requests have when the service stops.
    """

    data: Path = Path("data")
    database_url: DatabaseUrl = ""
    database_connections: Annotated[int, Meta(ge=1, le=100)] = 8
    redis_url: RedisUrl = ""
    rate_per_token: Rate = None
    rate_per_address: Rate = None
    rate_burst: Seconds = 10.0
    registrations_per_address: Rate = None
    connections: Annotated[int, Meta(ge=1, le=1_000_000)] = 2000
    connections_per_address: Count = 100
    url_limit: Annotated[int, Meta(ge=256, le=65_536)] = 8 * 1024
    header_limit: Annotated[int, Meta(ge=1024, le=1_048_576)] = 16 * 1024
    header_count: Annotated[int, Meta(ge=16, le=1000)] = 100
    header_timeout: Seconds = 10.0
    body_timeout: Seconds = 30.0
    idle_timeout: Seconds = 75.0
    write_timeout: Seconds = 30.0
    proxies: Proxies = "127.0.0.1"
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    log_level: LogLevel = "info"
    durable: bool = True
    cache_games: Annotated[int, Meta(ge=1)] = 256
    checkpoint_every: Annotated[int, Meta(ge=10)] = 250
    snapshot_every: Annotated[int, Meta(ge=0)] = 1000
    body_limit: Annotated[int, Meta(ge=1024)] = 64 * 1024
    board_limit: Annotated[int, Meta(ge=1024)] = 1024 * 1024
    bodies_limit: Annotated[int, Meta(ge=1024)] = 64 * 1024 * 1024
    heartbeat: Positive = 15.0
    projections: bool = True
    metrics_port: Annotated[int, Meta(ge=0, le=65535)] | None = None
    traces_url: HttpUrl = ""
    registration: bool = True
    token_cache: Annotated[float, Meta(ge=0, le=60)] = 2.0
    oidc_issuer: IssuerUrl = ""
    oidc_audience: str = ""
    oidc_algorithms: Algorithms = "RS256"
    oidc_leeway: Annotated[float, Meta(ge=0, le=300)] = 30.0
    oidc_scope_claim: Annotated[str, Meta(min_length=1)] = "scope"
    oidc_scopes: ScopeNames = ""
    key_hours: Annotated[int, Meta(ge=24, le=8760)] = 48
    grace: Annotated[float, Meta(ge=0)] = 2.0

    def __post_init__(self) -> None:
        if self.oidc_issuer and not self.oidc_audience:
            raise SettingsError(f"{PREFIX}OIDC_ISSUER needs {PREFIX}OIDC_AUDIENCE: the service, as the issuer knows it")

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.shown().items())})"

    def shown(self) -> dict[str, object]:
        """Return all values by their names, without passwords; of a limit that is not set, what holds."""
        values = {name: getattr(self, name) for name in self.__struct_fields__} | self.limits
        return {name: str(each) if isinstance(each, Path) else without_password(each) for name, each in values.items()}

    @property
    def public(self) -> bool:
        """Whether it listens on an address that others than this machine may reach."""
        if self.host == "localhost":
            return False
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            return True
        return not (getattr(address, "ipv4_mapped", None) or address).is_loopback

    @property
    def rates(self) -> dict[str, float]:
        """The rate limits that hold, by their names; 0 for any number."""
        chosen = {name: getattr(self, name) for name in PUBLIC_RATES}
        unset = PUBLIC_RATES if self.public else dict.fromkeys(PUBLIC_RATES, 0.0)
        return {
            name: unset[name] if value is None else 0.0 if value == "off" else value for name, value in chosen.items()
        }

    @property
    def limits(self) -> dict[str, float | str]:
        """All limits on who asks and how much, as they hold: those of rates, and of connections."""
        counts = {"connections": self.connections, "connections_per_address": self.connections_per_address}
        return {**{name: rate or "off" for name, rate in self.rates.items()}, **counts}

    @property
    def unlimited(self) -> list[str]:
        """What an address that others reach should limit, and is not limited: names of variables."""
        needless = () if self.registration else ("registrations_per_address",)
        off = [name for name, value in self.limits.items() if value == "off" and name not in needless]
        return [PREFIX + name.upper() for name in off] if self.public else []

    @property
    def oidc_scope_names(self) -> dict[str, Scope]:
        """What a JWT may be used for, by the values of its claim."""
        pairs = (pair.partition("=") for pair in self.oidc_scopes.split(",") if pair)
        return {name: cast(Scope, scope) for name, _, scope in pairs}

    @property
    def database(self) -> Path:
        """The file of the embedded store."""
        return self.data / "tabularium.db"

    @property
    def snapshot_database(self) -> Path:
        """The file of the snapshots: beside the log, because it can be lost."""
        return self.data / "snapshots.db"

    @property
    def projection_database(self) -> Path:
        """The file of the projections: beside the log, because it can be lost."""
        return self.data / "projections.db"


def from_env(environ: Mapping[str, str]) -> Settings:
    """Return the settings that `environ` gives, with the defaults for the rest. Raises `SettingsError`."""
    kinds = get_type_hints(Settings, include_extras=True)
    given = {name: environ[PREFIX + name.upper()] for name in kinds if environ.get(PREFIX + name.upper())}
    unknown = [name for name in environ if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() not in kinds]
    if unknown:
        known = ", ".join(PREFIX + name.upper() for name in kinds)
        raise SettingsError(f"{unknown[0]} is no setting; known are {known}")
    values: dict[str, object] = {}
    for name, text in given.items():
        try:
            values[name] = _convert(text, kinds[name])
        except ValueError:  # of which msgspec's errors are
            what = f"{PREFIX}{name.upper()}={without_password(text)!r}"
            raise SettingsError(f"{what}: it takes {wanted(kinds[name])}") from None
    return Settings(**values)  # type: ignore[reportArgumentType]


def without_password(value: T) -> T | str:
    """Return `value`; of an address, with the password and what its query says struck out: keys are sent there, too."""
    if not isinstance(value, str):
        return value
    # Up to the last @, whatever characters a password has that nobody encoded.
    shown = re.sub(r"^((?:\w+:/+|(?!\w+:/))[^:@\s]*:)\S*(?=@)", _strike_out, value)
    if not re.match(r"\w+:/", shown):
        return re.sub(r"(password=)[^&\s]+", _strike_out, shown)
    address, mark, query = shown.partition("?")
    return address + mark + re.sub(r"((?:^|[&;])(?:[^=&;]*=)?)[^&;]+", _strike_out, query)


def _strike_out(match: re.Match[str]) -> str:
    return f"{match[1]}…"


def meanings() -> dict[str, str]:
    """Return what each setting means, by its name."""
    attributes = re.sub(r"\s+", " ", docstring(Settings).partition("Attributes:")[2])
    names = "|".join(Settings.__struct_fields__)
    parts = re.split(rf"(?:^| )({names}): ", attributes)
    return dict(zip(parts[1::2], (meaning.strip() for meaning in parts[2::2]), strict=True))


def _convert(text: str, kind: object) -> object:
    if kind is Path:
        return Path(text).expanduser()
    if kind is Proxies:
        return ",".join(_proxy(part.strip()) for part in text.split(",")) if text != "*" else text
    if bool in (kind, *get_args(kind)):
        text = text.lower()
    if kind in (Rate, Count):
        return "off" if text.lower() == "off" else _convert(text, _NUMBERS[kind])
    value = msgspec.convert(text, kind, strict=False)
    if isinstance(value, float) and math.isinf(value):
        raise ValueError
    return value


_NUMBERS: Final[Mapping[object, object]] = {
    Rate: Annotated[float, Meta(ge=0, le=1_000_000)],
    Count: Annotated[int, Meta(ge=1, le=1_000_000)],
}
"""What they are when they are not off: msgspec reads no number from a text that may be a word."""


def _proxy(text: str) -> str:
    """Return an address or network. Raises `ValueError` for what the server would take for a name, and never meet."""
    ipaddress.ip_network(text)
    return text
