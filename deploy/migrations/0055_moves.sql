-- Books that move from one server to another while they are read and written (`service/store/postgres/moving.py`).

-- What this server has to do with a book that moves, or moved:
--   coming   it is being copied here, and is kept elsewhere
--   arrived  it is kept here since
--   leaving  nobody keeps it just now; `position` is where it stands
--   gone     it is kept elsewhere, and its rows are deleted here
--   left     it is kept elsewhere
CREATE TABLE tabularium.moves (
    number   smallint PRIMARY KEY, -- of the book
    state    text     NOT NULL CHECK (state IN ('coming', 'arrived', 'leaving', 'gone', 'left')),
    position bigint   NOT NULL
);
GRANT SELECT ON tabularium.moves TO tabularium_service;

-- Whether the rows of a book are kept on another server: only then may any of them be deleted here.
CREATE FUNCTION tabularium.is_elsewhere(of_book text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM tabularium.moves WHERE number = of_book::smallint AND state IN ('coming', 'gone')
    ) AND NOT EXISTS (SELECT FROM tabularium.books WHERE book = of_book::smallint)
$$;
REVOKE ALL ON FUNCTION tabularium.is_elsewhere FROM PUBLIC;
-- Triggers ask it as the role that changes something.
GRANT EXECUTE ON FUNCTION tabularium.is_elsewhere TO tabularium_service;

CREATE OR REPLACE FUNCTION tabularium.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A distributed log has all books, and its triggers are where `moves` is not.
    IF TG_OP = 'DELETE' AND to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
        IF tabularium.is_elsewhere(to_jsonb(OLD) ->> 'book') THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE 'the rows of % are never changed and never deleted', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE OR REPLACE FUNCTION tabularium.refuse_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tabularium.segments AS s
        WHERE s.book = OLD.book AND s.game = OLD.game AND s.version >= OLD.version AND s.after < OLD.version
    ) THEN
        RETURN OLD;
    ELSIF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
        IF tabularium.is_elsewhere(OLD.book::text) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE 'the rows of % are never changed and never deleted', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

-- Refuses what append() does not do, for a book that is not kept here any more. In place while a book leaves.
CREATE FUNCTION tabularium.refuse_left() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_book smallint := CASE TG_OP WHEN 'DELETE' THEN OLD.book ELSE NEW.book END;
BEGIN
    IF NOT EXISTS (SELECT FROM tabularium.books WHERE book = of_book)
        AND NOT (TG_OP = 'DELETE' AND tabularium.is_elsewhere(of_book::text))
    THEN
        RAISE 'book % is not kept here: TABULARIUM_BOOK_SERVERS says where', of_book
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;
REVOKE ALL ON FUNCTION tabularium.refuse_left FROM PUBLIC;
