-- Contents of segments outside of the database (`service/store/outside.py`): `digest` is the SHA-256 of such a content, and
-- `content` is empty then. Contents move, and nothing else of a segment ever changes.

ALTER TABLE tabularium.segments ADD COLUMN digest bytea;
CREATE INDEX segments_outside ON tabularium.segments (book, game) WHERE digest IS NOT NULL;

-- Lets a content go for its digest, and come back for it.
CREATE FUNCTION tabularium.refuse_other_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.book, NEW.span, NEW.game, NEW.version, NEW.after, NEW.first, NEW.last, NEW.previous, NEW.hash, NEW.dictionary)
        = (OLD.book, OLD.span, OLD.game, OLD.version, OLD.after, OLD.first, OLD.last, OLD.previous, OLD.hash, OLD.dictionary)
        AND (
            OLD.digest IS NULL AND NEW.content = '' AND NEW.digest = sha256(OLD.content)
            OR NEW.digest IS NULL AND OLD.content = '' AND OLD.digest = sha256(NEW.content)
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE 'the rows of % are never changed and never deleted', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;
REVOKE ALL ON FUNCTION tabularium.refuse_other_content FROM PUBLIC;

DO $$
BEGIN
    -- It looks at the row alone: where the log is distributed, each machine finds what it needs.
    IF tabularium.is_distributed() THEN
        PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
    END IF;
END
$$;
DROP TRIGGER segments_stay ON tabularium.segments;
CREATE TRIGGER segments_stay BEFORE UPDATE ON tabularium.segments
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_other_content();
CREATE TRIGGER segments_remain BEFORE DELETE ON tabularium.segments
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
