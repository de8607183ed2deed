"""The settings of a service: environment variables that begin with ``TABULARIUM_``."""

import ipaddress
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar, cast, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct

from domain.kernel.ids import BOOKS
from domain.kernel.rules.docstrings import attributes
from domain.kernel.rules.message import enumerated
from service.base.expected import expected_of
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
BookServers = Annotated[
    str,
    Meta(
        pattern=r"^\s*((none|\d{1,2}(-\d{1,2})?(,\d{1,2}(-\d{1,2})?)*)=postgres(ql)?://\S+(\s+|$))*$",
        description="books and addresses, separated by spaces: 32-47=postgresql://user:password@host/name 48-63=…",
    ),
]
ArchivePlace = Annotated[
    str,
    Meta(
        pattern=r"^(s3://[a-z0-9][a-z0-9.-]*(/[^\s?#]*)?|(?![A-Za-z][A-Za-z0-9+.-]*:).*)$",
        description="a folder, or a bucket and a prefix: s3://bucket/prefix",
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
"""Over plain HTTP on this machine only: an attacker who changes the keys on their way can act as anybody."""

SmtpUrl = Annotated[
    str, Meta(pattern=r"^(smtps?://[^\s/]+/?)?$", description="an address such as smtp://user:password@host:587")
]
Email = Annotated[
    str,
    Meta(pattern=r"^([^\s@<>\"(),:;\[\]\\]+@[A-Za-z0-9.-]+)?$", description="an address such as games@example.org"),
]

Algorithms = Annotated[
    str,
    Meta(
        pattern=r"^((RS|PS|ES)(256|384|512)|EdDSA)(,((RS|PS|ES)(256|384|512)|EdDSA))*$",
        description="names out of RS, PS or ES with 256, 384 or 512, and EdDSA, separated by commas: RS256,ES256",
    ),
]
"""None of those with a shared secret."""

ScopeNames = Annotated[
    str,
    Meta(
        pattern=rf"^([^\s,=]+=({'|'.join(SCOPES)})(,(?!$)|$))*$",
        description=f"pairs claim=scope, separated by commas, of the scopes {enumerated(SCOPES)}",
    ),
]

Proxies = Annotated[
    str, Meta(description="addresses and networks separated by commas, such as 10.0.0.0/8, or * for all")
]
Rate = Annotated[float | Literal["off"] | None, Meta(description="a number from 0 to 1000000, or off for no limit")]
"""A limit on a rate. If it is not set, it depends on the address that the service listens on."""

Count = Annotated[
    Annotated[int, Meta(ge=1, le=1_000_000)] | Literal["off"],
    Meta(description="a whole number from 1 to 1000000, or off for no limit"),
]
LogLevel = Literal["debug", "info", "warning", "error"]
Licence = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9.+-]{1,64}$", description="an SPDX id of a licence, such as CC0-1.0 or CC-BY-4.0")
]
Positive = Annotated[float, Meta(gt=0, description="a number above 0")]
Seconds = Annotated[float, Meta(gt=0, le=3600, description="a number above 0, 3600 at most")]

SECRETS: Final = ("log_key", "webhook_key", "push_key", "oidc_client_secret")
"""Settings that are shown to nobody."""

PUBLIC_RATES: Final[Mapping[str, float]] = {
    "rate_per_token": 50.0,
    "rate_per_address": 200.0,
    "registrations_per_address": 30.0,
}
"""The limits of a service that other machines can reach, for the settings that are not set."""


