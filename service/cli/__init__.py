"""The command line: ``tabularium``.

Exit codes: 0 done, 1 the answer is no (a check failed), 2 bad input; 130 after Ctrl-C, as shells expect it.
"""

import sys

import typer

from domain.kernel.rules.docstrings import docstring
from service.cli import (
    accounts,
    archive,
    audit,
    backup,
    books,
    cases,
    contract,
    database,
    doctor,
    dump,
    games,
    leagues,
    logs,
    mcp,
    mirror,
    plan,
    projections,
    rules,
    serve,
    settings,
    tournaments,
    transparency,
    webhooks,
    witness,
)

INTERRUPTED = 130

app = typer.Typer(
    name="tabularium",
    help="A rules service for board games: every move an event, every refusal a cited rule, every game proved.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
serve.register(app)
settings.register(app)
doctor.register(app)
plan.register(app)
database.register(app)
books.register(app)
backup.register(app)
archive.register(app)
dump.register(app)
accounts.register(app)
games.register(app)
logs.register(app)
cases.register(app)
tournaments.register(app)
leagues.register(app)
rules.register(app)
projections.register(app)
transparency.register(app)
webhooks.register(app)
audit.register(app)
mirror.register(app)
witness.register(app)
contract.register(app)
mcp.register(app)


def _set_help(group: typer.Typer) -> None:
    """Set every command's help to its function's docstring, which `python -OO` would hide from Typer."""
    for command in group.registered_commands:
        if command.callback is not None:
            command.help = docstring(command.callback)
    for each in group.registered_groups:
        if each.typer_instance is not None:
            _set_help(each.typer_instance)


_set_help(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input ends in one line on stderr and exit code 2."""
    try:
        code = app(arguments, prog_name="tabularium", standalone_mode=False)
    except typer.TyperException as error:
        # A group without a command has printed its help already, and its message is empty.
        if message := " ".join(error.format_message().split()):
            print(f"tabularium: {message}", file=sys.stderr)
        code = 2
    if code == INTERRUPTED:
        print("tabularium: interrupted", file=sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)
