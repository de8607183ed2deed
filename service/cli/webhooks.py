"""``tabularium webhooks``: the keys that encrypt the secrets of webhooks, and sign what is pushed."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from service.base.settings import Settings, SettingsError, from_env
from service.cli.output import bad_input

OnData = Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="The keys of webhooks, and of pushes to browsers.")
    group.command("key")(key)
    group.command("reseal")(reseal)
    group.command("push-key")(push_key)
    app.add_typer(group, name="webhooks")


def key(
    to: Annotated[Path | None, typer.Option("--to", help="Write the key to this new file instead.")] = None,
    data: OnData = None,
) -> None:
    """Make a new key. It is never printed.

    It takes the place of the one in the data directory, and the secrets of all webhooks are encrypted with it; the
    service there must be stopped. With --to, the key is for TABULARIUM_WEBHOOK_KEY: put it before the old key there,
    with a space in between, restart all processes, and run `tabularium webhooks reseal`. Then remove the old key.
    """
    settings = _settings(data)
    # Imported late, because only some commands need it.
    from service.base.private import write_secret
    from service.store.backend import Embedded
    from service.store.protocol import StoreError
    from service.webhooks.secrets import KeyUnusable, new_key

    if to is None and (settings.webhook_key or settings.database_url):
        bad_input("the service takes its key from TABULARIUM_WEBHOOK_KEY: say with --to where to write a new one")
    path, new = settings.webhook_key_file, new_key()
    try:
        if to is not None:
            write_secret(to, new)
            return
        with Embedded(settings).reserved():
            old = path.read_text() if path.exists() else ""
            beside = path.with_name(f"{path.name}.next")
            beside.unlink(missing_ok=True)
            write_secret(beside, f"{new}\n{old}".strip())
            beside.replace(path)
            if settings.database.exists():
                asyncio.run(_reseal(settings))
            write_secret(beside, new)
            beside.replace(path)
    except (KeyUnusable, StoreError) as error:
        bad_input(str(error))
    except OSError as error:
        bad_input(f"{to or path} cannot be written: {error.strerror}")


def reseal(data: OnData = None) -> None:
    """Encrypt the secrets of all webhooks with the first key of TABULARIUM_WEBHOOK_KEY.

    On PostgreSQL you can run this beside the service. Afterwards the other keys are no longer needed.
    """
    settings = _settings(data)
    from service.base.extras import MissingExtra
    from service.store.protocol import StoreError
    from service.webhooks.secrets import KeyUnusable

    if not settings.webhook_key:
        bad_input("TABULARIUM_WEBHOOK_KEY is not set: `tabularium webhooks key` replaces a key in a data directory")
    try:
        print(f"encrypted the secrets of {asyncio.run(_reseal(settings))} webhooks")
    except (KeyUnusable, StoreError, MissingExtra) as error:
        bad_input(str(error))


async def _reseal(settings: Settings) -> int:
    """Encrypt the secrets of all webhooks with the first key, and return how many these are. Raises `KeyUnusable`."""
    from service.store.backend import backend_of
    from service.webhooks.secrets import sealer

    sealing = sealer(settings)
    store = await backend_of(settings).open_store()
    try:
        rows = await store.webhooks.sealed()
        if sealing is not None:
            for row in rows:
                await store.webhooks.reseal(sealing.resealed(row), row.secret)
        return len(rows)
    finally:
        await store.close()


def push_key(
    to: Annotated[Path, typer.Option("--to", help="Write the key to this new file.")],
) -> None:
    """Make a key for TABULARIUM_PUSH_KEY, which signs what is pushed to browsers. It is never printed.

    Give it to every process. A service without a database server needs none: it makes its own, push.key in its data
    directory. Browsers accept pushes only by the key that they were registered with. So after a change of the key,
    their owners have to switch pushes on again.
    """
    from service.base.private import write_secret
    from service.webhooks.push import new_push_key

    try:
        write_secret(to, new_push_key())
    except OSError as error:
        bad_input(f"{to} cannot be written: {error.strerror}")


def _settings(data: Path | None) -> Settings:
    overrides = {"TABULARIUM_DATA": str(data)} if data is not None else {}
    try:
        return from_env({**os.environ, **overrides})
    except SettingsError as error:
        bad_input(str(error))
