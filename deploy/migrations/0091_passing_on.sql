-- A tournament passes on when the account of its organizer is closed (TAB-TRN-23). The name of a closed account leaves the
-- titles of tournaments and leagues, and what its tokens were called goes.

GRANT UPDATE (title, organizer) ON tabularium.tournaments TO tabularium_service;
GRANT UPDATE (title) ON tabularium.leagues TO tabularium_service;
GRANT UPDATE (name) ON tabularium.tokens TO tabularium_service;

COMMENT ON COLUMN tabularium.v_tournaments.organizer IS 'The account that organizes it.';
