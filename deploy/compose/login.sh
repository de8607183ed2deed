#!/bin/sh
# Run by the image of PostgreSQL when the database is created, after 0001_roles.sql: makes the login of the service.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$SERVICE_PASSWORD" \
    --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE tabularium LOGIN PASSWORD :'password' IN ROLE tabularium_service;
SQL
