-- Every row about a stream has its book now: append() names it, and it gets into the primary keys when no process of the
-- release before is left, which looks up by other keys. In a database whose books are open, that is at once.

DROP FUNCTION tabularium.fill_books(integer);
DROP TABLE tabularium.unfilled;

CREATE FUNCTION tabularium.key_by_books() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    -- As in 0040: so that nobody waits for this and holds what this waits for.
    LOCK TABLE tabularium.books, tabularium.precedents IN ACCESS EXCLUSIVE MODE;
    FOREACH name IN ARRAY ARRAY[
        'heads', 'games', 'seated', 'keys', 'secrets', 'chances', 'snapshots', 'forks', 'unlisted', 'private', 'cases',
        'cited', 'rulings', 'statements', 'precedents'
    ] LOOP
        -- The constraint proves what SET NOT NULL would otherwise read the whole table for.
        EXECUTE format('ALTER TABLE tabularium.%I ALTER COLUMN book SET NOT NULL', name);
        EXECUTE format('ALTER TABLE tabularium.%I DROP CONSTRAINT in_a_book, DROP CONSTRAINT %I', name, name || '_pkey');
        EXECUTE format(
            'ALTER TABLE tabularium.%I ADD CONSTRAINT %I PRIMARY KEY USING INDEX %I', name, name || '_pkey', name || '_book'
        );
        EXECUTE format('DROP TRIGGER book_before ON tabularium.%I', name);
    END LOOP;
    ALTER TABLE tabularium.games DROP CONSTRAINT games_game_key;
    ALTER TABLE tabularium.cases DROP CONSTRAINT cases_stream_key, DROP CONSTRAINT cases_game_number_key;
    DROP INDEX tabularium.seated_by_game;
    FOREACH name IN ARRAY ARRAY['secrets', 'chances', 'forks', 'private'] LOOP
        EXECUTE format('DROP TRIGGER %I ON tabularium.%I', name || '_remain', name);
        EXECUTE format('DROP TRIGGER %I ON tabularium.%I', name || '_stay', name);
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE UPDATE OR DELETE ON tabularium.%I'
            ' FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change()',
            name || '_stay', name
        );
    END LOOP;
    DROP TRIGGER statements_stay ON tabularium.statements;
    CREATE TRIGGER statements_stay BEFORE UPDATE ON tabularium.statements
        FOR EACH ROW WHEN (NEW.salt IS NOT NULL OR NEW.written IS NOT NULL) EXECUTE FUNCTION tabularium.refuse_change();
    DROP FUNCTION tabularium.fill_book();
    DROP FUNCTION tabularium.fill_precedent();
END
$$;

-- Lets each book count its own positions, from one above all that there are, and has the book in all keys. A process of
-- the release before then finds no events any more: it says that the service is unavailable, where it would miss some.
CREATE OR REPLACE FUNCTION tabularium.open_books() RETURNS void LANGUAGE plpgsql AS $$
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
    PERFORM tabularium.key_by_books();
END
$$;

REVOKE ALL ON FUNCTION tabularium.key_by_books FROM PUBLIC;
REVOKE ALL ON FUNCTION tabularium.fill_book FROM PUBLIC;
REVOKE ALL ON FUNCTION tabularium.fill_precedent FROM PUBLIC;

-- Appends one command that neither opens a game nor changes seats, as nearly all. Answers as append() does.
CREATE OR REPLACE FUNCTION tabularium.append_one(
    command tabularium.command, entries tabularium.entry[], sealed tabularium.hidden[]
)
RETURNS TABLE (outcome text, head integer, answer bytea, after integer, version integer)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    mine    smallint := tabularium.book_of(command.game);
    counts  boolean; -- whether the book counts its own positions
    last    bigint;  -- its position before
    stands  record;
    refused text;
