-- The log over several machines by Citus, an extension of PostgreSQL. An operator who has it creates the extension in the
-- database; `tabularium migrate` then calls distribute(). On plain PostgreSQL none of this is used.
--
-- All tables about streams are distributed by their book, colocated: what is about one stream is on one machine. Accounts,
-- the transparency log and projections stay on the coordinator. Boards and dictionaries, which are few and never change,
-- are copied to all machines.

-- Numbers of new games come from the coordinator, so that they are in one order.
GRANT USAGE ON SEQUENCE tabularium.games_number_seq TO tabularium_service;

-- Whether the log is distributed.
CREATE FUNCTION tabularium.is_distributed() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
    found boolean;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
        RETURN FALSE;
    END IF;
    EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = ''tabularium.books''::regclass)'
    INTO found;
    RETURN found;
END
$$;

-- As append(), for one book, whose machine executes it. Each statement is about that book, and finds or changes rows by
-- their keys: what append() does in fewer statements, for several books, Citus does not allow or does slowly.
--
-- `entries` to `openings` are in the order of their commands. `numbers` are those of the new games. Their boards are
-- stored before, because they belong to no book.
CREATE FUNCTION tabularium.append_to(
    mine     smallint,
    commands tabularium.command[],
    entries  tabularium.entry[],
    sealed   tabularium.hidden[],
    seatings tabularium.seating[],
    openings tabularium.opening[],
    numbers  bigint[]
)
RETURNS TABLE (outcome text, head integer, after integer, version integer)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    counts   boolean; -- whether the book counts its own positions
    last     bigint;  -- its position
    asked    bigint;  -- its position when all commands are accepted
    command  tabularium.command;
    stands   integer; -- the version of the game
    known    bytea;   -- the fingerprint of its key, if that was used before
    holder   text;    -- an account that has a seat
    -- Where the next entry, hidden value, seating and opening are.
    e integer := 1;
    h integer := 1;
    s integer := 1;
    o integer := 1;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE 'append_to() needs the isolation level READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    ELSIF (SELECT count(DISTINCT c.game) FROM unnest(commands) AS c) <> cardinality(commands) THEN
        RAISE 'a batch has at most one command for each game' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- Locks the row as well, as append() says. It also makes the answer to a repetition wait for the standbys.
    UPDATE tabularium.books AS b SET position = b.position + cardinality(entries)
    WHERE b.book = mine
    RETURNING b.open, b.position, b.position - cardinality(entries) INTO counts, asked, last;
    IF counts IS NULL THEN
        RAISE 'book % is not kept here', mine USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF NOT counts THEN
        RAISE 'book % does not count its own positions: run `tabularium migrate --open-books`', mine
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    FOREACH command IN ARRAY commands LOOP
        IF tabularium.book_of(command.game) <> mine THEN
            RAISE '% is of book %, not of %', command.game, tabularium.book_of(command.game), mine
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
        SELECT h.version INTO stands FROM tabularium.heads AS h WHERE h.book = mine AND h.game = command.game;
        stands := coalesce(stands, 0);
        -- The key before the version, or the repetition of a success would be a conflict.
        known := NULL;
        after := NULL;
        version := NULL;
        IF command.key IS NOT NULL THEN
            SELECT k.fingerprint, k.after, k.version INTO known, after, version FROM tabularium.keys AS k
            WHERE k.book = mine AND k.game = command.game AND k.account = command.account AND k.key = command.key;
        END IF;
        outcome := CASE
            WHEN known = command.fingerprint THEN 'repeated'
            WHEN known IS NOT NULL THEN 'reused'
            WHEN stands <> command.expected THEN 'conflict'
            ELSE 'accepted'
        END;
        head := stands;
        IF outcome = 'accepted' THEN
            head := command.version;
            IF command.expected = 0 THEN
                INSERT INTO tabularium.heads (book, game, version, changed)
                VALUES (mine, command.game, command.version, command.at);
            ELSE
                UPDATE tabularium.heads AS h SET version = command.version, changed = command.at
                WHERE h.book = mine AND h.game = command.game;
                UPDATE tabularium.games AS g SET status = command.status
                WHERE g.book = mine AND g.game = command.game AND g.status <> command.status;
            END IF;
            IF command.key IS NOT NULL THEN
                INSERT INTO tabularium.keys (book, game, account, key, fingerprint, answer, after, version, at)
                VALUES (mine, command.game, command.account, command.key, command.fingerprint, command.answer,
                        command.expected, command.version, command.at::timestamptz);
            END IF;
        END IF;
        WHILE entries[e].game = command.game LOOP
            IF outcome = 'accepted' THEN
                last := last + 1;
                INSERT INTO tabularium.log (book, position, game, version, event, schema, draws, at, cause, hash)
                VALUES (mine, last, command.game, entries[e].version, entries[e].event, entries[e].schema,
                        entries[e].draws, entries[e].at, entries[e].cause, entries[e].hash);
            END IF;
            e := e + 1;
        END LOOP;
        WHILE openings[o].game = command.game LOOP
            IF outcome = 'accepted' THEN
                INSERT INTO tabularium.games (
                    number, book, game, title, ruleset, ruleset_version, status, organizer, seats, created, board
                )
                OVERRIDING SYSTEM VALUE
                VALUES (numbers[o], mine, command.game, openings[o].title, openings[o].ruleset,
                        openings[o].ruleset_version, command.status, openings[o].organizer, '{}', openings[o].created,
                        openings[o].board);
                INSERT INTO tabularium.chances (book, game, chance) VALUES (mine, command.game, openings[o].chance);
            END IF;
            o := o + 1;
        END LOOP;
        WHILE seatings[s].game = command.game LOOP
            IF outcome = 'accepted' THEN
                UPDATE tabularium.games AS g SET seats = seatings[s].seats WHERE g.book = mine AND g.game = command.game;
                DELETE FROM tabularium.seated AS old WHERE old.book = mine AND old.game = command.game;
                FOR holder IN
                    SELECT DISTINCT held.value FROM json_each_text(seatings[s].seats) AS held
                    WHERE held.value IS NOT NULL
                LOOP
                    INSERT INTO tabularium.seated (player, book, game) VALUES (holder, mine, command.game);
                END LOOP;
            END IF;
            s := s + 1;
        END LOOP;
        WHILE sealed[h].game = command.game LOOP
            IF outcome = 'accepted' THEN
                -- Machines count for themselves, and a book may move to another one. So the order of the secrets of a
                -- game follows that of its events, above all numbers that were given out on plain PostgreSQL.
                INSERT INTO tabularium.secrets (number, book, game, commitment, readers, salt, value)
                OVERRIDING SYSTEM VALUE
                VALUES ((1::bigint << 62) + (last << 20) + h, mine, command.game, sealed[h].commitment,
                        sealed[h].readers, sealed[h].salt, sealed[h].value);
            END IF;
            h := h + 1;
        END LOOP;
        RETURN NEXT;
    END LOOP;
    IF e <= cardinality(entries) OR h <= cardinality(sealed) OR s <= cardinality(seatings) OR o <= cardinality(openings)
    THEN
        RAISE 'the entries of a batch are not in the order of its commands' USING ERRCODE = 'invalid_parameter_value';
    ELSIF last <> asked THEN
        UPDATE tabularium.books AS b SET position = last WHERE b.book = mine;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION tabularium.append_to FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tabularium.append_to TO tabularium_service;

