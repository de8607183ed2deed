"""The schema of the embedded store, as it grew, and bringing an older file to it."""

import sqlite3
from collections.abc import Iterator
from typing import Final

APPLICATION: Final = int.from_bytes(b"Tabu")
"""Marks the file as ours, in the place that SQLite's format has for it."""
SANDBOX: Final = int.from_bytes(b"TabS")
"""Marks the file of a sandbox, and every copy of it: everybody knows its tokens and secrets."""

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

# A row of a key has only the records that its request added: the answer is made again from the log. Keys are deleted in
# the order of their numbers, which follow their times, so that no index of these is needed. Older keys end as if they
# had been used now, because nobody knows when they were.
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

# Accounts with the scope `organize` get `judge`, so that they can be officials of games. Of their tokens, only those
# with `account` get it: they could make tokens with it anyway.
_JUDGES: Final = """
UPDATE players
SET scopes = trim(replace(' ' || scopes || ' ', ' organize ', ' organize judge '))
WHERE ' ' || scopes || ' ' LIKE '% organize %' AND ' ' || scopes || ' ' NOT LIKE '% judge %';
UPDATE tokens
SET scopes = trim(replace(' ' || scopes || ' ', ' organize ', ' organize judge '))
WHERE ' ' || scopes || ' ' LIKE '% organize %' AND ' ' || scopes || ' ' LIKE '% account %'
    AND ' ' || scopes || ' ' NOT LIKE '% judge %';
"""

# Cases: their index, the rules that they cite, and what parties wrote, the only data that may be erased. Their events
# are in `events`, as those of games are.
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

# A Merkle tree over the heads of all streams. Its rows are only added, as those of the log. A tree is stored in `trees`
# before it is signed, so there is one root for each size.
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

# Games that began with the position of another one. Until the game in `withheld` is over, only its officials see them.
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

# A game is entered into `unlisted` before it is stored, so that no list shows it in between.
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

# Of challenges and recovery codes, only the SHA-256 is kept. `signs` is how often a passkey signed, if it counts that.
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

# Which events of cases are rulings, and which cases with a ruling cite a rule, so that no case is read to find out.
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

# Games that only their members may read. Older games are `unlisted` at most.
_PRIVATE: Final = """
CREATE TABLE private (game TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER private_stay BEFORE UPDATE ON private BEGIN SELECT RAISE(ABORT, 'a private game stays private'); END;
CREATE TRIGGER private_remain BEFORE DELETE ON private BEGIN SELECT RAISE(ABORT, 'a private game stays private'); END;
"""

# Packed records of games that are over and old (`service/store/segments.py`). An event is deleted only when a segment
# has it. Segments and dictionaries are never deleted.
_ARCHIVE: Final = """
CREATE TABLE dictionaries (
    number INTEGER PRIMARY KEY,
    file   BLOB NOT NULL
);
CREATE TABLE segments (
    game       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    after      INTEGER NOT NULL,
    first      INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    span       INTEGER NOT NULL,
    previous   BLOB NOT NULL,
    hash       BLOB NOT NULL,
    dictionary INTEGER NOT NULL,
    content    BLOB NOT NULL,
    UNIQUE (game, version)
);
CREATE INDEX segments_by_first ON segments (span, first);
CREATE INDEX segments_by_last ON segments (last);
DROP TRIGGER events_remain;
CREATE TRIGGER events_remain BEFORE DELETE ON events
WHEN NOT EXISTS (
    SELECT 1 FROM segments s WHERE s.game = OLD.game AND s.version >= OLD.version AND s.after < OLD.version
)
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
""" + "".join(
    f"CREATE TRIGGER {table}_{name} BEFORE {change} ON {table} BEGIN"
    f" SELECT RAISE(ABORT, '{table} are never {done}'); END;\n"
    for table in ("segments", "dictionaries")
    for name, change, done in (("stay", "UPDATE", "changed"), ("remain", "DELETE", "deleted"))
)

# Queries name the book of a stream, because PostgreSQL keeps the log in many books. Here, there is only book 0.
_BOOK: Final = """
ALTER TABLE games ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seated ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE secrets ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE keys ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forks ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE unlisted ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE private ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cited ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rulings ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE precedents ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
ALTER TABLE statements ADD COLUMN book INTEGER NOT NULL DEFAULT 0;
"""

