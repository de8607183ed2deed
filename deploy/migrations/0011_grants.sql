-- The service's role has what the service uses, and no more.

-- A game's head moves; its name does not.
REVOKE UPDATE ON tabularium.heads FROM tabularium_service;
GRANT UPDATE (version, changed) ON tabularium.heads TO tabularium_service;

-- A lease is taken over, never deleted.
REVOKE DELETE ON tabularium_rows.leases FROM tabularium_service;

-- The views are the auditor's.
REVOKE SELECT ON tabularium.v_events, tabularium.v_games, tabularium.v_commands, tabularium.v_seats, tabularium.v_chain
    FROM tabularium_service;
