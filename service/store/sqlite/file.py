"""The file of the embedded store: its schema, and what may be wrong with it, found out without changing a byte.

SQLite itself repairs silently: it takes an empty file for a new database and drops whatever follows a bad place in
its write-ahead log. For a log of games both would be a loss that nobody notices, so we look first.
"""

import os
import sqlite3
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from service.base.private import make_file, make_folder
from service.store.protocol import StoreDamaged

APPLICATION: Final = int.from_bytes(b"Tabu")
"""Marks the file as ours, in the place that SQLite's format has for it."""

PAGE: Final = 4096

THOROUGH: Final = 256 * 1024 * 1024
"""Up to this size (a second or two) the indexes are compared with their tables as well."""

_FIRST: Final = """
CREATE TABLE games (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    game            TEXT NOT NULL UNIQUE,
    title           TEXT NOT NULL,
    ruleset         TEXT NOT NULL,
    ruleset_version INTEGER NOT NULL,
    status          TEXT NOT NULL,
    organizer       TEXT NOT NULL,
    seats           TEXT NOT NULL,
    head            INTEGER NOT NULL,
    created         TEXT NOT NULL,
    changed         TEXT NOT NULL,
    chance          BLOB NOT NULL
);
CREATE INDEX games_by_status ON games (status, number);

CREATE TABLE seated (
    player TEXT NOT NULL,
    game   TEXT NOT NULL,
    PRIMARY KEY (player, game)
) WITHOUT ROWID;
CREATE INDEX seated_by_game ON seated (game);

-- position: the global order, which is that of the commits.
CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    game     TEXT NOT NULL,
    version  INTEGER NOT NULL,
    event    TEXT NOT NULL,
    schema   INTEGER NOT NULL,
    draws    INTEGER NOT NULL,
    at       TEXT NOT NULL,
    cause    TEXT,
    hash     BLOB NOT NULL,
    UNIQUE (game, version)
);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

CREATE TABLE secrets (
    number     INTEGER PRIMARY KEY,
    game       TEXT NOT NULL,
    commitment TEXT NOT NULL,
    readers    TEXT NOT NULL,
    salt       TEXT NOT NULL,
    value      TEXT NOT NULL,
    UNIQUE (game, commitment)
);

CREATE TABLE keys (
    game        TEXT NOT NULL,
    account     TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    answer      BLOB NOT NULL,
    PRIMARY KEY (game, account, key)
);

CREATE TABLE boards (
    digest TEXT PRIMARY KEY,
    file   BLOB NOT NULL
);

CREATE TABLE players (
    player  TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    created TEXT NOT NULL,
    token   BLOB NOT NULL UNIQUE
);
"""

# Several tokens for an account, and what they may be used for; times and scopes as in `service/store/accounts.py`.
_ACCOUNTS: Final = """
ALTER TABLE players RENAME TO players_before;

CREATE TABLE players (
    player  TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    created TEXT NOT NULL,
    scopes  TEXT NOT NULL,
    closed  TEXT
);
INSERT INTO players (player, name, created, scopes)
SELECT player, name, created, 'account play organize' FROM players_before ORDER BY rowid;

CREATE TABLE tokens (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    token   TEXT NOT NULL UNIQUE,
    player  TEXT NOT NULL,
    name    TEXT NOT NULL,
    scopes  TEXT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT,
    retires TEXT,
    revoked TEXT,
    used    TEXT,
    hash    BLOB NOT NULL UNIQUE
);
CREATE INDEX tokens_by_player ON tokens (player);
INSERT INTO tokens (token, player, name, scopes, created, hash)
SELECT 't' || lower(hex(randomblob(10))), player, 'registration', 'account play organize', created, token
FROM players_before ORDER BY rowid;

DROP TABLE players_before;

CREATE TABLE identities (
    issuer  TEXT NOT NULL,
    subject TEXT NOT NULL,
    player  TEXT NOT NULL,
    PRIMARY KEY (issuer, subject)
) WITHOUT ROWID;
"""

