"""``tabularium transparency``: the key of the transparency log."""

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from service.base.settings import Settings, SettingsError, from_env
from service.cli.output import bad_input


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="The key of the transparency log.")
    group.command("key")(key)
    app.add_typer(group, name="transparency")


def key(
    origin: Annotated[str | None, typer.Argument(help="Name of the log, such as games.example.org/log.")] = None,
    to: Annotated[Path | None, typer.Option("--to", help="Write the key to this new file instead.")] = None,
    data: Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")] = None,
) -> None:
    """Make a new key, and so a new log. Prints the public key, never the key itself.

    Without a name, the new log is named after the old one and where that ended. The key is for the service on the data
    directory, which must be stopped; the old key stays beside it. With --to, the key is for TABULARIUM_LOG_KEY.
    """
    overrides = {"TABULARIUM_DATA": str(data)} if data is not None else {}
    try:
        settings = from_env({**os.environ, **overrides})
    except SettingsError as error:
        bad_input(str(error))
    # Imported late, because only some commands need it.
    from domain.transparency.note import NoteError
    from service.base.private import write_secret
    from service.store.backend import Embedded
    from service.store.protocol import StoreUnavailable
    from service.transparency.keys import KeyUnusable, new_key, read_log_key

    if to is None and (settings.log_key or settings.database_url):
        bad_input("the service takes its key from TABULARIUM_LOG_KEY: say with --to where to write a new one")
    try:
        written = new_key(origin or _next_origin(settings), secrets.token_bytes)
        signer = read_log_key(written).signers[0]
        if to is not None:
            write_secret(to, written)
        else:
            with Embedded(settings).reserved():
                if settings.log_key_file.exists():
                    old = settings.log_key_file
                    old.replace(old.with_name(f"{old.name}.before-{signer.key.id.hex()}"))
                write_secret(settings.log_key_file, written)
    except (KeyUnusable, NoteError, StoreUnavailable) as error:
        bad_input(str(error))
    except OSError as error:
        bad_input(f"{to or settings.log_key_file} cannot be written: {error.strerror}")
    print(signer.key)


def _next_origin(settings: Settings) -> str:
    """Return a name for the log that follows the present one. Raises `KeyUnusable`, `NoteError` or `OSError`."""
    from service.transparency.kept import Kept
    from service.transparency.keys import present_key, successor, unnamed

    present = present_key(settings)
    newest = Kept(settings.data, present.origin).newest() if present is not None else None
    if present is None or newest is None:
        return unnamed(secrets.token_bytes)
    return successor(present.origin, newest)
