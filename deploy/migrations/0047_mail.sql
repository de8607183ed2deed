-- How many e-mails asked for confirmation on a day: of an account, and to an address, of which a digest is kept here.

CREATE TABLE tabularium.mail_counts (
    key   text    NOT NULL COLLATE "C",
    day   text    NOT NULL COLLATE "C",
    count integer NOT NULL,
    PRIMARY KEY (day, key)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.mail_counts TO tabularium_service;
