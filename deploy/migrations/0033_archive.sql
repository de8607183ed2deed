-- What is over and old: records of games, packed (`service/store/segments.py`). An event is deleted only when a segment has
-- it; a segment and its dictionary never are. The owner does that, by `tabularium archive`: the service still only adds.

CREATE TABLE tabularium.dictionaries (
    number bigint PRIMARY KEY,
    file   bytea  NOT NULL
);

CREATE TABLE tabularium.segments (
    book       smallint NOT NULL,
    game       text     NOT NULL COLLATE "C",
    version    integer  NOT NULL,
    after      integer  NOT NULL CHECK (after < version),
    first      bigint   NOT NULL,
    last       bigint   NOT NULL,
    span       smallint NOT NULL,
    previous   bytea    NOT NULL,
    hash       bytea    NOT NULL,
    dictionary bigint   NOT NULL,
    content    bytea    NOT NULL,
    PRIMARY KEY (book, game, version)
);
-- It is compressed already.
ALTER TABLE tabularium.segments ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX segments_by_first ON tabularium.segments (book, span, first);
CREATE INDEX segments_by_last ON tabularium.segments (book, last);

CREATE FUNCTION tabularium.refuse_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM tabularium.segments AS s
        WHERE s.book = OLD.book AND s.game = OLD.game AND s.version >= OLD.version AND s.after < OLD.version
    ) THEN
        RAISE 'the rows of % are never changed and never deleted', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN OLD;
END
$$;
DROP TRIGGER log_stays ON tabularium.log;
CREATE TRIGGER log_stays BEFORE UPDATE ON tabularium.log
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER log_remains BEFORE DELETE ON tabularium.log
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_loss();

CREATE TRIGGER segments_stay BEFORE UPDATE OR DELETE ON tabularium.segments
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.segments EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER dictionaries_stay BEFORE UPDATE OR DELETE ON tabularium.dictionaries
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.dictionaries EXECUTE FUNCTION tabularium.refuse_change();

REVOKE ALL ON FUNCTION tabularium.refuse_loss FROM PUBLIC;
GRANT SELECT ON tabularium.segments, tabularium.dictionaries TO tabularium_service;
