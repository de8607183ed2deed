-- Cases: disputes about games. The events of a case are in the log, as those of a game are, and go through append(); this
-- is their index, the rules that they cite, and what the parties wrote, which alone may be erased.

CREATE TABLE tabularium.cases (
    place   bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stream  text    NOT NULL UNIQUE COLLATE "C",
    game    text    NOT NULL COLLATE "C",
    number  integer NOT NULL CHECK (number > 0),
    status  text    NOT NULL COLLATE "C",
    kind    text    NOT NULL COLLATE "C",
    about   integer NOT NULL,
    matter  text    NOT NULL COLLATE "C",
    player  text    NOT NULL COLLATE "C",
    seat    text    COLLATE "C",
    rules   json    NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    created text    NOT NULL COLLATE "C",
    changed text    NOT NULL COLLATE "C",
    UNIQUE (game, number)
);
CREATE INDEX cases_by_status ON tabularium.cases (status, place);

CREATE TABLE tabularium.cited (
    rule   text NOT NULL COLLATE "C",
    stream text NOT NULL COLLATE "C",
    PRIMARY KEY (rule, stream)
);

-- `salt` and `written` are null once they were erased: at `erased`, by the account `eraser`.
CREATE TABLE tabularium.statements (
    stream  text    NOT NULL COLLATE "C",
    version integer NOT NULL,
    salt    text,
    written text,
    erased  text    COLLATE "C",
    eraser  text    COLLATE "C",
    PRIMARY KEY (stream, version)
);

CREATE TRIGGER cases_remain BEFORE DELETE ON tabularium.cases
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER statements_remain BEFORE DELETE ON tabularium.statements
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER statements_stay BEFORE UPDATE ON tabularium.statements
    FOR EACH ROW WHEN (NEW.salt IS NOT NULL OR NEW.written IS NOT NULL) EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.cases EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.statements EXECUTE FUNCTION tabularium.refuse_change();

GRANT SELECT, INSERT, UPDATE (status, rules, version, changed) ON tabularium.cases TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.cited TO tabularium_service;
GRANT SELECT, INSERT, UPDATE (salt, written, erased, eraser) ON tabularium.statements TO tabularium_service;

CREATE VIEW tabularium.v_cases AS
SELECT stream                 AS "case",
       game,
       number,
       status,
       kind,
       about,
       player,
       seat,
       rules,
       version,
       created::timestamptz   AS created,
       changed::timestamptz   AS changed
FROM tabularium.cases;

COMMENT ON VIEW tabularium.v_cases IS 'Disputes about games, one row each. Their events are in v_events, with the id of the case as game.';
COMMENT ON COLUMN tabularium.v_cases.number IS '1, 2, 3 … among the cases of the game, without gaps.';
COMMENT ON COLUMN tabularium.v_cases.status IS 'open, withdrawn, settled, ruled, appealed or final.';
COMMENT ON COLUMN tabularium.v_cases.about IS 'The version of the game that it is about.';
COMMENT ON COLUMN tabularium.v_cases.player IS 'The account that opened it.';
COMMENT ON COLUMN tabularium.v_cases.seat IS 'The seat that it acted for; null for an official.';
COMMENT ON COLUMN tabularium.v_cases.rules IS 'The rules that the case and its rulings cite.';

GRANT SELECT ON tabularium.v_cases TO tabularium_auditor;
