#!/usr/bin/env bash
# Brings the environment up to date and serves. Arguments go to `tabularium serve`; see deploy/serve.sh --help.
# On SQLite, bots play a game that you can watch, unless you give --no-demonstrate or --sandbox.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/bootstrap.sh"

ensure_environment
# Inexact: in a developer's checkout the tools that test.sh installed stay where they are.
extra=()
if [[ -n ${TABULARIUM_DATABASE_URL:-}${TABULARIUM_REDIS_URL:-} ]]; then extra+=(--extra production); fi
if [[ -n ${TABULARIUM_TRACES_URL:-} ]]; then extra+=(--extra tracing); fi
if [[ ${TABULARIUM_ARCHIVE:-} == s3://* ]]; then extra+=(--extra bucket); fi
sync --no-dev --inexact "${extra[@]}"

demonstrate=(--demonstrate)
if [[ -n ${TABULARIUM_DATABASE_URL:-} || " $* " == *" --sandbox "* ]]; then demonstrate=(); fi

exec .venv/bin/tabularium serve "${demonstrate[@]}" "$@"
