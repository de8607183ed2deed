-- Positions of long games, so that their logs need not be folded from the start: of each game the newest. They may be
-- deleted at any time, and are not believed when they do not match the log. `body` holds nothing that is hidden;
-- `seal` is an HMAC of it under the secret of the game's chance.

CREATE TABLE tabularium.snapshots (
    game            text    PRIMARY KEY COLLATE "C",
    version         integer NOT NULL CHECK (version > 0),
    ruleset         text    NOT NULL COLLATE "C",
    ruleset_version integer NOT NULL,
    body            json    NOT NULL,
    seal            bytea   NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.snapshots TO tabularium_service;
