-- Challenges are signed, so that only those that were used are kept, until they end. All processes share one key.

DROP TABLE tabularium.challenges;
CREATE TABLE tabularium.challenges (
    hash bytea PRIMARY KEY,
    ends text  NOT NULL COLLATE "C"
);
CREATE INDEX challenges_by_end ON tabularium.challenges (ends);

CREATE TABLE tabularium.challenge_keys (
    number integer PRIMARY KEY CHECK (number = 1),
    key    bytea   NOT NULL
);

GRANT SELECT, INSERT, DELETE ON tabularium.challenges TO tabularium_service;
GRANT SELECT, INSERT ON tabularium.challenge_keys TO tabularium_service;
