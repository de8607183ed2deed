-- What accounts have read of what they were told (`stream` is a game or a case), and what they are to be told.

CREATE TABLE tabularium.read_marks (
    player  text   NOT NULL COLLATE "C" REFERENCES tabularium.players,
    stream  text   NOT NULL COLLATE "C",
    version bigint NOT NULL,
    PRIMARY KEY (player, stream)
);

CREATE TABLE tabularium.inbox_settings (
    player   text PRIMARY KEY COLLATE "C" REFERENCES tabularium.players,
    settings text NOT NULL
);

-- Who plays may be told. A token does not come to that by itself, unless it could make one that does.
UPDATE tabularium.players SET scopes = scopes || ' notify'
WHERE ' ' || scopes || ' ' LIKE '% play %' AND ' ' || scopes || ' ' NOT LIKE '% notify %';
UPDATE tabularium.tokens SET scopes = scopes || ' notify'
WHERE ' ' || scopes || ' ' LIKE '% account %' AND ' ' || scopes || ' ' LIKE '% play %'
    AND ' ' || scopes || ' ' NOT LIKE '% notify %';
ALTER TABLE tabularium.players ALTER COLUMN scopes SET DEFAULT 'account play organize judge notify';
ALTER TABLE tabularium.tokens ALTER COLUMN scopes SET DEFAULT 'account play organize judge notify';

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.read_marks, tabularium.inbox_settings TO tabularium_service;
