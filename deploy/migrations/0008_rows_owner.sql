-- The tables of the rows' generations belong to the owner of the database, as all others do: those of another role
-- cannot be restored from a dump by the owner. So the service may make and drop them by these functions alone, and
-- nothing else of its own anywhere.

REVOKE CREATE ON SCHEMA tabularium_rows FROM tabularium_service;

-- What was made before is folded anew.
DO $$
DECLARE
    made regclass;
BEGIN
    FOR made IN
        SELECT oid FROM pg_class
        WHERE relnamespace = 'tabularium_rows'::regnamespace AND relkind = 'r' AND relname ~ '^[a-z]+_[0-9]+_[a-z]+$'
    LOOP
        EXECUTE format('DROP TABLE %s', made);
    END LOOP;
    DELETE FROM tabularium_rows.projections;
END
$$;

CREATE FUNCTION tabularium_rows.require_generation(name text) RETURNS void
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF name !~ '^[a-z]+_[0-9]+_[a-z]+$' THEN
        RAISE '% is no name of a table of rows', name USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;

-- Makes an empty table of columns that are text, sorted by bytes, or bigint; the first `keys` of them are its key.
CREATE FUNCTION tabularium_rows.create_table(name text, columns text[], numbers boolean[], keys integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tabularium_rows, pg_temp AS $$
BEGIN
    PERFORM require_generation(name);
    EXECUTE format(
        'CREATE TABLE tabularium_rows.%I (%s, PRIMARY KEY (%s))',
        name,
        (
            SELECT string_agg(
                format('%I %s NOT NULL', c.title, CASE WHEN c.is_number THEN 'bigint' ELSE 'text COLLATE "C"' END), ', '
                ORDER BY c.n
            )
            FROM unnest(columns, numbers) WITH ORDINALITY AS c (title, is_number, n)
        ),
        (SELECT string_agg(quote_ident(k), ', ') FROM unnest(columns[1:keys]) AS k)
    );
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium_rows.%I TO tabularium_service', name);
END
$$;

CREATE FUNCTION tabularium_rows.create_index(name text, columns text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tabularium_rows, pg_temp AS $$
BEGIN
    PERFORM require_generation(name);
    EXECUTE format(
        'CREATE INDEX %I ON tabularium_rows.%I (%s)',
        name || '_' || array_to_string(columns, '_'),
        name,
        (SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) AS c)
    );
END
$$;

CREATE FUNCTION tabularium_rows.drop_table(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tabularium_rows, pg_temp AS $$
BEGIN
    PERFORM require_generation(name);
    EXECUTE format('DROP TABLE tabularium_rows.%I', name);
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tabularium_rows FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tabularium_rows.create_table, tabularium_rows.create_index, tabularium_rows.drop_table
    TO tabularium_service;