# With a key only what its request added is kept: the answer is made again of the log. Keys are deleted in the order of
# their numbers, which is that of their times, so that no index of these is needed. Those of before end as if they had
# been used now: when they were is not known.
_KEYS: Final = """
ALTER TABLE keys RENAME TO keys_before;

CREATE TABLE keys (
    number      INTEGER PRIMARY KEY,
    game        TEXT NOT NULL,
    account     TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    after       INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    at          TEXT NOT NULL,
    UNIQUE (game, account, key)
);
INSERT INTO keys (game, account, key, fingerprint, after, version, at)
SELECT game, account, key, fingerprint, json_extract(CAST(answer AS TEXT), '$.after'),
    json_extract(CAST(answer AS TEXT), '$.version'), strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
FROM keys_before ORDER BY rowid;

DROP TABLE keys_before;

CREATE TABLE made (
    number      INTEGER PRIMARY KEY,
    key         TEXT NOT NULL UNIQUE,
    fingerprint BLOB NOT NULL,
    nonce       BLOB NOT NULL,
    token       TEXT NOT NULL,
    at          TEXT NOT NULL
);
"""

# `sought` is the name by which a player can be found, folded; null for one who does not want to be.
_SOUGHT: Final = """
ALTER TABLE players ADD COLUMN sought TEXT;
CREATE INDEX players_by_sought ON players (sought, player) WHERE sought IS NOT NULL;
CREATE INDEX games_by_organizer ON games (organizer, number);
"""

# Who may organize games may be named an official of games. A token does not come to rule by itself, unless it could
# make one that does: then it is the one that its owner keeps.
_JUDGES: Final = """
UPDATE players
SET scopes = trim(replace(' ' || scopes || ' ', ' organize ', ' organize judge '))
WHERE ' ' || scopes || ' ' LIKE '% organize %' AND ' ' || scopes || ' ' NOT LIKE '% judge %';
UPDATE tokens
SET scopes = trim(replace(' ' || scopes || ' ', ' organize ', ' organize judge '))
WHERE ' ' || scopes || ' ' LIKE '% organize %' AND ' ' || scopes || ' ' LIKE '% account %'
    AND ' ' || scopes || ' ' NOT LIKE '% judge %';
"""

# Cases: their index, the rules that they cite, and what parties wrote, which alone may be erased. Their events are in
# `events`, as those of games are.
_CASES: Final = """
CREATE TABLE cases (
    place   INTEGER PRIMARY KEY AUTOINCREMENT,
    stream  TEXT NOT NULL UNIQUE,
    game    TEXT NOT NULL,
    number  INTEGER NOT NULL,
    status  TEXT NOT NULL,
    kind    TEXT NOT NULL,
    about   INTEGER NOT NULL,
    matter  TEXT NOT NULL,
    player  TEXT NOT NULL,
    seat    TEXT,
    rules   TEXT NOT NULL,
    version INTEGER NOT NULL,
    created TEXT NOT NULL,
    changed TEXT NOT NULL,
    UNIQUE (game, number)
);
CREATE INDEX cases_by_status ON cases (status, place);
CREATE TRIGGER cases_remain BEFORE DELETE ON cases BEGIN SELECT RAISE(ABORT, 'cases are never deleted'); END;

CREATE TABLE cited (
    rule   TEXT NOT NULL,
    stream TEXT NOT NULL,
    PRIMARY KEY (rule, stream)
) WITHOUT ROWID;

CREATE TABLE statements (
    stream  TEXT NOT NULL,
    version INTEGER NOT NULL,
    salt    TEXT,
    written TEXT,
    erased  TEXT,
    eraser  TEXT,
    PRIMARY KEY (stream, version)
) WITHOUT ROWID;
CREATE TRIGGER statements_stay BEFORE UPDATE ON statements WHEN NEW.salt IS NOT NULL OR NEW.written IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'statements are erased, but never changed'); END;
CREATE TRIGGER statements_remain BEFORE DELETE ON statements
BEGIN SELECT RAISE(ABORT, 'statements are erased, but never deleted'); END;
"""

