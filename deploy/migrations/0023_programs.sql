-- A program can play an account that the service does not play: its owner says so, for ever.

ALTER TABLE tabularium.players
    ADD COLUMN automated boolean NOT NULL DEFAULT false;
GRANT UPDATE (automated) ON tabularium.players TO tabularium_service;
