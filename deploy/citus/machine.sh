#!/bin/sh
# Run by the image of Citus on each machine when its database is created, after login.sh. It stores the passwords with
# which this machine logs in to the others: as tabularium_service for the service, as the owner for `tabularium migrate`.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=owner="$POSTGRES_PASSWORD" --set=service="$SERVICE_PASSWORD" \
    --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
SET citus.enable_ddl_propagation = off;
ALTER ROLE tabularium_service PASSWORD :'service';
INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
VALUES (0, current_user, 'password=' || :'owner'), (0, 'tabularium_service', 'password=' || :'service');
SQL
