-- A database may keep some of the books alone: the others are on other servers (`TABULARIUM_BOOK_SERVERS`), and their rows
-- are missing from `tabularium.books`. So append() refuses every stream of such a book, also in a batch with others.

-- Change one passage of a function, whatever else was changed in it before.
CREATE FUNCTION tabularium.reword(named regproc, before text, after text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    text text := pg_get_functiondef(named);
BEGIN
    IF position(before IN text) = 0 THEN
        RAISE 'function % does not have the passage %', named, before;
    END IF;
    EXECUTE replace(text, before, after);
END
$$;

SELECT tabularium.reword(
    'tabularium.append_one',
    $$RAISE 'tabularium.books has no rows: restore it' USING ERRCODE = 'data_corrupted';$$,
    $$RAISE 'book % is not kept here: TABULARIUM_BOOK_SERVERS says where', mine
            USING ERRCODE = 'object_not_in_prerequisite_state';$$
);

SELECT tabularium.reword(
    'tabularium.append',
    $$IF counts IS NULL AND cardinality(commands) > 0 THEN
        RAISE 'tabularium.books has no rows: restore it' USING ERRCODE = 'data_corrupted';$$,
    $$IF EXISTS (SELECT FROM unnest(commands) AS c WHERE tabularium.book_of(c.game) <> ALL (coalesce(mine, '{}'))) THEN
        RAISE 'book % is not kept here: TABULARIUM_BOOK_SERVERS says where', (
            SELECT tabularium.book_of(c.game) FROM unnest(commands) AS c
            WHERE tabularium.book_of(c.game) <> ALL (coalesce(mine, '{}')) LIMIT 1
        ) USING ERRCODE = 'object_not_in_prerequisite_state';$$
);

DROP FUNCTION tabularium.reword(regproc, text, text);