# A Merkle tree over the heads of all streams. Its rows are only added, as those of the log. What is signed stands in
# `trees` first: so there is one root for a size.
_TRANSPARENCY: Final = """
CREATE TABLE entries (
    number  INTEGER PRIMARY KEY,
    stream  TEXT NOT NULL,
    version INTEGER NOT NULL,
    entry   TEXT NOT NULL,
    UNIQUE (stream, version)
);
CREATE TABLE hashes (
    level  INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash   BLOB NOT NULL,
    PRIMARY KEY (level, number)
) WITHOUT ROWID;
CREATE TABLE trees (
    size     INTEGER PRIMARY KEY,
    root     BLOB NOT NULL,
    position INTEGER NOT NULL
);
CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    origin TEXT NOT NULL,
    size   INTEGER NOT NULL,
    note   TEXT NOT NULL,
    UNIQUE (origin, size)
);
CREATE INDEX checkpoints_by_size ON checkpoints (size, number);
CREATE TABLE cosignatures (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    origin TEXT NOT NULL,
    size   INTEGER NOT NULL,
    line   TEXT NOT NULL,
    UNIQUE (origin, size, line)
);
""" + "".join(
    f"CREATE TRIGGER {table}_{name} BEFORE {change} ON {table} BEGIN"
    f" SELECT RAISE(ABORT, '{table} of the transparency log are never {done}'); END;\n"
    for table in ("entries", "hashes", "trees", "checkpoints", "cosignatures")
    for name, change, done in (("stay", "UPDATE", "changed"), ("remain", "DELETE", "deleted"))
)

# `bot` is the level at which the service plays an account; null for everybody else's.
_BOTS: Final = """
ALTER TABLE players ADD COLUMN bot TEXT;
CREATE INDEX players_by_bot ON players (player) WHERE bot IS NOT NULL;
"""

# Which games began with the position of another one; until the game in `withheld` is over, its officials alone see one.
_FORKS: Final = """
CREATE TABLE forks (
    game    TEXT PRIMARY KEY,
    parent  TEXT NOT NULL,
    version INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    withheld TEXT
) WITHOUT ROWID;
CREATE INDEX forks_by_parent ON forks (parent);
CREATE INDEX forks_withheld ON forks (withheld) WHERE withheld IS NOT NULL;
CREATE TRIGGER forks_stay BEFORE UPDATE ON forks BEGIN SELECT RAISE(ABORT, 'forks are never changed'); END;
CREATE TRIGGER forks_remain BEFORE DELETE ON forks BEGIN SELECT RAISE(ABORT, 'forks are never deleted'); END;
"""

# A game is `unlisted` before it is there, so that no list shows it in between.
_INVITATIONS: Final = """
CREATE TABLE unlisted (game TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE invitations (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    invitation TEXT NOT NULL UNIQUE,
    game       TEXT NOT NULL REFERENCES games (game),
    hash       BLOB NOT NULL UNIQUE,
    created    TEXT NOT NULL,
    revoked    TEXT,
    key        TEXT UNIQUE,
    nonce      BLOB
);
CREATE INDEX invitations_by_game ON invitations (game, number);
"""

# Of challenges and recovery codes the SHA-256 is kept. `signs` is how often a passkey signed, where it counts.
_PASSKEYS: Final = """
CREATE TABLE passkeys (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    passkey    TEXT NOT NULL UNIQUE,
    player     TEXT NOT NULL REFERENCES players (player),
    credential BLOB NOT NULL UNIQUE,
    public_key BLOB NOT NULL,
    signs      INTEGER NOT NULL,
    name       TEXT NOT NULL,
    created    TEXT NOT NULL,
    used       TEXT
);
CREATE INDEX passkeys_by_player ON passkeys (player, number);
CREATE TABLE challenges (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    hash   BLOB NOT NULL UNIQUE,
    player TEXT,
    ends   TEXT NOT NULL
);
CREATE TABLE recovery_codes (
    hash    BLOB PRIMARY KEY,
    player  TEXT NOT NULL REFERENCES players (player),
    created TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX recovery_codes_by_player ON recovery_codes (player);
"""

# Whether a program plays an account that the service does not play.
_PROGRAMS: Final = "ALTER TABLE players ADD COLUMN automated INTEGER NOT NULL DEFAULT FALSE;"