-- Returns when all that can be read of a book is on the disk of its machine, and on the synchronous standbys of that.
CREATE FUNCTION tabularium.settle(mine smallint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_logical_emit_message(true, 'tabularium', '');
END
$$;
REVOKE ALL ON FUNCTION tabularium.settle FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tabularium.settle TO tabularium_service;

-- Distributes what is not distributed yet. May be repeated. Nobody may append meanwhile: it locks the tables.
CREATE FUNCTION tabularium.distribute() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name      text;
    spread    text; -- what distributes it
    guard     text; -- the trigger that refuses to empty it
    guarded   text;
    setting   text;
    called    regprocedure;
    is_known  boolean;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
        RAISE 'the extension citus is not in this database: CREATE EXTENSION citus' USING ERRCODE = 'undefined_object';
    ELSIF NOT tabularium.is_distributed() THEN
        LOCK TABLE tabularium.books IN ACCESS EXCLUSIVE MODE;
        IF (SELECT count(*) FROM tabularium.books WHERE open) <> 64 THEN
            RAISE 'the log cannot be distributed: all books have to be here, and open'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = 'Run `tabularium migrate --open-books`, without TABULARIUM_BOOK_SERVERS.';
        ELSIF EXISTS (SELECT FROM tabularium.cases WHERE book <> tabularium.book_of(game))
            OR EXISTS (SELECT FROM tabularium.forks WHERE book <> tabularium.book_of(parent))
        THEN
            RAISE 'the log cannot be distributed: it has cases or forks that are not in the book of their game'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = 'Those were made by a release before books. Stay with one PostgreSQL.';
        END IF;
    END IF;
    -- The triggers look at rows of their own table, or of the same stream: on each machine they find what they need.
    PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
    PERFORM set_config('citus.shard_replication_factor', '1', true);
    -- One connection to each machine, or not all of this would be one transaction.
    PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
    FOR name, spread IN
        SELECT c.relname, CASE
            WHEN c.relname IN ('boards', 'dictionaries') THEN 'create_reference_table($1)'
            WHEN c.relname = 'books' THEN
                'create_distributed_table($1, ''book'', colocate_with => ''none'', shard_count => 32)'
            ELSE 'create_distributed_table($1, ''book'', colocate_with => ''tabularium.books'')'
        END
        FROM pg_class AS c
        WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind = 'r'
            AND (
                c.relname IN ('boards', 'dictionaries')
                OR EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'book')
            )
        ORDER BY c.relname <> 'books', c.relname
    LOOP
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)'
        INTO is_known USING format('tabularium.%I', name)::regclass;
        CONTINUE WHEN is_known;
        -- What was in the table stays in a copy that nobody sees, until that is emptied.
        SELECT t.tgname, pg_get_triggerdef(t.oid) INTO guard, guarded FROM pg_trigger AS t
        WHERE t.tgrelid = format('tabularium.%I', name)::regclass AND t.tgname = 'all_stay';
        IF guard IS NOT NULL THEN
            EXECUTE format('DROP TRIGGER %I ON tabularium.%I', guard, name);
        END IF;
        EXECUTE 'SELECT ' || spread USING format('tabularium.%I', name)::regclass;
        EXECUTE 'SELECT truncate_local_data_after_distributing_table($1)' USING format('tabularium.%I', name)::regclass;
        IF guard IS NOT NULL THEN
            EXECUTE guarded;
        END IF;
    END LOOP;
    FOREACH called IN ARRAY ARRAY[
        'tabularium.append_to(smallint, tabularium.command[], tabularium.entry[], tabularium.hidden[],'
        ' tabularium.seating[], tabularium.opening[], bigint[])',
        'tabularium.settle(smallint)'
    ]::regprocedure[] LOOP
        -- Its machine executes it also within a transaction: what follows there is about the same book.
        EXECUTE $call$
            SELECT create_distributed_function(
                $1, 'mine', colocate_with => 'tabularium.books', force_delegation => true
            )
        $call$ USING called;
    END LOOP;
    -- Machines let each other in as the role of the service, which nobody else can log in as. They plan by keys, as the
    -- sessions of the service do, and give up what was begun by a coordinator that is gone.
    ALTER ROLE tabularium_service LOGIN;
    FOREACH setting IN ARRAY ARRAY[
        'plan_cache_mode = force_generic_plan', 'enable_seqscan = off', 'enable_hashjoin = off',
        'enable_mergejoin = off', 'jit = off', 'statement_timeout = ''4500ms''',
        'idle_in_transaction_session_timeout = ''5s'''
    ] LOOP
        EXECUTE format('ALTER ROLE tabularium_service IN DATABASE %I SET %s', current_database(), setting);
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION tabularium.distribute FROM PUBLIC;
