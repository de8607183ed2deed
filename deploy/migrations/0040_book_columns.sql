-- The book of its stream in every table about one, so that these tables can be spread over machines by it, together with
-- the log. In the steps of 0041 to 0043, while processes of the release before go on reading and writing. They name no
-- book, so triggers fill it in for them; the keys by which they look things up stay until the books are opened.
--
-- `invitations` are not among these tables: who follows a link knows no game, so they are kept where accounts are.

CREATE TABLE tabularium.unfilled (
    name text   PRIMARY KEY,
    id   text   NOT NULL, -- the column with the stream
    page bigint NOT NULL DEFAULT 0
);
INSERT INTO tabularium.unfilled (name, id) VALUES
    ('heads', 'game'), ('games', 'game'), ('seated', 'game'), ('keys', 'game'), ('secrets', 'game'),
    ('chances', 'game'), ('snapshots', 'game'), ('forks', 'game'), ('unlisted', 'game'), ('private', 'game'),
    ('cases', 'stream'), ('cited', 'stream'), ('rulings', 'stream'), ('statements', 'stream');

CREATE FUNCTION tabularium.fill_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.book := tabularium.book_of(to_jsonb(NEW) ->> TG_ARGV[0]);
    RETURN NEW;
END
$$;
-- What a precedent is about stands in its case.
CREATE FUNCTION tabularium.fill_precedent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT tabularium.book_of(c.stream) INTO NEW.book FROM tabularium.cases AS c WHERE c.place = NEW.place;
    RETURN NEW;
END
$$;

-- An append looks at the books first, and who adds a precedent at those before its case. So they wait here, before they
-- hold what this waits for.
LOCK TABLE tabularium.books, tabularium.precedents IN ACCESS EXCLUSIVE MODE;

-- Rows that are never changed get their book all the same, and nothing else.
DROP TRIGGER secrets_stay ON tabularium.secrets;
DROP TRIGGER chances_stay ON tabularium.chances;
DROP TRIGGER forks_remain ON tabularium.forks;
DROP TRIGGER private_remain ON tabularium.private;
DROP TRIGGER statements_stay ON tabularium.statements;

DO $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT name, id FROM tabularium.unfilled LOOP
        EXECUTE format('ALTER TABLE tabularium.%I ADD COLUMN book smallint', t.name);
        EXECUTE format('ALTER TABLE tabularium.%I ADD CONSTRAINT in_a_book CHECK (book IS NOT NULL) NOT VALID', t.name);
        EXECUTE format(
            'CREATE TRIGGER book_before BEFORE INSERT OR UPDATE ON tabularium.%I FOR EACH ROW WHEN (NEW.book IS NULL)'
            ' EXECUTE FUNCTION tabularium.fill_book(%L)',
            t.name, t.id
        );
    END LOOP;
    FOR t IN SELECT unnest(ARRAY['secrets', 'chances', 'forks', 'private']) AS name LOOP
        EXECUTE format(
            'CREATE TRIGGER %s_remain BEFORE DELETE ON tabularium.%I'
            ' FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change()',
            t.name, t.name
        );
        EXECUTE format(
            'CREATE TRIGGER %s_stay BEFORE UPDATE ON tabularium.%I FOR EACH ROW'
            ' WHEN (OLD.book IS NOT NULL OR to_jsonb(NEW) - ''book'' <> to_jsonb(OLD) - ''book'')'
            ' EXECUTE FUNCTION tabularium.refuse_change()',
            t.name, t.name
        );
    END LOOP;
END
$$;
CREATE TRIGGER statements_stay BEFORE UPDATE ON tabularium.statements FOR EACH ROW
    WHEN (
        (NEW.salt IS NOT NULL OR NEW.written IS NOT NULL)
        AND (OLD.book IS NOT NULL OR to_jsonb(NEW) - 'book' <> to_jsonb(OLD) - 'book')
    )
    EXECUTE FUNCTION tabularium.refuse_change();
ALTER TABLE tabularium.precedents ADD COLUMN book smallint;
ALTER TABLE tabularium.precedents ADD CONSTRAINT in_a_book CHECK (book IS NOT NULL) NOT VALID;
CREATE TRIGGER book_before BEFORE INSERT OR UPDATE ON tabularium.precedents FOR EACH ROW WHEN (NEW.book IS NULL)
    EXECUTE FUNCTION tabularium.fill_precedent();
INSERT INTO tabularium.unfilled (name, id) VALUES ('precedents', '');

ALTER TABLE tabularium.invitations DROP CONSTRAINT invitations_game_fkey;

-- Fills in the book on the next pages of a table, and returns whether any are left. A row that is changed meanwhile, and
-- so may be on a page that was passed, gets its book by that change.
CREATE FUNCTION tabularium.fill_books(most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    next record;
BEGIN
    SELECT u.name, u.page INTO next FROM tabularium.unfilled AS u ORDER BY u.name LIMIT 1;
    IF next IS NULL THEN
        RETURN FALSE;
    END IF;
    -- The trigger knows which.
    EXECUTE format(
        'UPDATE tabularium.%I SET book = NULL WHERE book IS NULL AND ctid >= %L AND ctid < %L',
        next.name, format('(%s,0)', next.page), format('(%s,0)', next.page + most)
    );
    IF (next.page + most) * current_setting('block_size')::bigint
        >= pg_relation_size(format('tabularium.%I', next.name)::regclass)
    THEN
        DELETE FROM tabularium.unfilled AS u WHERE u.name = next.name;
    ELSE
        UPDATE tabularium.unfilled AS u SET page = u.page + most WHERE u.name = next.name;
    END IF;
    RETURN TRUE;
END
$$;
