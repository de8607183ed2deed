-- For auditors: everything that is public, in SQL. The comments are the documentation (`\d+ tabularium.v_events`).

CREATE VIEW tabularium.v_events AS
SELECT position,
       game,
       version,
       event ->> 'type'          AS type,
       event,
       schema,
       draws,
       at::timestamptz           AS at,
       cause ->> 'player'        AS player,
       cause ->> 'seat'          AS seat,
       cause -> 'command'        AS command,
       cause ->> 'key'           AS key,
       encode(hash, 'hex')       AS hash
FROM tabularium.events;

COMMENT ON VIEW tabularium.v_events IS 'The log: one row for each event, in the form in which it was hashed.';
COMMENT ON COLUMN tabularium.v_events.position IS 'The order of all events of all games: that in which they were committed. May have gaps.';
COMMENT ON COLUMN tabularium.v_events.game IS 'The game.';
COMMENT ON COLUMN tabularium.v_events.version IS '1, 2, 3 … within the game, without gaps.';
COMMENT ON COLUMN tabularium.v_events.type IS 'The name of the event''s type.';
COMMENT ON COLUMN tabularium.v_events.event IS 'What happened: RFC 8785 JSON, to the byte as it was hashed. Hidden values are commitments.';
COMMENT ON COLUMN tabularium.v_events.schema IS 'The schema version of the event''s shape.';
COMMENT ON COLUMN tabularium.v_events.draws IS 'How many draws of chance the game has used up to here.';
COMMENT ON COLUMN tabularium.v_events.at IS 'When it was recorded.';
COMMENT ON COLUMN tabularium.v_events.player IS 'The account that brought it about; on the first event of each command.';
COMMENT ON COLUMN tabularium.v_events.seat IS 'The seat that the account acted for.';
COMMENT ON COLUMN tabularium.v_events.command IS 'The command as it was given.';
COMMENT ON COLUMN tabularium.v_events.key IS 'A digest of the idempotency key that it came with.';
COMMENT ON COLUMN tabularium.v_events.hash IS 'The hash chain up to here, in hex; v_chain checks it.';

CREATE VIEW tabularium.v_games AS
SELECT g.number,
       g.game,
       g.title,
       g.ruleset,
       g.ruleset_version,
       g.status,
       g.organizer,
       g.seats,
       g.board,
       h.version,
       g.created::timestamptz AS created,
       h.changed::timestamptz AS changed
FROM tabularium.games AS g
JOIN tabularium.heads AS h ON h.game = g.game;

COMMENT ON VIEW tabularium.v_games IS 'The games, one row each.';
COMMENT ON COLUMN tabularium.v_games.number IS 'In the order in which they were opened; may have gaps.';
COMMENT ON COLUMN tabularium.v_games.ruleset_version IS 'The edition of the rules by which the game is folded for ever.';
COMMENT ON COLUMN tabularium.v_games.status IS 'gathering, running or over.';
COMMENT ON COLUMN tabularium.v_games.organizer IS 'The account that organizes it.';
COMMENT ON COLUMN tabularium.v_games.seats IS '{seat: account or null}, in order of play.';
COMMENT ON COLUMN tabularium.v_games.board IS 'The digest of its board.';
COMMENT ON COLUMN tabularium.v_games.version IS 'The number of its events.';
COMMENT ON COLUMN tabularium.v_games.created IS 'When its first event was recorded.';
COMMENT ON COLUMN tabularium.v_games.changed IS 'When its last event was recorded.';

CREATE VIEW tabularium.v_commands AS
SELECT game,
       version,
       at::timestamptz                AS at,
       cause ->> 'player'             AS player,
       cause ->> 'seat'               AS seat,
       cause -> 'command' ->> 'type'  AS type,
       cause -> 'command'             AS command
FROM tabularium.events
WHERE cause IS NOT NULL;

COMMENT ON VIEW tabularium.v_commands IS 'What was asked and accepted: one row for each command, at the version of its first event.';
COMMENT ON COLUMN tabularium.v_commands.type IS 'The command''s type; null where an account acted without one (it took a seat).';

CREATE VIEW tabularium.v_seats AS
SELECT g.game, s.place::integer AS place, s.seat, g.seats ->> s.seat AS player
FROM tabularium.games AS g, json_object_keys(g.seats) WITH ORDINALITY AS s (seat, place);

COMMENT ON VIEW tabularium.v_seats IS 'Who sits where: one row for each seat of each game.';
COMMENT ON COLUMN tabularium.v_seats.place IS '1, 2, 3 … in order of play.';
COMMENT ON COLUMN tabularium.v_seats.player IS 'The account that holds it; null while it is free.';

-- hash(0) = SHA-256("tabularium/1 " ‖ game); hash(n) = SHA-256(hash(n-1) ‖ RFC 8785 bytes of row n)
CREATE VIEW tabularium.v_chain AS
SELECT game,
       version,
       version = lag(version, 1, 0) OVER stream + 1
       AND hash = sha256(
           lag(hash, 1, sha256(convert_to('tabularium/1 ' || game, 'UTF8'))) OVER stream
           || convert_to(
               '{"at":"' || at || '",' || coalesce('"cause":' || cause || ',', '') || '"draws":' || draws
               || ',"event":' || event || ',"game":"' || game || '","schema":' || schema || ',"version":' || version
               || '}',
               'UTF8'
           )
       ) AS holds
FROM tabularium.events
WINDOW stream AS (PARTITION BY game ORDER BY version);

COMMENT ON VIEW tabularium.v_chain IS 'The hash chain, computed again from the stored text. SELECT * FROM tabularium.v_chain WHERE NOT holds must find nothing.';
COMMENT ON COLUMN tabularium.v_chain.holds IS 'Whether this event follows the one before it and has the hash that it should have.';

GRANT SELECT ON tabularium.v_events, tabularium.v_games, tabularium.v_commands, tabularium.v_seats, tabularium.v_chain
    TO tabularium_auditor, tabularium_service;
