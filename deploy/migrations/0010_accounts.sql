-- What accounts may do, and several tokens for each. A process of an older version goes on meanwhile: what it does not
-- know of has defaults. But it takes a revoked token, so replace it soon.

ALTER TABLE tabularium.players
    -- Separated by blanks: what its tokens may do at most.
    ADD COLUMN scopes text NOT NULL DEFAULT 'account play organize',
    ADD COLUMN closed text COLLATE "C";

ALTER TABLE tabularium.tokens
    ADD COLUMN number  bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN token   text   NOT NULL UNIQUE COLLATE "C" DEFAULT 't' || replace(gen_random_uuid()::text, '-', ''),
    ADD COLUMN name    text   NOT NULL DEFAULT 'registration',
    ADD COLUMN scopes  text   NOT NULL DEFAULT 'account play organize',
    ADD COLUMN created text   NOT NULL COLLATE "C"
        DEFAULT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    ADD COLUMN expires text   COLLATE "C",
    -- When it ends because it was replaced.
    ADD COLUMN retires text   COLLATE "C",
    ADD COLUMN revoked text   COLLATE "C",
    -- When it was last used, to the minute.
    ADD COLUMN used    text   COLLATE "C";

UPDATE tabularium.tokens AS t SET created = p.created FROM tabularium.players AS p WHERE p.player = t.player;

-- Accounts of people whom another issuer (OIDC) knows, by what it calls them.
CREATE TABLE tabularium.identities (
    issuer  text NOT NULL COLLATE "C",
    subject text NOT NULL COLLATE "C",
    player  text NOT NULL COLLATE "C" REFERENCES tabularium.players,
    PRIMARY KEY (issuer, subject)
);

GRANT UPDATE (scopes, closed) ON tabularium.players TO tabularium_service;
GRANT UPDATE (retires, revoked, used) ON tabularium.tokens TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.identities TO tabularium_service;