class Settings(Struct, frozen=True):
    """The settings of one service process.

    Attributes:
        data: the directory for the database; the service creates it.
        database_url: a PostgreSQL database to use instead of SQLite: ``postgresql://user:password@host/name``. Where a
            standby can take the place of the primary, name all hosts: ``postgresql://user:password@one,two/name``.
        book_servers: further PostgreSQL servers, each with the books of the log that it keeps:
            ``32-47=postgresql://user:password@two/name 48-63=postgresql://user:password@three/name``. All other books,
            and the accounts, are in `database_url`. All processes need the same setting.
        standby_url: a standby of the database, which is asked for the past: old positions, events, history, exports and
            the log of all games. Name several hosts, or those of `database_url`, and a standby among them is asked.
            When it does not know yet, or does not answer, the primary is asked. Not with `book_servers`.
        archive: where the logs of games are kept that `tabularium archive` packs: a folder, or a bucket that speaks
            S3's protocol, ``s3://bucket/prefix``, with ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``,
            ``AWS_REGION`` and ``AWS_ENDPOINT_URL``. Default: in the database.
        database_connections: the most connections to PostgreSQL that a process opens for reading; it has up to two
            more for writing. With `book_servers`, to each server; with `standby_url`, as many again to the standby.
        redis_url: a Redis through which processes wake each other and share rate limits:
            ``redis://:password@host/0``, ``rediss://`` for TLS. Without it they ask the database five times a second.
        rate_per_token: the requests a second that one token may send; `off` for no limit. Default: off on a loopback
            address (see `host`), otherwise 50.
        rate_per_address: the requests a second that one address may send (for IPv6, one /64), with any tokens; `off`
            for no limit. Default: off on a loopback address, otherwise 200.
        rate_burst: after a pause, this many seconds' worth of requests may come at once.
        registrations_per_address: the accounts an hour that one address may register; `off` for no limit. Default:
            off on a loopback address, otherwise 30. Administrators are not limited.
        connections: the most connections that a process keeps open, including WebSockets and streams. It answers
            another one with 503 and closes it.
        connections_per_address: the most of them from one address (for IPv6, one /64), or `off`. The service answers
            another one with 429 and closes it. Connections from proxies (see `proxies`) count only towards
            `connections`: a proxy limits its own clients.
        url_limit: the longest path and query of a request, in bytes. A longer one gets 414.
        header_limit: the most bytes in all headers of a request. More get 431. The chunk sizes, chunk extensions and
            trailers of a body may have as many again.
        header_count: the most header lines of a request.
        header_timeout: seconds for the request line and the headers to arrive. After that, 408.
        body_timeout: seconds for the rest of a request to arrive. After that, 408.
        idle_timeout: seconds that a connection stays open between two requests. Keep it longer than the timeouts of
            clients and proxies, so that they close the connection and never send a request on one that is just being
            closed.
        write_timeout: seconds that a client may leave an answer or a stream unread.
        proxies: addresses and networks of proxies, separated by commas. The service believes their
            ``X-Forwarded-For``.
        host: the address to listen on.
        port: the port to listen on; 0 for any free port.
        log_level: ``debug``, ``info``, ``warning`` or ``error``.
        durable: whether a command is on the disk before it is answered. Without this, a power failure may lose the
            last moments, but never damages the file. A killed process loses nothing either way.
        cache_memory: the most memory for games that are kept in memory, in bytes. A game takes 30 kB when it is new and
            100 kB when it is long. One that is not in memory is loaded when somebody asks for it.
        cache_games: the most games kept in memory, whatever they take, or `off`.
        checkpoint_every: the number of events after which a game in memory keeps another past position.
        snapshot_every: the number of events after which the service stores a game's position, so that it can load a
            long game without folding all of it; 0 stores none.
        body_limit: the largest request body, in bytes.
        board_limit: the largest request body that contains a board, in bytes.
        bodies_limit: the most bytes of request bodies that a process holds at once. More get 503.
        heartbeat: seconds between comments on a stream without events.
        bots: how many processes think for bots. Each uses a core while a bot thinks, at the lowest priority. With 0,
            this process plays no bots; if no process does, games with bots stand still.
        bot_pause: seconds that a bot lets pass after the last event of its game, so that people can follow. Before the
            first person of a game is asked, bots do not wait.
        bots_per_account: the most seats that bots may hold in the games of one organizer that go on, or `off`. Games
            that are over, or rest for a day, do not count.
        projections: whether this process keeps the projections up to date. If no process does, run `tabularium
            projections run`.
        clocks: whether this process watches the clocks of games, which several processes share. If none does, no flag
            falls, and no clock counts more than thirty seconds between two commands.
        tournaments: whether this process opens the games of tournaments and takes their results, which one of several
            does at a time. If none does, rounds are published and stand still.
        transparency: whether this process signs what happened in games into the transparency log.
        log_key: the key that signs the transparency log, as `tabularium transparency key` makes it. Default: a key that
            the service makes in its data directory; with PostgreSQL, nobody signs without this setting.
        log_policy: a policy file whose witnesses, each with its address, are asked to cosign the transparency log.
        webhooks: whether this process sends webhooks, which one of several does at a time.
        webhook_key: the key that encrypts the secrets of webhooks in the database; `tabularium webhooks key` makes one.
            Older keys after it, separated by spaces, still decrypt. Default: a key that the service makes in its data
            directory; with PostgreSQL, there are no webhooks without this setting.
        push_key: the key that signs pushes to browsers; `tabularium webhooks push-key` makes one. After a change of
            the key, browsers have to be asked for pushes again. Default: a key that the service makes in its data
            directory; with PostgreSQL, nothing is pushed without this setting and `webhook_key`.
        outward: where webhooks and pushes may lead: to the public internet by HTTPS on port 443, or ``anywhere``, also
            to this machine and by plain HTTP. The latter is for tests and closed networks, as every account chooses
            addresses.
        public_url: the address at which people find the service, such as ``https://games.example.org``. Addresses in
            webhooks begin with it, push services get it as a contact, and for apps it is the issuer of OAuth.
            Default: webhooks contain only paths, and the issuer is the address of the request.
        smtp_url: the mail server through which accounts are sent e-mail: ``smtp://user:password@host:587``, with
            STARTTLS where the server has it, or ``smtps://…`` for TLS from the start. Needs `smtp_from` and
            `public_url`. Default: no e-mail.
        smtp_from: the address that e-mails come from.
        smtp_per_hour: the most e-mails in an hour, to all accounts together, or `off`. Others wait.
        metrics_port: a port for /metrics alone. Default: /metrics is on `port`.
        traces_url: where to send traces, by OTLP over HTTP: ``http://collector:4318/v1/traces``. Default: nowhere.
            OpenTelemetry's own variables (``OTEL_TRACES_SAMPLER`` …) say which requests are traced, and under what
            name.
        registration: whether anybody may register. Otherwise administrators open accounts.
        token_cache: seconds that a process remembers a token without asking the database. A revoked token may stay
            valid that long in other processes.
        oidc_issuer: an OpenID Connect provider whose JWTs are accepted as tokens, such as
            ``https://login.example.org``. The first JWT of a person opens an account.
        oidc_audience: the audience that JWTs must name: this service, as the provider knows it.
        oidc_client_id: the service as a client of that provider. With it, people can sign in to the pages through the
            provider, which sends them back to ``/sign-in``.
        oidc_client_secret: the secret of that client, if the provider gave it one.
        oidc_name: what the pages call the provider: "Sign in with Example". Default: its host.
        oidc_algorithms: the signature algorithms to accept, separated by commas.
        oidc_leeway: seconds by which the provider's clock may be wrong.
        oidc_scope_claim: the claim with a JWT's scopes, such as ``scope`` or ``realm_access.roles``.
        oidc_scopes: what the values of that claim mean: ``games-admin=admin,players=play``. Default: every JWT has
            the scopes account, play and organize.
        dumps: the folder that ``tabularium dump`` fills, and from which the service serves dumps. Default: none.
        dumps_licence: the licence of new dumps, an SPDX id such as ``CC0-1.0`` or ``CC-BY-4.0``.
        pages: the folder that ``deploy/pages.sh`` fills: the documentation of the client packages, and an example that
            runs in the browser. Default: none; guides are shown instead.
        key_hours: hours to keep an idempotency key. During that time a repeated request gets the same response.
            Afterwards the key counts as new.
        grace: seconds that open requests have to finish when the service stops.
    """

    data: Path = Path("data")
    database_url: DatabaseUrl = ""
    book_servers: BookServers = ""
    standby_url: DatabaseUrl = ""
    archive: ArchivePlace = ""
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
    cache_memory: Annotated[int, Meta(ge=1024)] = 256 * 1024 * 1024
    cache_games: Count = "off"
    checkpoint_every: Annotated[int, Meta(ge=10)] = 250
    snapshot_every: Annotated[int, Meta(ge=0)] = 200
    body_limit: Annotated[int, Meta(ge=1024)] = 64 * 1024
    board_limit: Annotated[int, Meta(ge=1024)] = 1024 * 1024
    bodies_limit: Annotated[int, Meta(ge=1024)] = 64 * 1024 * 1024
    heartbeat: Positive = 15.0
    bots: Annotated[int, Meta(ge=0, le=64)] = 1
    bot_pause: Annotated[float, Meta(ge=0, le=60)] = 0.5
    bots_per_account: Count = 24
    projections: bool = True
    clocks: bool = True
    tournaments: bool = True
    transparency: bool = True
    log_key: str = ""
    log_policy: str = ""
    webhooks: bool = True
    webhook_key: str = ""
    push_key: str = ""
    outward: Literal["public", "anywhere"] = "public"
    public_url: HttpUrl = ""
    smtp_url: SmtpUrl = ""
    smtp_from: Email = ""
    smtp_per_hour: Count = 1000
    metrics_port: Annotated[int, Meta(ge=0, le=65535)] | None = None
    traces_url: HttpUrl = ""
    registration: bool = True
    token_cache: Annotated[float, Meta(ge=0, le=60)] = 2.0
    oidc_issuer: IssuerUrl = ""
    oidc_audience: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = ""
    oidc_name: str = ""
    oidc_algorithms: Algorithms = "RS256"
    oidc_leeway: Annotated[float, Meta(ge=0, le=300)] = 30.0
    oidc_scope_claim: Annotated[str, Meta(min_length=1)] = "scope"
    oidc_scopes: ScopeNames = ""
    dumps: Path | None = None
    dumps_licence: Licence = "CC0-1.0"
    pages: Path | None = None
    key_hours: Annotated[int, Meta(ge=24, le=8760)] = 48
    grace: Annotated[float, Meta(ge=0)] = 2.0

    def __post_init__(self) -> None:
        if self.book_servers:
            _require_sound(self.database_url, self.elsewhere)
        if self.standby_url and not self.database_url:
            raise SettingsError(f"{PREFIX}STANDBY_URL needs {DATABASE_URL}: the database of which it is a standby")
        if self.standby_url and self.book_servers:
            raise SettingsError(
                f"{PREFIX}STANDBY_URL is for one server, and {PREFIX}BOOK_SERVERS names several: unset one of the two"
            )
        for needed in ("smtp_from", "public_url"):
            if self.smtp_url and not getattr(self, needed):
                raise SettingsError(f"{PREFIX}SMTP_URL needs {PREFIX}{needed.upper()}: every e-mail names both")
        if self.oidc_issuer and not self.oidc_audience:
            raise SettingsError(f"{PREFIX}OIDC_ISSUER needs {PREFIX}OIDC_AUDIENCE: the service, as the issuer knows it")
        if self.oidc_client_id and not self.oidc_issuer:
            raise SettingsError(f"{PREFIX}OIDC_CLIENT_ID needs {PREFIX}OIDC_ISSUER: the provider whose client it is")
        if self.oidc_client_secret and not self.oidc_client_id:
            raise SettingsError(
                f"{PREFIX}OIDC_CLIENT_SECRET needs {PREFIX}OIDC_CLIENT_ID: the client whose secret it is"
            )

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.visible_values().items())})"

    def visible_values(self) -> dict[str, object]:
        """Return all values by their names, without passwords; for a limit that is not set, the limit in force."""
        values = {name: getattr(self, name) for name in self.__struct_fields__} | self.limits
        values |= {name: "…" for name in SECRETS if values[name]}
        return {
            name: str(each) if isinstance(each, Path) else _without_password(name, each)
            for name, each in values.items()
        }

    @property
    def elsewhere(self) -> list[tuple[str, list[int]]]:
        """The addresses of further servers, each with the books that it keeps, as `book_servers` has them."""
        pairs = (part.partition("=") for part in self.book_servers.split())
        return [(url, books_in(books)) for books, _, url in pairs]

    @property
    def servers(self) -> dict[str, frozenset[int]]:
        """The addresses of all PostgreSQL servers with the books that each keeps, that of `database_url` first."""
        others = {url: frozenset(books) for url, books in self.elsewhere}
        return {self.database_url: frozenset(range(BOOKS)).difference(*others.values()), **others}

    @property
    def public(self) -> bool:
        """Whether the service listens on an address that other machines may reach."""
        if self.host == "localhost":
            return False
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            return True
        return not (getattr(address, "ipv4_mapped", None) or address).is_loopback

    @property
    def rates(self) -> dict[str, float]:
        """The rate limits in force, by the names of their settings; 0 for no limit."""
        settings = {name: getattr(self, name) for name in PUBLIC_RATES}
        unset = PUBLIC_RATES if self.public else dict.fromkeys(PUBLIC_RATES, 0.0)
        return {
            name: unset[name] if value is None else 0.0 if value == "off" else value for name, value in settings.items()
        }

    @property
    def limits(self) -> dict[str, float | str]:
        """All limits in force: on rates and on connections."""
        counts = {"connections": self.connections, "connections_per_address": self.connections_per_address}
        return {**{name: rate or "off" for name, rate in self.rates.items()}, **counts}

    @property
    def unlimited(self) -> list[str]:
        """The variables of limits that are off although the service listens on a public address."""
        needless = () if self.registration else ("registrations_per_address",)
        off = [name for name, value in self.limits.items() if value == "off" and name not in needless]
        return [PREFIX + name.upper() for name in off] if self.public else []

    @property
    def oidc_scope_names(self) -> dict[str, Scope]:
        """The scopes that the values of a JWT's claim stand for, by these values."""
        pairs = (pair.partition("=") for pair in self.oidc_scopes.split(",") if pair)
        return {name: cast(Scope, scope) for name, _, scope in pairs}

    @property
    def is_sandbox(self) -> bool:
        """Whether everybody knows all tokens and secrets of the service. No variable can say so."""
        return False

    @property
    def database(self) -> Path:
        """The file of the embedded store."""
        return self.data / "tabularium.db"

    @property
    def log_key_file(self) -> Path:
        """The file of the key that signs the transparency log, unless the settings have it."""
        return self.data / "log.key"

    @property
    def webhook_key_file(self) -> Path:
        """The file of the key that encrypts the secrets of webhooks, unless the settings have it."""
        return self.data / "webhooks.key"

    @property
    def push_key_file(self) -> Path:
        """The file of the key that signs what is pushed, unless the settings have it."""
        return self.data / "push.key"

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
    texts = {name: environ[PREFIX + name.upper()] for name in kinds if environ.get(PREFIX + name.upper())}
    unknown = [name for name in environ if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() not in kinds]
    if unknown:
        names = ", ".join(PREFIX + name.upper() for name in kinds)
        raise SettingsError(f"{unknown[0]} is not a setting; known: {names}")
    values: dict[str, object] = {}
    for name, text in texts.items():
        try:
            values[name] = _convert(text, kinds[name])
        except ValueError:  # of which msgspec's errors are
            what = f"{PREFIX}{name.upper()}={_without_password(name, text)!r}"
            raise SettingsError(f"{what}: it takes {expected_of(kinds[name])}") from None
    return Settings(**values)  # type: ignore[reportArgumentType]


