-- Leagues: their events are in the log, as those of a tournament are, and go through append(). This is their index.

CREATE TABLE tabularium.leagues (
    place     bigint   GENERATED ALWAYS AS IDENTITY,
    book      smallint NOT NULL,
    stream    text     NOT NULL COLLATE "C",
    title     text     NOT NULL,
    status    text     NOT NULL COLLATE "C",
    organizer text     NOT NULL COLLATE "C",
    divisions integer  NOT NULL,
    seasons   integer  NOT NULL,
    version   integer  NOT NULL CHECK (version > 0),
    created   text     NOT NULL COLLATE "C",
    changed   text     NOT NULL COLLATE "C",
    PRIMARY KEY (book, stream)
);
CREATE INDEX leagues_by_place ON tabularium.leagues (place);
CREATE INDEX leagues_by_organizer ON tabularium.leagues (organizer, place);

CREATE TRIGGER leagues_remain BEFORE DELETE ON tabularium.leagues
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.leagues EXECUTE FUNCTION tabularium.refuse_change();

GRANT SELECT, INSERT, UPDATE (status, divisions, seasons, version, changed) ON tabularium.leagues TO tabularium_service;
GRANT USAGE ON SEQUENCE tabularium.leagues_place_seq TO tabularium_service;

CREATE VIEW tabularium.v_leagues AS
SELECT stream                 AS league,
       title,
       status,
       organizer,
       divisions,
       seasons,
       version,
       created::timestamptz   AS created,
       changed::timestamptz   AS changed
FROM tabularium.leagues;

COMMENT ON VIEW tabularium.v_leagues IS 'Leagues, one row each. Their events are in v_events, with the id of the league as game.';
COMMENT ON COLUMN tabularium.v_leagues.status IS 'running while a season runs, resting otherwise.';
COMMENT ON COLUMN tabularium.v_leagues.organizer IS 'The account that founded it.';
COMMENT ON COLUMN tabularium.v_leagues.seasons IS 'How many seasons have begun.';

GRANT SELECT ON tabularium.v_leagues TO tabularium_auditor;
