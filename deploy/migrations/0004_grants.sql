-- Who may do what. The log is added to and read; its own triggers refuse the rest to everybody, its owner included.

CREATE FUNCTION tabularium.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE 'the rows of % are never changed and never deleted', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE ON tabularium.events
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER secrets_stay BEFORE UPDATE OR DELETE ON tabularium.secrets
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER chances_stay BEFORE UPDATE OR DELETE ON tabularium.chances
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();

-- Partitions inherit triggers for rows, but not those for TRUNCATE.
DO $$
DECLARE
    kept regclass;
BEGIN
    FOR kept IN
        SELECT relid FROM pg_partition_tree('tabularium.events')
        UNION SELECT 'tabularium.secrets'::regclass
        UNION SELECT 'tabularium.chances'::regclass
    LOOP
        EXECUTE format(
            'CREATE TRIGGER all_stay BEFORE TRUNCATE ON %s EXECUTE FUNCTION tabularium.refuse_change()', kept
        );
    END LOOP;
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tabularium FROM PUBLIC;
GRANT USAGE ON SCHEMA tabularium TO tabularium_service, tabularium_auditor;

GRANT EXECUTE ON FUNCTION tabularium.append TO tabularium_service;
GRANT USAGE ON SEQUENCE tabularium.positions TO tabularium_service;
GRANT SELECT ON tabularium.migrations TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.events, tabularium.keys, tabularium.boards TO tabularium_service;
GRANT SELECT, INSERT, UPDATE ON tabularium.heads TO tabularium_service;
GRANT SELECT, INSERT, UPDATE (status, seats) ON tabularium.games TO tabularium_service;
GRANT SELECT, INSERT, DELETE ON tabularium.seated TO tabularium_service;
-- What is hidden from players.
GRANT SELECT, INSERT ON tabularium.secrets TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.chances TO tabularium_service;
-- Accounts.
GRANT SELECT, INSERT ON tabularium.players, tabularium.tokens TO tabularium_service;