BEGIN
    -- Locks the row as well.
    UPDATE tabularium.books AS b SET position = b.position + CASE WHEN b.open THEN cardinality(entries) ELSE 0 END
    WHERE b.book = mine
    RETURNING b.open, b.position - cardinality(entries) INTO counts, last;
    IF counts IS NULL THEN
        RAISE 'book % is not kept here: TABULARIUM_BOOK_SERVERS says where', mine
            USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF NOT counts THEN
        PERFORM pg_advisory_xact_lock(x'54616275'::integer, 0);
    END IF;
    SELECT h.version, g.status, k.fingerprint, k.answer, k.after, k.version AS led_to INTO stands
    FROM (VALUES (0)) AS one
    LEFT JOIN tabularium.heads AS h ON h.book = mine AND h.game = command.game
    LEFT JOIN tabularium.games AS g ON g.book = mine AND g.game = command.game
    LEFT JOIN tabularium.keys AS k
        ON k.book = mine AND k.game = command.game AND k.account = command.account AND k.key = command.key;
    refused := CASE
        WHEN stands.fingerprint = command.fingerprint THEN 'repeated'
        WHEN stands.fingerprint IS NOT NULL THEN 'reused'
        WHEN coalesce(stands.version, 0) <> command.expected THEN 'conflict'
    END;
    IF refused IS NOT NULL THEN
        UPDATE tabularium.books AS b SET position = last WHERE b.book = mine AND counts;
        RETURN QUERY SELECT refused, coalesce(stands.version, 0),
            -- For a process of before: never null, which would tell it that its command was accepted.
            CASE WHEN stands.fingerprint IS NOT NULL THEN coalesce(stands.answer, '') END, stands.after, stands.led_to;
        RETURN;
    END IF;

    IF command.expected = 0 THEN
        INSERT INTO tabularium.heads (book, game, version, changed)
        VALUES (mine, command.game, command.version, command.at);
    ELSE
        UPDATE tabularium.heads AS h SET version = command.version, changed = command.at
        WHERE h.book = mine AND h.game = command.game;
    END IF;
    INSERT INTO tabularium.log (book, position, game, version, event, schema, draws, at, cause, hash)
    SELECT mine, CASE WHEN counts THEN last + e.ordinality ELSE nextval('tabularium.positions') END,
           e.game, e.version, e.event, e.schema, e.draws, e.at, e.cause, e.hash
    FROM unnest(entries) WITH ORDINALITY AS e;
    IF command.key IS NOT NULL THEN
        INSERT INTO tabularium.keys (book, game, account, key, fingerprint, answer, after, version, at)
        VALUES (mine, command.game, command.account, command.key, command.fingerprint, command.answer,
                command.expected, command.version, command.at::timestamptz);
    END IF;
    IF stands.status <> command.status THEN
        UPDATE tabularium.games AS g SET status = command.status WHERE g.book = mine AND g.game = command.game;
    END IF;
    IF cardinality(sealed) > 0 THEN
        INSERT INTO tabularium.secrets (book, game, commitment, readers, salt, value)
        SELECT mine, s.game, s.commitment, s.readers, s.salt, s.value
        FROM unnest(sealed) WITH ORDINALITY AS s
        ORDER BY s.ordinality;
    END IF;
    RETURN QUERY SELECT 'accepted', command.version, NULL::bytea, NULL::integer, NULL::integer;
END
$$;
REVOKE ALL ON FUNCTION tabularium.append_one FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tabularium.append_one TO tabularium_service;

