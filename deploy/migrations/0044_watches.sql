-- Until when the clocks of games were watched, by how many lanes there were and by lane (`projections/lanes.py`). Later
-- than that is an outage, which no player is to lose time by (TAB-CLK-09).
CREATE TABLE tabularium_rows.watches (
    lanes bigint NOT NULL,
    lane  bigint NOT NULL,
    until text   NOT NULL COLLATE "C",
    PRIMARY KEY (lanes, lane)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium_rows.watches TO tabularium_service;
