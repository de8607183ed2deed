-- Games that only those who know of them find, and links that seat somebody.

CREATE TABLE tabularium.unlisted (
    -- No reference: it is here before the game is, so that no list shows the game in between.
    game text PRIMARY KEY COLLATE "C"
);

CREATE TABLE tabularium.invitations (
    number     bigint GENERATED ALWAYS AS IDENTITY,
    invitation text   PRIMARY KEY COLLATE "C",
    game       text   NOT NULL COLLATE "C" REFERENCES tabularium.games (game),
    -- SHA-256 of its value, which is kept nowhere.
    hash       bytea  NOT NULL UNIQUE,
    created    text   NOT NULL COLLATE "C",
    revoked    text   COLLATE "C",
    -- The hash of the idempotency key that made it, and what its value follows from together with that key.
    key        text   UNIQUE COLLATE "C",
    nonce      bytea
);
CREATE INDEX invitations_by_game ON tabularium.invitations (game, number);

GRANT SELECT, INSERT, DELETE ON tabularium.unlisted TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.invitations TO tabularium_service;
GRANT UPDATE (revoked) ON tabularium.invitations TO tabularium_service;
