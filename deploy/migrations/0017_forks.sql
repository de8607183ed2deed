-- Forks: which games began with the position of another one. Their events are in the log, as those of other games are, and
-- go through append(); this is their index.

CREATE TABLE tabularium.forks (
    game    text    PRIMARY KEY COLLATE "C",
    parent  text    NOT NULL COLLATE "C",
    version integer NOT NULL CHECK (version > 0),
    purpose text    NOT NULL COLLATE "C",
    withheld text COLLATE "C"
);
CREATE INDEX forks_by_parent ON tabularium.forks (parent);
CREATE INDEX forks_withheld ON tabularium.forks (withheld) WHERE withheld IS NOT NULL;

CREATE TRIGGER forks_remain BEFORE UPDATE OR DELETE ON tabularium.forks
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.forks EXECUTE FUNCTION tabularium.refuse_change();

GRANT SELECT, INSERT ON tabularium.forks TO tabularium_service;

CREATE VIEW tabularium.v_forks AS SELECT game, parent, version, purpose, withheld FROM tabularium.forks;

COMMENT ON VIEW tabularium.v_forks IS 'Games that began with the position of another one, one row each. They are in v_games, too.';
COMMENT ON COLUMN tabularium.v_forks.parent IS 'The game that it forks from.';
COMMENT ON COLUMN tabularium.v_forks.version IS 'The version of the parent at whose position it began.';
COMMENT ON COLUMN tabularium.v_forks.purpose IS 'analysis or continuation.';
COMMENT ON COLUMN tabularium.v_forks.withheld IS 'The game until whose end only its officials are shown the fork; null when everybody is.';

GRANT SELECT ON tabularium.v_forks TO tabularium_auditor;