# Webhooks: their addresses, the deliveries, and the answers. Accounts with the scope `play` get `notify`; of their
# tokens, only those with `account` get it. `number` orders deliveries.
_WEBHOOKS: Final = """
CREATE TABLE webhooks (
    webhook       TEXT PRIMARY KEY,
    player        TEXT NOT NULL REFERENCES players (player),
    about         TEXT NOT NULL,
    game          TEXT NOT NULL,
    url           TEXT NOT NULL,
    host          TEXT NOT NULL,
    form          TEXT NOT NULL,
    events        TEXT NOT NULL,
    secret        BLOB NOT NULL,
    created       TEXT NOT NULL,
    status        TEXT NOT NULL,
    why           TEXT NOT NULL,
    since         TEXT NOT NULL,
    old_secret    BLOB NOT NULL,
    old_until     TEXT NOT NULL,
    failing_since TEXT NOT NULL,
    failures      INTEGER NOT NULL,
    hold          TEXT NOT NULL,
    made_by       TEXT NOT NULL UNIQUE,
    fingerprint   BLOB NOT NULL,
    rotated_by    TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX webhooks_by_player ON webhooks (player);
CREATE TABLE deliveries (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery        TEXT NOT NULL UNIQUE,
    webhook         TEXT NOT NULL,
    type            TEXT NOT NULL,
    body            TEXT NOT NULL,
    made            TEXT NOT NULL,
    due             TEXT NOT NULL,
    status          TEXT NOT NULL,
    attempts        INTEGER NOT NULL,
    before_attempts INTEGER NOT NULL
);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook, number);
CREATE INDEX deliveries_by_due ON deliveries (due, number) WHERE status = 'waiting';
CREATE INDEX deliveries_waiting ON deliveries (webhook, due) WHERE status = 'waiting';
CREATE INDEX deliveries_by_age ON deliveries (made) WHERE status <> 'waiting';
CREATE TABLE attempts (
    delivery TEXT NOT NULL,
    number   INTEGER NOT NULL,
    at       TEXT NOT NULL,
    status   INTEGER NOT NULL,
    answer   TEXT NOT NULL,
    PRIMARY KEY (delivery, number)
) WITHOUT ROWID;
CREATE TABLE webhook_places (
    number  INTEGER PRIMARY KEY CHECK (number = 1),
    place   TEXT NOT NULL,
    changes INTEGER NOT NULL
);
UPDATE players SET scopes = scopes || ' notify'
WHERE ' ' || scopes || ' ' LIKE '% play %' AND ' ' || scopes || ' ' NOT LIKE '% notify %';
UPDATE tokens SET scopes = scopes || ' notify'
WHERE ' ' || scopes || ' ' LIKE '% account %' AND ' ' || scopes || ' ' LIKE '% play %'
    AND ' ' || scopes || ' ' NOT LIKE '% notify %';
"""

# Which notifications accounts have read, and which they want.
_INBOX: Final = """
CREATE TABLE read_marks (
    player  TEXT NOT NULL REFERENCES players (player),
    stream  TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (player, stream)
) WITHOUT ROWID;
CREATE TABLE inbox_settings (
    player   TEXT PRIMARY KEY REFERENCES players (player),
    settings TEXT NOT NULL
) WITHOUT ROWID;
"""

# How many e-mails for confirmation were sent on a day: for an account, and to an address, of which this has a digest.
_MAIL: Final = """
CREATE TABLE mail_counts (
    key   TEXT NOT NULL,
    day   TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, key)
) WITHOUT ROWID;
"""

# The organizers whom accounts allow to seat them, and games that were requested together.
_ORGANIZING: Final = """
CREATE TABLE consents (
    player    TEXT NOT NULL REFERENCES players (player),
    organizer TEXT NOT NULL REFERENCES players (player),
    given     TEXT NOT NULL,
    PRIMARY KEY (player, organizer)
);

CREATE TABLE bulks (
    bulk        TEXT    PRIMARY KEY,
    organizer   TEXT    NOT NULL REFERENCES players (player),
    made_by     TEXT    NOT NULL UNIQUE,
    fingerprint BLOB   NOT NULL,
    created     TEXT    NOT NULL,
    games       INTEGER NOT NULL,
    cancelled   TEXT    NOT NULL,
    changes     INTEGER NOT NULL
);
CREATE INDEX bulks_by_organizer ON bulks (organizer, created);
CREATE INDEX bulks_by_age ON bulks (created);

CREATE TABLE bulk_games (
    bulk      TEXT    NOT NULL,
    number    INTEGER NOT NULL,
    wish      TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    starts_at TEXT    NOT NULL,
    status    TEXT    NOT NULL,
    game      TEXT    NOT NULL,
    why       TEXT    NOT NULL,
    due       TEXT    NOT NULL,
    changed   INTEGER NOT NULL,
    PRIMARY KEY (bulk, number)
);
CREATE INDEX bulk_games_by_due ON bulk_games (due) WHERE status IN ('queued', 'open', 'waiting');
"""

