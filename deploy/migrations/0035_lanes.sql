-- Processes share the work of projections by lanes, which are groups of books (`projections/lanes.py`).

-- The checkpoints of generations that have one in each lane; `position` in `projections` is 'lanes' then, and `events`
-- there counts those that were folded before. `positions` are those of the lane's books, with commas in between.
CREATE TABLE tabularium_rows.checkpoints (
    projection      text   NOT NULL COLLATE "C",
    number          bigint NOT NULL,
    lane            bigint NOT NULL,
    positions       text   NOT NULL,
    events          bigint NOT NULL,
    trouble_game    text   NOT NULL,
    trouble_version bigint NOT NULL,
    trouble         text   NOT NULL,
    PRIMARY KEY (projection, number, lane)
) WITH (fillfactor = 50);

-- Which processes share a kind of work, in which lanes, until when. Others may take these over after that.
CREATE TABLE tabularium_rows.followers (
    work   text        NOT NULL,
    holder text        NOT NULL,
    lanes  text        NOT NULL,
    until  timestamptz NOT NULL,
    PRIMARY KEY (work, holder)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium_rows.checkpoints, tabularium_rows.followers TO tabularium_service;
