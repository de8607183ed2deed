#!/usr/bin/env bash
# Every check, then the tests; the last line is pytest's summary. Arguments go to pytest: deploy/test.sh -n 0 -k chain
#
# deploy/test.sh --fast takes about two minutes: it runs the tests that your changes since the branch began can affect,
# the nearest first, and says which it left out. --fast=COMMIT takes the changes since COMMIT.
# The tests start PostgreSQL, Redis and browsers by themselves and stop them. Missing programs are installed by apt if
# it is there and you are root.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/bootstrap.sh"

# Tests start many processes; without bytecode in files each takes a second more to compile its modules.
unset PYTHONDONTWRITEBYTECODE

# since [COMMIT]: prints the commit with which the working tree is compared.
since() {
    local commit=$1
    if [[ -z $commit ]]; then
        commit=$(git merge-base HEAD '@{upstream}' 2>/dev/null || git merge-base HEAD origin/HEAD 2>/dev/null || echo HEAD)
        # If nothing was changed since then, the last commit is the change.
        [[ -n $(git diff --name-only "$commit"; git ls-files --others --exclude-standard) ]] || commit=HEAD~1
    fi
    git rev-parse --short --verify "$commit^{commit}"
}

touched=
case ${1:-} in
    --fast | --fast=*) touched=$(since "$(sed -n 's/^--fast=//p' <<<"$1")") && shift ;;
esac

# programs: installs the programs that the tests need and that are missing.
programs() {
    local missing=() policy=/usr/sbin/policy-rc.d
    compgen -c initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
    command -v pgbackrest >/dev/null || missing+=(pgbackrest)
    command -v redis-server >/dev/null || missing+=(redis-server)
    command -v chromium-headless-shell >/dev/null || missing+=(chromium-headless-shell)
    command -v firefox-esr >/dev/null || command -v firefox >/dev/null || missing+=(firefox-esr)
    command -v valgrind >/dev/null || missing+=(valgrind)
    if [[ ${#missing[@]} -gt 0 && $EUID == 0 ]] && command -v apt-get >/dev/null; then
        echo "== ${missing[*]}"
        # While this file says no, a package starts no server of its own.
        if [[ -e $policy ]]; then
            policy=
        else
            printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
        fi
        trap 'rm -f $policy' EXIT
        apt-get -qq update
        DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends "${missing[@]}" >/dev/null
    fi
}

# Both wait for the network, so they run at the same time.
(programs) &
programs=$!
ensure_environment
sync --extra production
wait "$programs"

# check NAME COMMAND...: shows the output of a check only if it fails.
check() {
    echo "== $1"
    local said
    said=$("${@:2}" 2>&1) || { echo "$said"; return 1; }
}

# The time limit of --fast begins here, after everything is installed.
SECONDS=0

# in_memory: whether files in memory have room for what tests write, and programs can be started from there.
in_memory() {
    local free
    free=$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1) || return 1
    [[ $free -ge 4 && ,$(findmnt --noheadings --output OPTIONS --target /dev/shm), != *,noexec,* ]]
}

# Files that tests write need not last. Writing them to a disk took a tenth of the processor time of the stores' tests.
folder=${TMPDIR:-/tmp}
if in_memory; then folder=/dev/shm; fi
TMPDIR=$(mktemp -d "$folder/tabularium-tests-XXXXXX")
export TMPDIR
chmod 755 "$TMPDIR" # PostgreSQL is another user
trap 'rm -rf "$TMPDIR" 2>/dev/null' EXIT

# The slowest check, pyright of the domain and the projections, uses one core, so the others run beside it. With --fast
# it checks only the changed files there.
files=()
if [[ -n $touched ]]; then
    mapfile -t files < <(
        git diff --name-only --diff-filter=d "$touched" -- 'domain/*.py' 'projections/*.py'
        git ls-files --others --exclude-standard -- 'domain/*.py' 'projections/*.py'
    )
    [[ ${#files[@]} -gt 0 ]] || files=(--version)
fi
report=$TMPDIR/pyright
# With four times the usual room for new objects (MiB), Node looks for garbage less often: a tenth less of the processor.
NODE_OPTIONS=--max-semi-space-size=64 PYRIGHT_PYTHON_IGNORE_WARNINGS=1 .venv/bin/python -m pyright "${files[@]}" >"$report" 2>&1 &
pyright=$!
trap 'kill "$pyright" 2>/dev/null || true; rm -rf "$TMPDIR" 2>/dev/null' EXIT

check "ruff check" .venv/bin/ruff check --quiet
check "ruff format" .venv/bin/ruff format --check --quiet
check "import-linter" .venv/bin/lint-imports --no-logo
check "pyrefly" .venv/bin/pyrefly check --output-format min-text
check "contract" .venv/bin/tabularium openapi --check

# One more than there are cores, because tests wait for servers and browsers about a third of their time.
tests=(.venv/bin/python -m pytest -q -n "$(($(nproc) + 1))")
if [[ -n $touched ]]; then
    echo "== pytest, what can have been touched since $touched"
    # In small pieces, so that the nearest tests run first.
    tests+=(--dist load --maxschedchunk 4)
    tests+=(-p tests.touched.plugin --touched "$touched" --within "$((80 - SECONDS))")
else
    # Otherwise each worker would compile the modules and read the scenarios itself.
    check "collection" .venv/bin/python -m pytest -qq -n 0 --collect-only "$@"
    echo "== pytest"
    tests+=(--dist worksteal --durations 10)
fi
passed=0
"${tests[@]}" "$@" || passed=$?

# Pyright has long ended when all tests are done. Its findings come last.
wait "$pyright" || { echo "== pyright"; cat "$report"; exit 1; }
exit "$passed"
