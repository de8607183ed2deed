#!/bin/sh
# Run by the image of Citus on each machine when its database is made, after login.sh: with what passwords it logs in to
# the other machines. The service works there as tabularium_service, `tabularium migrate` as the owner.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=owner="$POSTGRES_PASSWORD" --set=service="$SERVICE_PASSWORD" \
    --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
SET citus.enable_ddl_propagation = off;
ALTER ROLE tabularium_service PASSWORD :'service';
INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
VALUES (0, current_user, 'password=' || :'owner'), (0, 'tabularium_service', 'password=' || :'service');
SQL
