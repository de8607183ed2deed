-- What guards segments whose contents may be outside of the database (`0088_archive_outside.sql`).

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
