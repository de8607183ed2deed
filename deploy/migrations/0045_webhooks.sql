-- Webhooks: where they go, what is to be sent, and what was answered. They are kept with accounts.

CREATE TABLE tabularium.webhooks (
    webhook       text    PRIMARY KEY COLLATE "C",
    player        text    NOT NULL COLLATE "C" REFERENCES tabularium.players,
    about         text    NOT NULL,
    game          text    NOT NULL COLLATE "C",
    url           text    NOT NULL,
    host          text    NOT NULL,
    form          text    NOT NULL,
    events        text    NOT NULL,
    -- Encrypted with a key that is not in the database.
    secret        bytea   NOT NULL,
    created       text    NOT NULL COLLATE "C",
    status        text    NOT NULL,
    why           text    NOT NULL,
    -- The place in the log after which its events come.
    since         text    NOT NULL,
    old_secret    bytea   NOT NULL,
    old_until     text    NOT NULL COLLATE "C",
    failing_since text    NOT NULL COLLATE "C",
    failures      integer NOT NULL,
    hold          text    NOT NULL COLLATE "C",
    made_by       text    NOT NULL UNIQUE COLLATE "C",
    fingerprint   bytea   NOT NULL,
    rotated_by    text    NOT NULL
);
CREATE INDEX webhooks_by_player ON tabularium.webhooks (player);

CREATE TABLE tabularium.deliveries (
    -- Later events have greater ones.
    number          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery        text    NOT NULL UNIQUE COLLATE "C",
    webhook         text    NOT NULL COLLATE "C",
    type            text    NOT NULL,
    body            text    NOT NULL,
    made            text    NOT NULL COLLATE "C",
    due             text    NOT NULL COLLATE "C",
    status          text    NOT NULL,
    attempts        integer NOT NULL,
    before_attempts integer NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX deliveries_by_webhook ON tabularium.deliveries (webhook, number);
CREATE INDEX deliveries_by_due ON tabularium.deliveries (due, number) WHERE status = 'waiting';
CREATE INDEX deliveries_waiting ON tabularium.deliveries (webhook, due) WHERE status = 'waiting';
CREATE INDEX deliveries_by_age ON tabularium.deliveries (made) WHERE status <> 'waiting';

CREATE TABLE tabularium.attempts (
    delivery text    NOT NULL COLLATE "C",
    number   integer NOT NULL,
    at       text    NOT NULL COLLATE "C",
    -- 0 for no answer.
    status   integer NOT NULL,
    answer   text    NOT NULL,
    PRIMARY KEY (delivery, number)
);

-- Up to where the log was read, and how often webhooks were switched on until then.
CREATE TABLE tabularium.webhook_places (
    number  integer PRIMARY KEY CHECK (number = 1),
    place   text    NOT NULL,
    changes bigint  NOT NULL
) WITH (fillfactor = 50);

-- Who plays may be told. A token does not come to that by itself, unless it could make one that does.
UPDATE tabularium.players SET scopes = scopes || ' notify'
WHERE ' ' || scopes || ' ' LIKE '% play %' AND ' ' || scopes || ' ' NOT LIKE '% notify %';
UPDATE tabularium.tokens SET scopes = scopes || ' notify'
WHERE ' ' || scopes || ' ' LIKE '% account %' AND ' ' || scopes || ' ' LIKE '% play %'
    AND ' ' || scopes || ' ' NOT LIKE '% notify %';
ALTER TABLE tabularium.players ALTER COLUMN scopes SET DEFAULT 'account play organize judge notify';
ALTER TABLE tabularium.tokens ALTER COLUMN scopes SET DEFAULT 'account play organize judge notify';

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.webhooks, tabularium.deliveries, tabularium.attempts
    TO tabularium_service;
GRANT SELECT, INSERT, UPDATE ON tabularium.webhook_places TO tabularium_service;