# Tournaments: their index, and the seeds of their lots. Their events are in `events`, as those of games are.
_TOURNAMENTS: Final = """
CREATE TABLE tournaments (
    place     INTEGER PRIMARY KEY AUTOINCREMENT,
    book      INTEGER NOT NULL DEFAULT 0,
    stream    TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    ruleset   TEXT NOT NULL,
    status    TEXT NOT NULL,
    organizer TEXT NOT NULL,
    entrants  INTEGER NOT NULL,
    rounds    INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    created   TEXT NOT NULL,
    changed   TEXT NOT NULL
);
CREATE INDEX tournaments_by_status ON tournaments (status, place);
CREATE INDEX tournaments_by_organizer ON tournaments (organizer, place);
CREATE TRIGGER tournaments_remain BEFORE DELETE ON tournaments
BEGIN SELECT RAISE(ABORT, 'tournaments are never deleted'); END;
CREATE TABLE seeds (
    book   INTEGER NOT NULL DEFAULT 0,
    stream TEXT PRIMARY KEY,
    seed   BLOB NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER seeds_stay BEFORE UPDATE ON seeds BEGIN SELECT RAISE(ABORT, 'seeds are never changed'); END;
CREATE TRIGGER seeds_remain BEFORE DELETE ON seeds BEGIN SELECT RAISE(ABORT, 'seeds are never deleted'); END;
"""

# Leagues: their index. Their events are in `events`, as those of games are.
_LEAGUES: Final = """
CREATE TABLE leagues (
    place     INTEGER PRIMARY KEY AUTOINCREMENT,
    book      INTEGER NOT NULL DEFAULT 0,
    stream    TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    status    TEXT NOT NULL,
    organizer TEXT NOT NULL,
    divisions INTEGER NOT NULL,
    seasons   INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    created   TEXT NOT NULL,
    changed   TEXT NOT NULL
);
CREATE INDEX leagues_by_organizer ON leagues (organizer, place);
CREATE TRIGGER leagues_remain BEFORE DELETE ON leagues
BEGIN SELECT RAISE(ABORT, 'leagues are never deleted'); END;
"""

_DEVICES: Final = """
ALTER TABLE webhooks ADD COLUMN token TEXT NOT NULL DEFAULT '';
CREATE INDEX webhooks_by_token ON webhooks (token) WHERE token <> '';
"""

# Apps of other people's that sign somebody in; `0077_apps.sql` says what each column is.
_APPS: Final = """
CREATE TABLE apps (
    client TEXT PRIMARY KEY,
    player TEXT NOT NULL REFERENCES players (player),
    name TEXT NOT NULL,
    redirects TEXT NOT NULL,
    created TEXT NOT NULL,
    hash BLOB NOT NULL,
    key TEXT UNIQUE,
    fingerprint BLOB NOT NULL,
    nonce BLOB NOT NULL
);
CREATE INDEX apps_by_player ON apps (player, created);
CREATE TABLE app_consents (
    app TEXT PRIMARY KEY,
    player TEXT NOT NULL REFERENCES players (player),
    client TEXT NOT NULL,
    site TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    given TEXT NOT NULL,
    reused TEXT,
    UNIQUE (player, client, site)
);
CREATE TABLE app_codes (
    hash BLOB PRIMARY KEY,
    user_code TEXT UNIQUE,
    client TEXT NOT NULL,
    site TEXT NOT NULL,
    name TEXT NOT NULL,
    redirect TEXT NOT NULL,
    challenge TEXT NOT NULL,
    scopes TEXT NOT NULL,
    ends TEXT NOT NULL,
    player TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    pause INTEGER NOT NULL,
    polled TEXT NOT NULL,
    token TEXT NOT NULL
);
CREATE INDEX app_codes_by_end ON app_codes (ends);
CREATE TABLE app_sign_ins (
    token TEXT PRIMARY KEY REFERENCES tokens (token),
    client TEXT NOT NULL,
    site TEXT NOT NULL,
    refresh BLOB NOT NULL
);
CREATE INDEX app_sign_ins_by_client ON app_sign_ins (client);
CREATE TABLE app_access (
    hash BLOB PRIMARY KEY,
    token TEXT NOT NULL REFERENCES tokens (token),
    scopes TEXT NOT NULL,
    ends TEXT NOT NULL
);
CREATE INDEX app_access_by_token ON app_access (token);
"""

