-- apart: where the log is distributed, Citus passes what changes a table on as it stands, so it has to stand alone.
--
-- Contents of segments outside of the database (`service/store/outside.py`): `digest` is the SHA-256 of such a content, and
-- `content` is empty then. Contents move, and nothing else of a segment ever changes.
ALTER TABLE tabularium.segments ADD COLUMN IF NOT EXISTS digest bytea;
CREATE INDEX IF NOT EXISTS segments_outside ON tabularium.segments (book, game) WHERE digest IS NOT NULL;
-- The triggers look at the row alone: each machine finds what they need.
SET citus.enable_unsafe_triggers = on;
DROP TRIGGER IF EXISTS segments_move ON tabularium.segments;
CREATE TRIGGER segments_move BEFORE UPDATE ON tabularium.segments
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_other_content();
DROP TRIGGER IF EXISTS segments_remain ON tabularium.segments;
CREATE TRIGGER segments_remain BEFORE DELETE ON tabularium.segments
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
-- The last of all: until here nobody can change or delete a segment.
DROP TRIGGER IF EXISTS segments_stay ON tabularium.segments;