-- Appends a batch of accepted commands, at most one for each game, and answers each, in their order:
--   accepted   all of it is stored; `head` is the game's new version
--   repeated   its key was used before for the same request, which added the events from `after` + 1 to `version`
--   reused     its key was used before for another request
--   conflict   the game does not stand at the expected version but at `head`
-- Nothing is stored of a command that was not accepted.
--
-- The rows of the books are locked, those of several in their order, so that nobody waits in a circle. A row lock is
-- given back only after the commit can be seen, so whoever reads a book by position never finds, behind what it has
-- read, an event that was still under way. A waiter for the lock must then see what its predecessor committed: hence
-- READ COMMITTED, in which each statement looks anew.
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
    books    smallint[]; -- that of each entry
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE 'append() needs the isolation level READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF cardinality(commands) = 1 AND cardinality(openings) = 0 AND cardinality(seatings) = 0 THEN
        RETURN QUERY SELECT * FROM tabularium.append_one(commands[1], entries, sealed);
        RETURN;
    END IF;
    SELECT bool_and(b.open), array_agg(b.book), array_agg(b.position) INTO counts, mine, lasts
    FROM (
        SELECT book, position, open FROM tabularium.books
        WHERE book = ANY (ARRAY(SELECT tabularium.book_of(c.game) FROM unnest(commands) AS c))
        ORDER BY book
        FOR UPDATE
    ) AS b;
    IF EXISTS (SELECT FROM unnest(commands) AS c WHERE tabularium.book_of(c.game) <> ALL (coalesce(mine, '{}'))) THEN
        RAISE 'book % is not kept here: TABULARIUM_BOOK_SERVERS says where', (
            SELECT tabularium.book_of(c.game) FROM unnest(commands) AS c
            WHERE tabularium.book_of(c.game) <> ALL (coalesce(mine, '{}')) LIMIT 1
        ) USING ERRCODE = 'object_not_in_prerequisite_state';
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
        LEFT JOIN tabularium.heads AS h ON h.book = tabularium.book_of(c.game) AND h.game = c.game
        LEFT JOIN tabularium.keys AS k
            ON k.book = tabularium.book_of(c.game) AND k.game = c.game AND k.account = c.account AND k.key = c.key
    ) AS d;
    IF games <> cardinality(commands) THEN
        RAISE 'a batch has at most one command for each game' USING ERRCODE = 'invalid_parameter_value';
    END IF;

    IF accepted IS NOT NULL THEN
        books := ARRAY(SELECT tabularium.book_of(e.game) FROM unnest(entries) WITH ORDINALITY AS e ORDER BY e.ordinality);

        INSERT INTO tabularium.heads AS h (book, game, version, changed)
        SELECT tabularium.book_of(c.game), c.game, c.version, c.at
        FROM unnest(commands) AS c
        WHERE whole OR c.game = ANY (accepted)
        ON CONFLICT (book, game) DO UPDATE SET version = excluded.version, changed = excluded.changed;

        INSERT INTO tabularium.log (book, position, game, version, event, schema, draws, at, cause, hash)
        SELECT e.book,
               CASE WHEN counts
                    THEN lasts[array_position(mine, e.book)]
                         + row_number() OVER (PARTITION BY e.book ORDER BY e.ordinality)
                    ELSE nextval('tabularium.positions')
               END,
               e.game, e.version, e.event, e.schema, e.draws, e.at, e.cause, e.hash
        FROM unnest(entries, books) WITH ORDINALITY
            AS e (game, version, event, schema, draws, at, cause, hash, book, ordinality)
        WHERE whole OR e.game = ANY (accepted);

        IF counts THEN
            UPDATE tabularium.books AS b SET position = b.position + e.added
            FROM (
                SELECT u.book, count(*) AS added
                FROM unnest(entries, books) AS u (game, version, event, schema, draws, at, cause, hash, book)
                WHERE whole OR u.game = ANY (accepted)
                GROUP BY 1
            ) AS e
            WHERE b.book = e.book;
        END IF;

        INSERT INTO tabularium.keys (book, game, account, key, fingerprint, answer, after, version, at)
        SELECT tabularium.book_of(c.game), c.game, c.account, c.key, c.fingerprint, c.answer, c.expected, c.version,
               c.at::timestamptz
        FROM unnest(commands) AS c
        WHERE c.key IS NOT NULL AND (whole OR c.game = ANY (accepted));

        UPDATE tabularium.games AS g SET status = c.status
        FROM unnest(commands) AS c
        WHERE g.book = tabularium.book_of(c.game) AND g.game = c.game AND g.status <> c.status
            AND (whole OR c.game = ANY (accepted));

        IF cardinality(openings) > 0 THEN
            INSERT INTO tabularium.boards (digest, file)
            SELECT o.board, o.board_file FROM unnest(openings) AS o WHERE whole OR o.game = ANY (accepted)
            ON CONFLICT (digest) DO NOTHING;

            INSERT INTO tabularium.games (
                book, game, title, ruleset, ruleset_version, status, organizer, seats, created, board
            )
            SELECT tabularium.book_of(o.game), o.game, o.title, o.ruleset, o.ruleset_version, c.status, o.organizer, '{}',
                   o.created, o.board
            FROM unnest(openings) WITH ORDINALITY AS o
            JOIN unnest(commands) AS c ON c.game = o.game
            WHERE whole OR o.game = ANY (accepted)
            ORDER BY o.ordinality;

            INSERT INTO tabularium.chances (book, game, chance)
            SELECT tabularium.book_of(o.game), o.game, o.chance FROM unnest(openings) AS o WHERE whole OR o.game = ANY (accepted);
        END IF;

        IF cardinality(seatings) > 0 THEN
            UPDATE tabularium.games AS g SET seats = s.seats
            FROM unnest(seatings) AS s
            WHERE g.book = tabularium.book_of(s.game) AND g.game = s.game AND (whole OR s.game = ANY (accepted));

            DELETE FROM tabularium.seated AS old
            USING unnest(seatings) AS s
            WHERE old.book = tabularium.book_of(s.game) AND old.game = s.game AND (whole OR s.game = ANY (accepted));

            INSERT INTO tabularium.seated (player, book, game)
            SELECT DISTINCT held.value, tabularium.book_of(s.game), s.game
            FROM unnest(seatings) AS s, json_each_text(s.seats) AS held
            WHERE held.value IS NOT NULL AND (whole OR s.game = ANY (accepted));
        END IF;

        IF cardinality(sealed) > 0 THEN
            INSERT INTO tabularium.secrets (book, game, commitment, readers, salt, value)
            SELECT tabularium.book_of(s.game), s.game, s.commitment, s.readers, s.salt, s.value
            FROM unnest(sealed) WITH ORDINALITY AS s
            WHERE whole OR s.game = ANY (accepted)
            ORDER BY s.ordinality;
        END IF;
    END IF;

    RETURN QUERY SELECT * FROM unnest(outcomes, found_at, answers, afters, versions);
END
$$;

SELECT tabularium.key_by_books() WHERE EXISTS (SELECT FROM tabularium.books WHERE open);
