-- A game passes to another organizer when the account of the one that it has is closed.

GRANT UPDATE (organizer) ON tabularium.games TO tabularium_service;
