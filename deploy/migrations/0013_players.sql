-- Players rename themselves, and are found by their names where they allow it; games get other titles.

ALTER TABLE tabularium.players
    -- The name by which a player can be found, folded; null for one who does not want to be.
    ADD COLUMN sought text COLLATE "C";
CREATE INDEX players_by_sought ON tabularium.players (sought, player) WHERE sought IS NOT NULL;
CREATE INDEX games_by_organizer ON tabularium.games (organizer, number);

GRANT UPDATE (name, sought) ON tabularium.players TO tabularium_service;
GRANT UPDATE (title) ON tabularium.games TO tabularium_service;