def without_password(value: T) -> T | str:
    """Return `value`. In an address, `…` replaces the password and the values of the query, which may be keys."""
    if not isinstance(value, str):
        return value
    # Up to the last @: the password may contain characters that should have been encoded.
    masked = re.sub(r"^((?:\w+:/+|(?!\w+:/))[^:@\s]*:)\S*(?=@)", _strike_out, value)
    if not re.match(r"\w+:/", masked):
        return re.sub(r"(password=)[^&\s]+", _strike_out, masked)
    address, mark, query = masked.partition("?")
    return address + mark + re.sub(r"((?:^|[&;])(?:[^=&;]*=)?)[^&;]+", _strike_out, query)


def _without_password(name: str, value: object) -> object:
    """Return the value of a setting without passwords."""
    if name != "book_servers" or not isinstance(value, str):
        return without_password(value)
    # Also in a part that is no address, hide what may be a password.
    parts = (re.sub(r"^([\d,-]*=?)(\w+://)?\S*@", r"\1\2…@", part) for part in value.split())
    return " ".join(re.sub(r"\?.*", "?…", part) for part in parts)


def books_in(books: str) -> list[int]:
    """Return the books that a text such as ``0-15,20`` names; none for ``none``. Raises `SettingsError`."""
    if not re.fullmatch(r"none|\d{1,2}(-\d{1,2})?(,\d{1,2}(-\d{1,2})?)*", books):
        raise SettingsError(f"{books!r} names no books: write them as 0-15,20")
    numbers: list[int] = []
    for each in books.split(",") if books != "none" else ():
        first, _, last = each.partition("-")
        if int(last or first) < int(first):
            raise SettingsError(f"{PREFIX}BOOK_SERVERS has the span {each}: write it as {last}-{first}")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


