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

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.read_marks, tabularium.inbox_settings TO tabularium_service;
