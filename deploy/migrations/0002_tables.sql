-- The log and what is kept beside it. Ids sort by bytes (COLLATE "C"): quicker, and no operating system's new
-- collation can ever spoil an index of the log.

-- The order of all events. Drawn from only by append(), under its lock; a gap is an append that was rolled back.
CREATE SEQUENCE tabularium.positions AS bigint;

-- Every unique key contains the game, so that the log can be spread over machines by it.
-- `event` and `cause` are of type json, not jsonb: it keeps the text to the byte, and that text is what was hashed.
CREATE TABLE tabularium.events (
    position bigint   NOT NULL,
    version  integer  NOT NULL CHECK (version > 0),
    schema   smallint NOT NULL,
    draws    integer  NOT NULL,
    game     text     NOT NULL COLLATE "C",
    at       text     NOT NULL COLLATE "C",
    hash     bytea    NOT NULL,
    event    json     NOT NULL,
    cause    json,
    PRIMARY KEY (game, version)
) PARTITION BY HASH (game);

DO $$
BEGIN
    FOR number IN 0..7 LOOP
        EXECUTE format(
            'CREATE TABLE tabularium.events_%s PARTITION OF tabularium.events FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
            number, number
        );
    END LOOP;
END
$$;
CREATE INDEX events_by_position ON tabularium.events (position);

-- Where each game stands. One narrow row that every append changes; room is left so that it changes in place.
CREATE TABLE tabularium.heads (
    game    text    PRIMARY KEY COLLATE "C",
    version integer NOT NULL CHECK (version > 0),
    changed text    NOT NULL COLLATE "C"
) WITH (fillfactor = 50);

-- The index of games: what does not change with every event. `seats` is {seat: account or null}, in order of play.
CREATE TABLE tabularium.games (
    number          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game            text    NOT NULL UNIQUE COLLATE "C",
    title           text    NOT NULL,
    ruleset         text    NOT NULL COLLATE "C",
    ruleset_version integer NOT NULL,
    status          text    NOT NULL COLLATE "C",
    organizer       text    NOT NULL COLLATE "C",
    seats           json    NOT NULL,
    created         text    NOT NULL COLLATE "C",
    board           text    NOT NULL COLLATE "C"
);
CREATE INDEX games_by_status ON tabularium.games (status, number);

CREATE TABLE tabularium.seated (
    player text NOT NULL COLLATE "C",
    game   text NOT NULL COLLATE "C",
    PRIMARY KEY (player, game)
);
CREATE INDEX seated_by_game ON tabularium.seated (game);

CREATE TABLE tabularium.boards (
    digest text PRIMARY KEY COLLATE "C",
    file   json NOT NULL
);

-- Idempotency keys, hashed, with the answer that a repetition gets.
CREATE TABLE tabularium.keys (
    game        text  NOT NULL COLLATE "C",
    account     text  NOT NULL COLLATE "C",
    key         text  NOT NULL COLLATE "C",
    fingerprint bytea NOT NULL,
    answer      bytea NOT NULL,
    PRIMARY KEY (game, account, key)
);

-- Hidden: what a commitment in the log stands for, and from what each game's chance is derived.
CREATE TABLE tabularium.secrets (
    number     bigint GENERATED ALWAYS AS IDENTITY,
    game       text   NOT NULL COLLATE "C",
    commitment text   NOT NULL COLLATE "C",
    salt       text   NOT NULL COLLATE "C",
    readers    json   NOT NULL,
    value      json   NOT NULL,
    PRIMARY KEY (game, commitment)
);

CREATE TABLE tabularium.chances (
    game   text  PRIMARY KEY COLLATE "C",
    chance bytea NOT NULL
);

-- Accounts. A name is here and nowhere else; of a token only its SHA-256 is kept.
CREATE TABLE tabularium.players (
    player  text PRIMARY KEY COLLATE "C",
    name    text NOT NULL,
    created text NOT NULL COLLATE "C"
);

CREATE TABLE tabularium.tokens (
    hash   bytea PRIMARY KEY,
    player text  NOT NULL COLLATE "C" REFERENCES tabularium.players
);
CREATE INDEX tokens_by_player ON tabularium.tokens (player);