# Which events of cases are rulings, and which cases that were ruled on cite a rule: so nobody reads a case to find out.
_RULINGS: Final = """
CREATE TABLE rulings (
    stream  TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (stream, version)
) WITHOUT ROWID;
CREATE TABLE precedents (
    rule  TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (rule, place)
) WITHOUT ROWID;
INSERT INTO rulings (stream, version)
SELECT c.stream, e.version FROM cases c JOIN events e ON e.game = c.stream
WHERE json_extract(e.event, '$.type') IN ('ruled', 'ruled-finally');
INSERT INTO precedents (rule, place)
SELECT t.rule, c.place FROM cited t JOIN cases c ON c.stream = t.stream
WHERE c.stream IN (SELECT stream FROM rulings);
CREATE INDEX continuations ON forks (parent) WHERE purpose = 'continuation';
"""

# Challenges are signed, so that only those that were used are kept, until they end.
_CHALLENGES: Final = """
DROP TABLE challenges;
CREATE TABLE challenges (
    hash BLOB PRIMARY KEY,
    ends TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE challenge_keys (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    key    BLOB NOT NULL
);
"""

# Games that only those read who take part in them. Games of before are `unlisted` at most, as they were made.
_PRIVATE: Final = """
CREATE TABLE private (game TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER private_stay BEFORE UPDATE ON private BEGIN SELECT RAISE(ABORT, 'a private game stays private'); END;
CREATE TRIGGER private_remain BEFORE DELETE ON private BEGIN SELECT RAISE(ABORT, 'a private game stays private'); END;
"""

STEPS: Final = (
    *(_FIRST, _ACCOUNTS, _KEYS, _SOUGHT, _JUDGES, _CASES, _TRANSPARENCY, _BOTS, _FORKS, _INVITATIONS, _PASSKEYS),
    *(_PROGRAMS, _RULINGS, _CHALLENGES, _PRIVATE),
)
"""The schema, as it grew. A new file takes all steps, an older one those that it lacks; none is ever changed."""

SCHEMA_VERSION: Final = len(STEPS)

_MAGIC: Final = b"SQLite format 3\0"


def check_file(path: Path, *, durable: bool = True) -> bool:
    """Tell whether there is a store at `path`, of this schema or an older one. Nothing is changed.

    Without `durable` the write-ahead log is not looked at: a power failure may have left it incomplete, as agreed.

    Raises:
        StoreDamaged: what is there is damaged, or is something else.
        OSError, sqlite3.Error: it cannot be read.
    """
    wal, shared = _beside(path, "-wal"), _beside(path, "-shm")
    if not path.exists():
        if wal.exists():
            raise StoreDamaged(f"{path} is missing, but its {wal.name} is there: put the file back, or move that away")
        return False
    _check_header(path)
    if durable:
        if shared.exists() and not wal.exists():
            raise StoreDamaged(f"{path} was in use, and its {wal.name} is missing: put that back")
        if wal.exists():
            _check_wal(wal, shared)
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            thorough = path.stat().st_size < THOROUGH
            pragma = "PRAGMA integrity_check(1)" if thorough else "PRAGMA quick_check(1)"
            said = [row[0] for row in connection.execute(pragma)]
            version, schema = (_version_of(connection), _schema_of(connection)) if said == ["ok"] else (0, [])
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # what the check quotes may be damaged text
            if isinstance(error, sqlite3.OperationalError):
                raise
            said = [str(error)]
            version, schema = 0, []
    if said != ["ok"]:
        raise StoreDamaged(f"{path} is damaged: {' '.join(said[0].split())}; restore it from a copy")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script(0, version))
        if schema != _schema_of(connection):
            raise StoreDamaged(f"{path} is damaged: its tables are not those of a Tabularium store")
    return True


def create_file(path: Path) -> None:
    """Make an empty store: whole under another name, then in its place, so that there is never half of one."""
    make_folder(path.parent)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    new.unlink(missing_ok=True)
    make_file(new)
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {script(0)} COMMIT;")
    try:
        os.link(new, path)
        new.unlink()
    except FileExistsError:  # another process was quicker
        new.unlink()
    except OSError:  # a file system without links
        new.rename(path)


