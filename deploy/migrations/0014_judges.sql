-- Who may organize games may be named an official of games. A token does not come to rule by itself, unless it could make
-- one that does: then it is the one that its owner keeps.

UPDATE tabularium.players
SET scopes = btrim(replace(' ' || scopes || ' ', ' organize ', ' organize judge '))
WHERE ' ' || scopes || ' ' LIKE '% organize %' AND ' ' || scopes || ' ' NOT LIKE '% judge %';

UPDATE tabularium.tokens
SET scopes = btrim(replace(' ' || scopes || ' ', ' organize ', ' organize judge '))
WHERE ' ' || scopes || ' ' LIKE '% organize %' AND ' ' || scopes || ' ' LIKE '% account %'
    AND ' ' || scopes || ' ' NOT LIKE '% judge %';

ALTER TABLE tabularium.players ALTER COLUMN scopes SET DEFAULT 'account play organize judge';
ALTER TABLE tabularium.tokens ALTER COLUMN scopes SET DEFAULT 'account play organize judge';
