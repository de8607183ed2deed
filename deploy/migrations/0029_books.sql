-- The log in books. Appends took one lock, which each held until its commit was on the disk. Now they lock the books of
-- their streams: in a book, positions follow the order of the commits, and two books never wait for each other.
--
-- The events move into a plain table with the book in its keys, in the steps of 0030 and 0031, while processes of the
-- release before go on reading and appending: they find a view where the table was. Until the books are opened, all
-- positions come from one order, under the one lock, because these processes read by it. `tabularium migrate --books`
-- opens them when no such process is left; in a database without events that is done at once.

-- The low six bits of the first byte of SHA-256, as `domain/kernel/ids.py` has it.
CREATE FUNCTION tabularium.book_of(stream text) RETURNS smallint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (get_byte(sha256(convert_to(stream, 'UTF8')), 0) & 63)::smallint;

-- The last position of each book. Room is left so that a row changes in place.
CREATE TABLE tabularium.books (
    book     smallint PRIMARY KEY CHECK (book BETWEEN 0 AND 63),
    position bigint   NOT NULL,
    -- Whether the book counts its own positions.
    open     boolean  NOT NULL DEFAULT FALSE
) WITH (fillfactor = 10);
INSERT INTO tabularium.books (book, position) SELECT generate_series(0, 63), 0;

-- `event` and `cause` are of type json, not jsonb: it keeps the text to the byte, and that text is what was hashed.
CREATE TABLE tabularium.log (
    position bigint   NOT NULL,
    version  integer  NOT NULL CHECK (version > 0),
    book     smallint NOT NULL,
    schema   smallint NOT NULL,
    draws    integer  NOT NULL,
    game     text     NOT NULL COLLATE "C",
    at       text     NOT NULL COLLATE "C",
    hash     bytea    NOT NULL,
    event    json     NOT NULL,
    cause    json,
    PRIMARY KEY (book, game, version),
    UNIQUE (book, position)
);
CREATE INDEX log_by_position ON tabularium.log (position);

CREATE TRIGGER log_stays BEFORE UPDATE OR DELETE ON tabularium.log
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.log EXECUTE FUNCTION tabularium.refuse_change();

-- Where the cursor of a tree has a position for each book, `position` is the smallest of them.
ALTER TABLE tabularium.trees ADD COLUMN reached text COLLATE "C";

REVOKE SELECT, INSERT ON tabularium.events FROM tabularium_service;
GRANT EXECUTE ON FUNCTION tabularium.book_of TO tabularium_service, tabularium_auditor;
GRANT SELECT, UPDATE (position) ON tabularium.books TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.log TO tabularium_service;

-- Up to which position events have moved.
ALTER TABLE tabularium.events RENAME TO events_before;
CREATE TABLE tabularium.moved (position bigint NOT NULL);
INSERT INTO tabularium.moved VALUES (0);

CREATE VIEW tabularium.events AS
SELECT position, version, schema, draws, game, at, hash, event, cause FROM tabularium.log
UNION ALL
SELECT b.position, b.version, b.schema, b.draws, b.game, b.at, b.hash, b.event, b.cause
FROM tabularium.events_before AS b
WHERE b.position > (SELECT m.position FROM tabularium.moved AS m);

DO $$
BEGIN
    GRANT SELECT, INSERT ON tabularium.events TO tabularium_service;
END
$$;

-- A call of append() that had begun before goes on as it began, and adds to what is a view by then.
CREATE FUNCTION tabularium.add_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tabularium.log (position, version, book, schema, draws, game, at, hash, event, cause)
    VALUES (
        NEW.position, NEW.version, tabularium.book_of(NEW.game), NEW.schema, NEW.draws, NEW.game, NEW.at, NEW.hash,
        NEW.event, NEW.cause
    );
    RETURN NEW;
END
$$;
CREATE TRIGGER added INSTEAD OF INSERT ON tabularium.events FOR EACH ROW EXECUTE FUNCTION tabularium.add_event();

