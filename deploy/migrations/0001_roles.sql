-- The roles. They belong to the whole cluster and are in no dump: before a dump is restored into a new cluster, run
-- this file there (`psql -f`). It may be run as often as one likes.
--
--   tabularium_service   what the service works as: it adds to the log and reads it, and can neither change nor delete
--   tabularium_auditor   reads the views, and nothing hidden: no secrets, no tokens, no names
--
-- Neither can log in. A login gets its rights by membership:
--   CREATE ROLE tabularium LOGIN PASSWORD '…' IN ROLE tabularium_service;

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['tabularium_service', 'tabularium_auditor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;  -- another database of this cluster was being migrated at the same time
            END;
        END IF;
    END LOOP;
    -- Whoever migrates may also serve, with the rights of the service and no more.
    IF NOT pg_has_role(current_user, 'tabularium_service', 'MEMBER') THEN
        EXECUTE format('GRANT tabularium_service TO %I', current_user);
    END IF;
END
$$;
