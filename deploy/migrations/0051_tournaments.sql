-- Tournaments: their events are in the log, as those of a game are, and go through append(). This is their index, and the
-- seeds that their lots come from, which are as secret as the chances of games.

CREATE TABLE tabularium.tournaments (
    place     bigint   GENERATED ALWAYS AS IDENTITY,
    book      smallint NOT NULL,
    stream    text     NOT NULL COLLATE "C",
    title     text     NOT NULL,
    ruleset   text     NOT NULL COLLATE "C",
    status    text     NOT NULL COLLATE "C",
    organizer text     NOT NULL COLLATE "C",
    entrants  integer  NOT NULL,
    rounds    integer  NOT NULL,
    version   integer  NOT NULL CHECK (version > 0),
    created   text     NOT NULL COLLATE "C",
    changed   text     NOT NULL COLLATE "C",
    PRIMARY KEY (book, stream)
);
CREATE INDEX tournaments_by_place ON tabularium.tournaments (place);
CREATE INDEX tournaments_by_status ON tabularium.tournaments (status, place);
CREATE INDEX tournaments_by_organizer ON tabularium.tournaments (organizer, place);

CREATE TABLE tabularium.seeds (
    book   smallint NOT NULL,
    stream text     NOT NULL COLLATE "C",
    seed   bytea    NOT NULL,
    PRIMARY KEY (book, stream)
);

CREATE TRIGGER tournaments_remain BEFORE DELETE ON tabularium.tournaments
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.tournaments EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER seeds_stay BEFORE UPDATE OR DELETE ON tabularium.seeds
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.seeds EXECUTE FUNCTION tabularium.refuse_change();

GRANT SELECT, INSERT, UPDATE (status, ruleset, entrants, rounds, version, changed) ON tabularium.tournaments
    TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.seeds TO tabularium_service;
GRANT USAGE ON SEQUENCE tabularium.tournaments_place_seq TO tabularium_service;

CREATE VIEW tabularium.v_tournaments AS
SELECT stream                 AS tournament,
       title,
       ruleset,
       status,
       organizer,
       entrants,
       rounds,
       version,
       created::timestamptz   AS created,
       changed::timestamptz   AS changed
FROM tabularium.tournaments;

COMMENT ON VIEW tabularium.v_tournaments IS 'Tournaments, one row each. Their events are in v_events, with the id of the tournament as game.';
COMMENT ON COLUMN tabularium.v_tournaments.status IS 'open, running, closed or cancelled.';
COMMENT ON COLUMN tabularium.v_tournaments.organizer IS 'The account that announced it.';
COMMENT ON COLUMN tabularium.v_tournaments.entrants IS 'How many players have entered, those who left included.';
COMMENT ON COLUMN tabularium.v_tournaments.rounds IS 'How many rounds have been published and not cancelled.';

GRANT SELECT ON tabularium.v_tournaments TO tabularium_auditor;