def script(have: int, version: int = SCHEMA_VERSION) -> str:
    """Return the SQL that brings a file from schema version `have` (0: an empty file) to `version`."""
    return "\n".join(
        (f"PRAGMA application_id = {APPLICATION};", *STEPS[have:version], f"PRAGMA user_version = {version};")
    )


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Bring a store that `check_file` has found good to this schema, in one transaction. Raises `sqlite3.Error`."""
    if _version_of(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again: another process may just have done it.
        have = _version_of(connection)
        for statement in _statements(script(have)) if have < SCHEMA_VERSION else ():
            connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _statements(text: str) -> Iterator[str]:
    # Not `executescript`, which commits the transaction that is open.
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _version_of(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def _schema_of(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()


def _check_header(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        raise StoreDamaged(f"{path} is empty: restore it from a copy, or move it away to start with a new one")
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise StoreDamaged(
            f"{path} is not an SQLite database: restore it from a copy, or move it away to start with an empty one"
        )
    version, application = struct.unpack(">I4xI", header[60:72])
    if application != APPLICATION:
        raise StoreDamaged(f"{path} is a database of another program, or its header is damaged")
    if not 1 <= version <= SCHEMA_VERSION:
        raise StoreDamaged(
            f"{path} has schema version {version}, and this is Tabularium with version {SCHEMA_VERSION}:"
            " it is from a newer one, or its header is damaged"
        )


# --- the write-ahead log: https://www.sqlite.org/walformat.html -------------------------------------------------------


def _check_wal(wal: Path, shared: Path) -> None:
    """Raise `StoreDamaged` when SQLite would drop transactions that were acknowledged."""
    problem = _wal_problem(wal, shared)
    # Another process may have written while we read; damage stays as it is.
    for _ in range(3):
        if problem is None:
            return
        time.sleep(0.1)
        before, problem = problem, _wal_problem(wal, shared)
        if problem == before:
            raise StoreDamaged(f"{wal} is damaged: {problem}; restore it with its database")


def _wal_problem(wal: Path, shared: Path) -> str | None:
    """Return what is wrong with a write-ahead log.

    A power failure leaves at most one transaction unfinished, at the end: where a frame is bad and more than one
    commit follows it, the log was damaged otherwise. When only the process died, the index beside the log (`shared`)
    still says how long the log is.
    """
    index = shared.read_bytes()[:96] if shared.exists() else b""
    content = wal.read_bytes()
    if len(content) <= 32:
        return "its beginning is missing" if _frames_indexed(index, None) else None
    header, good, lost = _Header(content), 0, 0
    checksum, salt, size = header.checksum if header.whole else None, header.salt, 24 + header.page
    for start in range(32, len(content) - size + 1, size):
        head = content[start : start + 24]
        if checksum is not None:
            data = content[start : start + 8] + content[start + 24 : start + size]
            checksum = _checksum(data, checksum, header.order)
            if head[8:16] == salt and checksum == struct.unpack(">II", head[16:24]):
                good += 1
                continue
            checksum = None
        if head[8:16] == salt and head[4:8] != bytes(4):
            lost += 1
    indexed = _frames_indexed(index, salt)
    if lost <= 1 and indexed <= good:
        return None
    return f"only its first {good} frames are good, and {max(indexed - good, lost)} or more are lost"


class _Header:
    """The first 32 bytes of a log. When they are damaged, `salt` is that of the first frame."""

    def __init__(self, content: bytes) -> None:
        magic, _, self.page = struct.unpack(">III", content[:12])
        self.order = ">" if magic & 1 else "<"
        self.checksum = struct.unpack(">II", content[24:32])
        self.whole = magic & ~1 == 0x377F0682 and _checksum(content[:24], (0, 0), self.order) == self.checksum
        self.salt = content[16:24] if self.whole else content[40:48]
        if not self.whole:
            self.page = PAGE


def _checksum(data: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    one, other = start
    for first, second in struct.iter_unpack(f"{order}II", data):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return one, other


def _frames_indexed(index: bytes, salt: bytes | None) -> int:
    """Return how many frames the index counts, if it is whole and that of the log with this salt; 0 otherwise."""
    order = "<" if sys.byteorder == "little" else ">"
    if len(index) < 96 or index[:48] != index[48:96]:
        return 0
    if _checksum(index[:40], (0, 0), order) != struct.unpack(f"{order}II", index[40:48]):
        return 0
    if salt is not None and index[32:40] != salt:
        return 0
    return struct.unpack(f"{order}I", index[16:20])[0]
