# Sourced by the other scripts: changes to the top of the checkout, and has functions that make .venv fit uv.lock.
# Needs python3 >= 3.11 (with venv and pip) and a package index; PYTHON=/path/to/python chooses the interpreter.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Pinned, so that every machine reads the lock in the same way.
readonly UV_VERSION=0.13.8

# The lock names the public index. A machine's own uv settings would make uv find it out of date, an active
# virtual environment would get the packages, and .python-version would fetch another interpreter.
unset UV_DEFAULT_INDEX UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_FIND_LINKS UV_PROJECT_ENVIRONMENT VIRTUAL_ENV
unset UV_FROZEN UV_CONFIG_FILE PYTHONHOME
export UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never UV_PYTHON=.venv/bin/python
# Use the certificates that the machine trusts: behind a company's proxy, those that come with uv are not enough.
export UV_SYSTEM_CERTS=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# pip ARGUMENT...: the pip of .venv. An environment that uv made has none until then.
pip() {
    .venv/bin/python -c 'import pip' 2>/dev/null || .venv/bin/python -m ensurepip >/dev/null
    .venv/bin/python -m pip "$@"
}

# ensure_environment: a .venv of the chosen interpreter, with uv in it.
ensure_environment() {
    local version='import sys; print("%d.%d" % sys.version_info[:2])'
    local present wanted
    present=$(.venv/bin/python -c "$version" 2>/dev/null || true)
    if [[ -z $present || -n ${PYTHON:-} ]]; then
        if ! "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
            echo "tabularium needs Python 3.11 or newer; PYTHON=/path/to/python chooses another interpreter" >&2
            return 1
        fi
        wanted=$("${PYTHON:-python3}" -c "$version")
        if [[ $present != "$wanted" ]]; then
            echo "== .venv (Python $wanted)" >&2
            "${PYTHON:-python3}" -m venv --clear .venv
        fi
    fi
    if [[ "$(.venv/bin/uv --version 2>/dev/null || true)" != "uv $UV_VERSION "* ]]; then
        echo "== uv $UV_VERSION" >&2
        pip install --quiet "uv==$UV_VERSION"
    fi
}

# sync OPTION...: installs what uv.lock says; OPTION is one that `uv sync` and `uv export` share.
sync() {
    .venv/bin/uv sync --quiet --locked "$@" && return

    # uv downloads each file from the address in the lock. If only a mirror can be reached, pip knows that mirror from
    # its own settings, and checks the same hashes. A lock that does not fit pyproject.toml fails here too.
    echo "== uv could not sync; trying pip with the same hashes" >&2
    local requirements
    requirements=$(mktemp)
    .venv/bin/uv export --quiet --locked --offline --no-emit-project "$@" --output-file "$requirements" &&
        pip install --quiet --require-hashes --requirement "$requirements" &&
        pip install --quiet --no-deps --editable .
    local status=$?
    rm -f "$requirements"
    return "$status"
}
