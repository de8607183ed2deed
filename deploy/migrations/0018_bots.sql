-- Bots are accounts that the service plays.

ALTER TABLE tabularium.players
    -- The level at which it plays; null for everybody else's account.
    ADD COLUMN bot text COLLATE "C";
CREATE INDEX players_by_bot ON tabularium.players (player) WHERE bot IS NOT NULL;
