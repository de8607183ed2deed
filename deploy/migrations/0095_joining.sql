-- Accounts of one person that were joined (TAB-JOIN), and the codes that ask for it.

-- The account with which one was joined; null for every other one.
ALTER TABLE tabularium.players ADD COLUMN joined text COLLATE "C" REFERENCES tabularium.players;
CREATE INDEX players_by_joined ON tabularium.players (joined) WHERE joined IS NOT NULL;

-- What happened: `account` was joined with `kept`. Both sessions confirmed it.
CREATE TABLE tabularium.joinings (
    account      text PRIMARY KEY COLLATE "C" REFERENCES tabularium.players,
    kept         text NOT NULL COLLATE "C" REFERENCES tabularium.players,
    at           text NOT NULL COLLATE "C",
    asked_by     text NOT NULL COLLATE "C",
    confirmed_by text NOT NULL COLLATE "C"
);
CREATE INDEX joinings_by_kept ON tabularium.joinings (kept, at);
CREATE TRIGGER joinings_stay BEFORE UPDATE OR DELETE ON tabularium.joinings
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.joinings EXECUTE FUNCTION tabularium.refuse_change();

-- Of a code the SHA-256 is kept. `player` asked for it; `account` came with it, and is being joined.
CREATE TABLE tabularium.joining_codes (
    hash     bytea PRIMARY KEY,
    player   text  NOT NULL UNIQUE COLLATE "C" REFERENCES tabularium.players,
    asked_by text  NOT NULL COLLATE "C",
    ends     text  NOT NULL COLLATE "C",
    account  text  COLLATE "C"
);
CREATE INDEX joining_codes_by_end ON tabularium.joining_codes (ends);

GRANT UPDATE (joined) ON tabularium.players TO tabularium_service;
GRANT UPDATE (player) ON tabularium.identities, tabularium.imports TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.joinings TO tabularium_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.joining_codes TO tabularium_service;
