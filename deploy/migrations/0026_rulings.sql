-- Which events of cases are rulings, and which cases that were ruled on cite a rule: so nobody reads a case to find out.

CREATE TABLE tabularium.rulings (
    stream  text    NOT NULL COLLATE "C",
    version integer NOT NULL,
    PRIMARY KEY (stream, version)
);

CREATE TABLE tabularium.precedents (
    rule  text   NOT NULL COLLATE "C",
    place bigint NOT NULL,
    PRIMARY KEY (rule, place)
);

INSERT INTO tabularium.rulings (stream, version)
SELECT c.stream, e.version
FROM tabularium.cases c
JOIN tabularium.events e ON e.game = c.stream
WHERE e.event ->> 'type' IN ('ruled', 'ruled-finally');

INSERT INTO tabularium.precedents (rule, place)
SELECT t.rule, c.place
FROM tabularium.cited t
JOIN tabularium.cases c ON c.stream = t.stream
WHERE c.stream IN (SELECT stream FROM tabularium.rulings);

CREATE INDEX continuations ON tabularium.forks (parent) WHERE purpose = 'continuation';

GRANT SELECT, INSERT ON tabularium.rulings, tabularium.precedents TO tabularium_service;
