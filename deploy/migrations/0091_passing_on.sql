-- A tournament passes on with the account of its organizer, and the name of that account leaves its title (TAB-TRN-23).

GRANT UPDATE (title, organizer) ON tabularium.tournaments TO tabularium_service;

COMMENT ON COLUMN tabularium.v_tournaments.organizer IS 'The account that organizes it.';
