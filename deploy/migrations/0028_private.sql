-- Games that only those read who take part in them. Games of before are `unlisted` at most, as they were made.

CREATE TABLE tabularium.private (
    game text PRIMARY KEY COLLATE "C"
);
CREATE TRIGGER private_remain BEFORE UPDATE OR DELETE ON tabularium.private
    FOR EACH ROW EXECUTE FUNCTION tabularium.refuse_change();
CREATE TRIGGER all_stay BEFORE TRUNCATE ON tabularium.private EXECUTE FUNCTION tabularium.refuse_change();

GRANT SELECT, INSERT ON tabularium.private TO tabularium_service;