def _require_sound(home: str, elsewhere: Sequence[tuple[str, Sequence[int]]]) -> None:
    """Raise `SettingsError` unless the books exist, no book and no server comes twice, and some books are left.

    `home` is the address of the server that keeps all books that `elsewhere` does not name.
    """
    name = f"{PREFIX}BOOK_SERVERS"
    if not home:
        raise SettingsError(f"{name} needs {DATABASE_URL}: the server that keeps all other books, and the accounts")
    books = [book for _, group in elsewhere for book in group]
    beyond = [book for book in books if book >= BOOKS]
    twice = [book for book, times in Counter(books).items() if times > 1]
    addresses = Counter([home, *(url for url, _ in elsewhere)])
    if beyond:
        raise SettingsError(f"{name} names book {beyond[0]}: books are 0 to {BOOKS - 1}")
    if twice:
        raise SettingsError(f"{name} names book {twice[0]} twice: each book is kept by one server")
    if len(addresses) <= len(elsewhere):
        (again, _), *_ = addresses.most_common(1)
        raise SettingsError(
            f"{name} names {without_password(again)} again: name each server once, as 0-7,32=postgresql://…,"
            f" and that of {DATABASE_URL} not at all"
        )
    if len(books) == BOOKS:
        raise SettingsError(f"{name} leaves no book to {DATABASE_URL}: leave at least one out")


def _strike_out(match: re.Match[str]) -> str:
    return f"{match[1]}…"


def meanings() -> dict[str, str]:
    """Return what each setting means, by its name."""
    return attributes(Settings)


def _convert(text: str, kind: object) -> object:
    if kind in (Path, Path | None):
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
"""Their types when they are not `off`: msgspec reads no number from a text if the type allows a word, too."""


def _proxy(text: str) -> str:
    """Return an address or network. Raises `ValueError` for any other text: the server would never match it."""
    ipaddress.ip_network(text)
    return text
