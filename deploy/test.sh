#!/usr/bin/env bash
# Every check, then the tests; the last line is pytest's summary. Arguments go to pytest: deploy/test.sh -n 0 -k chain
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/bootstrap.sh"

ensure_environment
sync

check() {
    echo "== $1"
    "${@:2}"
}

check "ruff check" .venv/bin/ruff check --quiet
check "ruff format" .venv/bin/ruff format --check --quiet
check "pyright" env PYRIGHT_PYTHON_IGNORE_WARNINGS=1 .venv/bin/python -m pyright
check "import-linter" .venv/bin/lint-imports --no-logo
check "contract" .venv/bin/tabularium openapi --check

echo "== pytest"
exec .venv/bin/python -m pytest -q -n auto --dist worksteal "$@"
