-- The transparency log: a Merkle tree over the heads of all streams. Its rows are only added, and its triggers refuse
-- the rest to everybody, as those of the log do.

-- The leaves. `entry` is the text that is hashed; no stream has two of one version.
CREATE TABLE tabularium.entries (
    number  bigint  PRIMARY KEY,
    stream  text    NOT NULL COLLATE "C",
    version integer NOT NULL CHECK (version > 0),
    entry   text    NOT NULL COLLATE "C",
    UNIQUE (stream, version)
);

-- The hashes of the tiles: level 0 has those of the leaves, each level above one of each full tile below.
CREATE TABLE tabularium.hashes (
    level  smallint NOT NULL,
    number bigint   NOT NULL,
    hash   bytea    NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (level, number)
);

-- The tree at each size to which it grew, with the position in the log of all streams up to which it has their heads.
-- What is signed stands here first: so there is one root for a size.
CREATE TABLE tabularium.trees (
    size     bigint PRIMARY KEY,
    root     bytea  NOT NULL CHECK (octet_length(root) = 32),
    position bigint NOT NULL
);

-- What was signed and may be shown, and what witnesses cosigned.
CREATE TABLE tabularium.checkpoints (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    origin text   NOT NULL COLLATE "C",
    size   bigint NOT NULL,
    note   text   NOT NULL,
    UNIQUE (origin, size)
);
CREATE INDEX checkpoints_by_size ON tabularium.checkpoints (size, number);

CREATE TABLE tabularium.cosignatures (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    origin text   NOT NULL COLLATE "C",
    size   bigint NOT NULL,
    line   text   NOT NULL,
    UNIQUE (origin, size, line)
);

DO $$
DECLARE
    kept text;
BEGIN
    FOREACH kept IN ARRAY ARRAY['entries', 'hashes', 'trees', 'checkpoints', 'cosignatures'] LOOP
        EXECUTE format(
            'CREATE TRIGGER %s_stay BEFORE UPDATE OR DELETE ON tabularium.%s'
            ' FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change()',
            kept, kept
        );
        EXECUTE format(
            'CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.%s EXECUTE FUNCTION tabularium.refuse_change()', kept
        );
    END LOOP;
END
$$;

GRANT SELECT, INSERT ON tabularium.entries, tabularium.hashes, tabularium.trees, tabularium.checkpoints,
    tabularium.cosignatures TO tabularium_service;