-- Let the views for auditors read another table.
CREATE FUNCTION tabularium.turn_views(before text, now text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    view text;
BEGIN
    FOREACH view IN ARRAY ARRAY['v_events', 'v_commands', 'v_chain'] LOOP
        EXECUTE format(
            'CREATE OR REPLACE VIEW tabularium.%I AS %s', view,
            regexp_replace(pg_get_viewdef(format('tabularium.%I', view)::regclass), '\m' || before || '\M', now, 'g')
        );
    END LOOP;
END
$$;
SELECT tabularium.turn_views('events_before', 'events');

-- Moves the next events, and returns whether there were any.
CREATE FUNCTION tabularium.move_events(most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    WITH next AS (
        SELECT * FROM tabularium.events_before
        WHERE position > (SELECT m.position FROM tabularium.moved AS m)
        ORDER BY position LIMIT most
    ), put AS (
        INSERT INTO tabularium.log (position, version, book, schema, draws, game, at, hash, event, cause)
        SELECT position, version, tabularium.book_of(game), schema, draws, game, at, hash, event, cause FROM next
        RETURNING position
    )
    SELECT max(position) INTO last FROM put;
    UPDATE tabularium.moved SET position = last WHERE last IS NOT NULL;
    RETURN last IS NOT NULL;
END
$$;

-- Lets each book count its own positions, from one above all that there are. A process of the release before then finds
-- no events any more: it says that the service is unavailable, where it would miss some.
CREATE FUNCTION tabularium.open_books() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    PERFORM FROM tabularium.books ORDER BY book FOR UPDATE;
    IF EXISTS (SELECT FROM tabularium.books WHERE open) THEN
        RETURN;
    END IF;
    SELECT coalesce(max(position), 0) INTO last FROM tabularium.log;
    UPDATE tabularium.books SET position = last, open = TRUE;
    DROP VIEW tabularium.events;
    DROP FUNCTION tabularium.add_event();
    DROP INDEX tabularium.log_by_position;
END
$$;

-- Appends a batch of accepted commands, at most one for each game, and answers each, in their order:
--   accepted   all of it is stored; `head` is the game's new version
--   repeated   its key was used before for the same request, which added the events from `after` + 1 to `version`
--   reused     its key was used before for another request
--   conflict   the game does not stand at the expected version but at `head`
-- Nothing is stored of a command that was not accepted.
--
-- The rows of the books are locked, those of several in their order, so that nobody waits in a circle. A row lock is given back only after
-- the commit can be seen, so whoever reads a book by position never finds, behind what it has read, an event that was
-- still under way. A waiter for the lock must then see what its predecessor committed: hence READ COMMITTED, in which
-- each statement looks anew.
--
-- The session of the caller decides how this is planned; `service/store/postgres/store.py` has it planned once, by keys
-- (measured: 0.4 ms a call in place of 1.4 ms). Settings of the function itself would cost a third of that again.
CREATE OR REPLACE FUNCTION tabularium.append(
    commands tabularium.command[],
    entries  tabularium.entry[],
    sealed   tabularium.hidden[],
    seatings tabularium.seating[],
    openings tabularium.opening[]
)
RETURNS TABLE (outcome text, head integer, answer bytea, after integer, version integer)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    outcomes text[];
    found_at integer[];
    answers  bytea[];
    afters   integer[];
    versions integer[];
    games    integer;
    whole    boolean;  -- whether every command was accepted, as is usual
    accepted text[];   -- otherwise: the games of those that were
    counts   boolean;  -- whether books count their own positions
    mine     smallint[];
    lasts    bigint[]; -- the positions of these books before
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE 'append() needs the isolation level READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF cardinality(commands) = 1 THEN
        -- Locks the row as well. When the command is refused, its positions stay unused.
        UPDATE tabularium.books AS b SET position = b.position + CASE WHEN b.open THEN cardinality(entries) ELSE 0 END
        WHERE b.book = tabularium.book_of(commands[1].game)
        RETURNING b.open, ARRAY[b.book], ARRAY[b.position - cardinality(entries)] INTO counts, mine, lasts;
    ELSE
        SELECT bool_and(b.open), array_agg(b.book), array_agg(b.position) INTO counts, mine, lasts
        FROM (
            SELECT book, position, open FROM tabularium.books
            WHERE book = ANY (ARRAY(SELECT tabularium.book_of(c.game) FROM unnest(commands) AS c))
            ORDER BY book
            FOR UPDATE
        ) AS b;
    END IF;
    IF counts IS NULL AND cardinality(commands) > 0 THEN
        RAISE 'tabularium.books has no rows: restore it' USING ERRCODE = 'data_corrupted';
    ELSIF NOT counts THEN
        PERFORM pg_advisory_xact_lock(x'54616275'::integer, 0);
    END IF;
    -- The key before the version, or the repetition of a success would be a conflict.
    SELECT array_agg(d.outcome ORDER BY d.n),
           array_agg(CASE d.outcome WHEN 'accepted' THEN d.version ELSE d.head END ORDER BY d.n),
           array_agg(d.answer ORDER BY d.n),
           array_agg(d.after ORDER BY d.n),
           array_agg(d.led_to ORDER BY d.n),
           count(DISTINCT d.game),
           bool_and(d.outcome = 'accepted'),
           array_agg(d.game) FILTER (WHERE d.outcome = 'accepted')
    INTO outcomes, found_at, answers, afters, versions, games, whole, accepted
    FROM (
        SELECT c.ordinality AS n, c.game, c.version, coalesce(h.version, 0) AS head,
               -- For a process of before: never null, which would tell it that its command was accepted.
               CASE WHEN k.key IS NOT NULL THEN coalesce(k.answer, '') END AS answer, k.after, k.version AS led_to,
               CASE WHEN k.fingerprint = c.fingerprint THEN 'repeated'
                    WHEN k.fingerprint IS NOT NULL THEN 'reused'
                    WHEN coalesce(h.version, 0) <> c.expected THEN 'conflict'
                    ELSE 'accepted'
               END AS outcome
        FROM unnest(commands) WITH ORDINALITY AS c
        LEFT JOIN tabularium.heads AS h ON h.game = c.game
        LEFT JOIN tabularium.keys AS k ON k.game = c.game AND k.account = c.account AND k.key = c.key
    ) AS d;
    IF games <> cardinality(commands) THEN
        RAISE 'a batch has at most one command for each game' USING ERRCODE = 'invalid_parameter_value';
    END IF;

    IF accepted IS NOT NULL THEN
        INSERT INTO tabularium.heads AS h (game, version, changed)
        SELECT c.game, c.version, c.at
        FROM unnest(commands) AS c
        WHERE whole OR c.game = ANY (accepted)
        ON CONFLICT (game) DO UPDATE SET version = excluded.version, changed = excluded.changed;

        INSERT INTO tabularium.log (book, position, game, version, event, schema, draws, at, cause, hash)
        SELECT e.book,
               CASE WHEN counts
                    THEN lasts[array_position(mine, e.book)]
                         + row_number() OVER (PARTITION BY e.book ORDER BY e.ordinality)
                    ELSE nextval('tabularium.positions')
               END,
               e.game, e.version, e.event, e.schema, e.draws, e.at, e.cause, e.hash
        FROM (
            SELECT u.*, tabularium.book_of(u.game) AS book FROM unnest(entries) WITH ORDINALITY AS u
            WHERE whole OR u.game = ANY (accepted)
            ORDER BY u.ordinality
        ) AS e;

        IF counts AND cardinality(commands) > 1 THEN
            UPDATE tabularium.books AS b SET position = b.position + e.added
            FROM (
                SELECT tabularium.book_of(u.game) AS book, count(*) AS added FROM unnest(entries) AS u
                WHERE whole OR u.game = ANY (accepted)
                GROUP BY 1
            ) AS e
            WHERE b.book = e.book;
        END IF;

        INSERT INTO tabularium.keys (game, account, key, fingerprint, answer, after, version, at)
        SELECT c.game, c.account, c.key, c.fingerprint, c.answer, c.expected, c.version, c.at::timestamptz
        FROM unnest(commands) AS c
        WHERE c.key IS NOT NULL AND (whole OR c.game = ANY (accepted));

        UPDATE tabularium.games AS g SET status = c.status
        FROM unnest(commands) AS c
        WHERE g.game = c.game AND g.status <> c.status AND (whole OR c.game = ANY (accepted));

        IF cardinality(openings) > 0 THEN
            INSERT INTO tabularium.boards (digest, file)
            SELECT o.board, o.board_file FROM unnest(openings) AS o WHERE whole OR o.game = ANY (accepted)
            ON CONFLICT (digest) DO NOTHING;

            INSERT INTO tabularium.games (game, title, ruleset, ruleset_version, status, organizer, seats, created, board)
            SELECT o.game, o.title, o.ruleset, o.ruleset_version, c.status, o.organizer, '{}', o.created, o.board
            FROM unnest(openings) WITH ORDINALITY AS o
            JOIN unnest(commands) AS c ON c.game = o.game
            WHERE whole OR o.game = ANY (accepted)
            ORDER BY o.ordinality;

            INSERT INTO tabularium.chances (game, chance)
            SELECT o.game, o.chance FROM unnest(openings) AS o WHERE whole OR o.game = ANY (accepted);
        END IF;

        IF cardinality(seatings) > 0 THEN
            UPDATE tabularium.games AS g SET seats = s.seats
            FROM unnest(seatings) AS s
            WHERE g.game = s.game AND (whole OR s.game = ANY (accepted));

            DELETE FROM tabularium.seated AS old
            USING unnest(seatings) AS s
            WHERE old.game = s.game AND (whole OR s.game = ANY (accepted));

            INSERT INTO tabularium.seated (player, game)
            SELECT DISTINCT held.value, s.game
            FROM unnest(seatings) AS s, json_each_text(s.seats) AS held
            WHERE held.value IS NOT NULL AND (whole OR s.game = ANY (accepted));
        END IF;

        IF cardinality(sealed) > 0 THEN
            INSERT INTO tabularium.secrets (game, commitment, readers, salt, value)
            SELECT s.game, s.commitment, s.readers, s.salt, s.value
            FROM unnest(sealed) WITH ORDINALITY AS s
            WHERE whole OR s.game = ANY (accepted)
            ORDER BY s.ordinality;
        END IF;
    END IF;

    RETURN QUERY SELECT * FROM unnest(outcomes, found_at, answers, afters, versions);
END
$$;
