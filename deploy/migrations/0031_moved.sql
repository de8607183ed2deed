-- All events have moved.

SELECT tabularium.turn_views('events', 'log');

CREATE OR REPLACE VIEW tabularium.events AS
SELECT position, version, schema, draws, game, at, hash, event, cause FROM tabularium.log;

DROP FUNCTION tabularium.move_events(integer);
DROP FUNCTION tabularium.turn_views(text, text);
DROP TABLE tabularium.moved;
DROP TABLE tabularium.events_before;

COMMENT ON COLUMN tabularium.v_events.position IS 'The order in which events were committed: in a book, which is that of their game, and its forks and cases. Without gaps since the books were opened.';

SELECT tabularium.open_books() WHERE NOT EXISTS (SELECT FROM tabularium.log);
