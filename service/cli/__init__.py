"""The command line: ``tabularium``. Exit codes: 0 done, 1 the answer is no (a check failed), 2 bad input."""

import sys

import click
import typer

from service.cli import contract, games, logs, rules, serve

app = typer.Typer(
    name="tabularium",
    help="A rules service for board games: every move an event, every refusal a cited rule, every game proved.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
serve.register(app)
games.register(app)
logs.register(app)
rules.register(app)
contract.register(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input ends in one line on stderr and exit code 2."""
    try:
        code = app(arguments, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.Abort:
        print("tabularium: interrupted", file=sys.stderr)
        code = 1
    except click.ClickException as error:
        print(f"tabularium: {' '.join(error.format_message().split())}", file=sys.stderr)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)
