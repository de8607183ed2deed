-- Games that other services recorded (TAB-IMP): their exports, and what was found when they were verified. They are no
-- streams of this service, so they have no book, and are kept where accounts are.

CREATE TABLE tabularium.imports (
    place       bigint  GENERATED ALWAYS AS IDENTITY,
    -- Follows from the export and the key of its issuer, so the same export is the same import.
    import      text    PRIMARY KEY COLLATE "C",
    player      text    NOT NULL COLLATE "C" REFERENCES tabularium.players,
    imported    text    NOT NULL COLLATE "C",
    ruleset     text    NOT NULL COLLATE "C",
    -- What was found, as JSON.
    found       text    NOT NULL,
    certificate text    NOT NULL,
    policy      text    NOT NULL,
    -- The export: its length, and its bytes compressed by zstandard.
    size        integer NOT NULL,
    content     bytea   NOT NULL
);
CREATE INDEX imports_by_place ON tabularium.imports (place);
CREATE INDEX imports_by_player ON tabularium.imports (player, place);
CREATE INDEX imports_by_ruleset ON tabularium.imports (ruleset, place);

GRANT SELECT, INSERT, DELETE ON tabularium.imports TO tabularium_service;
GRANT USAGE ON SEQUENCE tabularium.imports_place_seq TO tabularium_service;
