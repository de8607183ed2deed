-- The rows of projections: what is read beside the log, and can be folded anew from it. The service makes and drops
-- the tables of the rows' generations itself (`lobby_3_games`), in a schema where it may do so and where nothing else is.

CREATE SCHEMA tabularium_rows;

-- The checkpoints. `position` is the cursor of the log after the last event folded, empty before the first.
CREATE TABLE tabularium_rows.projections (
    projection      text   NOT NULL COLLATE "C",
    number          bigint NOT NULL,
    version         bigint NOT NULL,
    live            bigint NOT NULL,
    position        text   NOT NULL,
    events          bigint NOT NULL,
    trouble_game    text   NOT NULL,
    trouble_version bigint NOT NULL,
    trouble         text   NOT NULL,
    PRIMARY KEY (projection, number)
) WITH (fillfactor = 50);

-- Which process folds, until when. Others may take over after that.
CREATE TABLE tabularium_rows.leases (
    name   text        PRIMARY KEY,
    holder text        NOT NULL,
    until  timestamptz NOT NULL
) WITH (fillfactor = 50);

-- How often each rule has refused a command. No fold of the log: a refusal leaves no event.
CREATE TABLE tabularium_rows.refusals (
    ruleset text   NOT NULL COLLATE "C",
    rule    text   NOT NULL COLLATE "C",
    times   bigint NOT NULL,
    PRIMARY KEY (ruleset, rule)
);

GRANT USAGE, CREATE ON SCHEMA tabularium_rows TO tabularium_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium_rows.projections, tabularium_rows.leases TO tabularium_service;
GRANT SELECT, INSERT, UPDATE ON tabularium_rows.refusals TO tabularium_service;
