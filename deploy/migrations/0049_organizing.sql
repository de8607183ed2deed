-- Organizing many games: whom an account lets seat it, and games that were asked for together. Kept with accounts.

CREATE TABLE tabularium.consents (
    player    text NOT NULL COLLATE "C" REFERENCES tabularium.players,
    organizer text NOT NULL COLLATE "C" REFERENCES tabularium.players,
    given     text NOT NULL COLLATE "C",
    PRIMARY KEY (player, organizer)
);

CREATE TABLE tabularium.bulks (
    bulk        text    PRIMARY KEY COLLATE "C",
    organizer   text    NOT NULL COLLATE "C" REFERENCES tabularium.players,
    made_by     text    NOT NULL UNIQUE COLLATE "C",
    fingerprint bytea   NOT NULL,
    created     text    NOT NULL COLLATE "C",
    games       integer NOT NULL,
    cancelled   text    NOT NULL COLLATE "C",
    changes     integer NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX bulks_by_organizer ON tabularium.bulks (organizer, created);
CREATE INDEX bulks_by_age ON tabularium.bulks (created);

CREATE TABLE tabularium.bulk_games (
    bulk      text    NOT NULL COLLATE "C",
    number    integer NOT NULL,
    wish      text    NOT NULL,
    title     text    NOT NULL,
    starts_at text    NOT NULL COLLATE "C",
    status    text    NOT NULL,
    game      text    NOT NULL COLLATE "C",
    why       text    NOT NULL,
    due       text    NOT NULL COLLATE "C",
    changed   integer NOT NULL,
    PRIMARY KEY (bulk, number)
) WITH (fillfactor = 70);
CREATE INDEX bulk_games_by_due ON tabularium.bulk_games (due) WHERE status IN ('queued', 'open', 'waiting');

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.consents, tabularium.bulks, tabularium.bulk_games
    TO tabularium_service;