# Contents of segments outside of the database (`service/store/outside.py`). A digest takes the place of a content, or
# the content that of its digest; nothing else of a segment ever changes. SQLite cannot compute SHA-256, so a reader
# compares a content with its digest.
_OUTSIDE: Final = """
ALTER TABLE segments ADD COLUMN digest BLOB;
CREATE INDEX segments_outside ON segments (game, version) WHERE digest IS NOT NULL;
DROP TRIGGER segments_stay;
CREATE TRIGGER segments_stay BEFORE UPDATE ON segments
WHEN (NEW.game, NEW.version, NEW.after, NEW.first, NEW.last, NEW.span, NEW.previous, NEW.hash, NEW.dictionary)
    <> (OLD.game, OLD.version, OLD.after, OLD.first, OLD.last, OLD.span, OLD.previous, OLD.hash, OLD.dictionary)
    OR NOT coalesce(
        OLD.digest IS NULL AND NEW.content = x'' AND length(NEW.digest) = 32
        OR NEW.digest IS NULL AND OLD.content = x'' AND length(NEW.content) > 0,
        0
    )
BEGIN SELECT RAISE(ABORT, 'segments are never changed'); END;
"""

# Games that other services recorded; `0092_imports.sql` says what each column is.
_IMPORTS: Final = """
CREATE TABLE imports (
    place       INTEGER PRIMARY KEY AUTOINCREMENT,
    import      TEXT NOT NULL UNIQUE,
    player      TEXT NOT NULL REFERENCES players (player),
    imported    TEXT NOT NULL,
    ruleset     TEXT NOT NULL,
    found       TEXT NOT NULL,
    certificate TEXT NOT NULL,
    policy      TEXT NOT NULL,
    size        INTEGER NOT NULL,
    content     BLOB NOT NULL
);
CREATE INDEX imports_by_player ON imports (player, place);
CREATE INDEX imports_by_ruleset ON imports (ruleset, place);
"""

# Accounts of one person that were joined; `0095_joining.sql` says what each column is.
_JOINING: Final = """
ALTER TABLE players ADD COLUMN joined TEXT;
CREATE INDEX players_by_joined ON players (joined) WHERE joined IS NOT NULL;
CREATE TABLE joinings (
    account      TEXT PRIMARY KEY REFERENCES players (player),
    kept         TEXT NOT NULL REFERENCES players (player),
    at           TEXT NOT NULL,
    asked_by     TEXT NOT NULL,
    confirmed_by TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX joinings_by_kept ON joinings (kept, at);
CREATE TRIGGER joinings_stay BEFORE UPDATE ON joinings BEGIN SELECT RAISE(ABORT, 'joinings are never changed'); END;
CREATE TRIGGER joinings_remain BEFORE DELETE ON joinings BEGIN SELECT RAISE(ABORT, 'joinings are never deleted'); END;
CREATE TABLE joining_codes (
    hash     BLOB PRIMARY KEY,
    player   TEXT NOT NULL UNIQUE REFERENCES players (player),
    asked_by TEXT NOT NULL,
    ends     TEXT NOT NULL,
    account  TEXT
) WITHOUT ROWID;
CREATE INDEX joining_codes_by_end ON joining_codes (ends);
"""

STEPS: Final = (
    *(_FIRST, _ACCOUNTS, _KEYS, _SOUGHT, _JUDGES, _CASES, _TRANSPARENCY, _BOTS, _FORKS, _INVITATIONS, _PASSKEYS),
    *(_PROGRAMS, _RULINGS, _CHALLENGES, _PRIVATE, _ARCHIVE, _BOOK, _WEBHOOKS, _INBOX, _MAIL, _ORGANIZING),
    *(_TOURNAMENTS, _DEVICES, _LEAGUES, _APPS, _OUTSIDE, _IMPORTS, _JOINING),
)
"""The schema, as it grew. A new file takes all steps, an older file the missing ones. A step never changes."""

SCHEMA_VERSION: Final = len(STEPS)


def script(have: int, version: int = SCHEMA_VERSION) -> str:
    """Return the SQL that brings a file from schema version `have` (0: an empty file) to `version`."""
    return "\n".join(
        (f"PRAGMA application_id = {APPLICATION};", *STEPS[have:version], f"PRAGMA user_version = {version};")
    )


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Bring a store that `check_file` has found good to this schema, in one transaction. Raises `sqlite3.Error`."""
    if version_of(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again: another process may have brought it up to date just now.
        have = version_of(connection)
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


def version_of(connection: sqlite3.Connection) -> int:
    """Return the schema version of a file."""
    return connection.execute("PRAGMA user_version").fetchone()[0]
