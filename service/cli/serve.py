"""``tabularium serve``: the service on its embedded store, or on PostgreSQL."""

import os
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from service.base.extras import MissingExtra
from service.base.settings import PREFIX, Settings, SettingsError, from_env
from service.bots.exhibition import PACE, Exhibition, exhibiting
from service.cli.output import bad_input
from service.store.protocol import StoreError

if TYPE_CHECKING:
    from service.api.services import Services

WELCOME = """\
Tabularium is running at {address}
  reading room    {room}/
  documentation   {address}/docs
  {place}
  limits          {limits}
  a first request curl {address}/v1/rulesets
Press Ctrl-C to stop it. When you start it again, all games go on."""

SANDBOX = """\
A sandbox of Tabularium is running at {address}
It is {now} there until you move the time. Everybody knows these tokens:
{tokens}
These games are there:
{games}
  who has to move curl {address}/v1/sandbox
  move the time   curl -X PUT {address}/v1/sandbox/time -H 'Content-Type: application/json' -d '{{"at": "…"}}'
  begin anew      curl -X POST {address}/v1/sandbox/reset
Press Ctrl-C to stop it. Nothing stays."""

WARNING = "Warning: {host} can be reached from other machines, and these limits are off: {names}."

SHOWN = "A game is being played at {}"


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (TABULARIUM_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one (TABULARIUM_PORT).")] = None,
    data: Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")] = None,
    demonstrate: Annotated[
        bool, typer.Option("--demonstrate/--no-demonstrate", help="Let bots play one game after another.")
    ] = False,
    pace: Annotated[float, typer.Option(min=0, help="Seconds between the bots' commands.")] = PACE,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Run a sandbox: known tokens, games, dice and time, to develop against.")
    ] = False,
) -> None:
    """Run the service, on SQLite in its data directory, or on the database of TABULARIUM_DATABASE_URL."""
    overrides = {"TABULARIUM_HOST": host, "TABULARIUM_PORT": port, "TABULARIUM_DATA": data}
    try:
        settings = from_env(
            {**os.environ, **{name: str(value) for name, value in overrides.items() if value is not None}}
        )
    except SettingsError as error:
        bad_input(str(error))
    try:
        if sandbox:
            if demonstrate:
                bad_input("--demonstrate: no bots play in a sandbox, whose games wait for you; leave it out")
            run_sandbox(settings, host is not None)
        else:
            run(settings, pace if demonstrate else None)
    except (StoreError, SettingsError, MissingExtra) as error:
        bad_input(str(error))
    except OSError as error:
        bad_input(error.strerror or str(error))


def run(settings: Settings, pace: float | None = None) -> None:
    """Serve until a signal comes, and print the address as soon as connections are accepted.

    With a `pace`, bots play games for spectators, with this many seconds between two commands.
    """
    # Imported late: the framework takes longer to load than most commands to run.
    import uvloop

    from service import server
    from service.base.private import open_to_others
    from service.store.backend import backend_of

    def announce(address: str) -> None:
        # A name, because browsers make no passkeys for a host that is an IP address.
        room = address.replace("//127.0.0.1:", "//localhost:")
        place, limits = backend_of(settings).place, limits_of(settings)
        print(WELCOME.format(address=address, room=room, place=place, limits=limits), flush=True)
        if exposed := open_to_others(settings.data):
            print(f"Warning: {exposed}", flush=True)
        if settings.unlimited:
            print(WARNING.format(host=settings.host, names=", ".join(settings.unlimited)), flush=True)

    def exhibit(services: "Services", address: str) -> AbstractContextManager[None]:
        if pace is None:
            return nullcontext()
        notes = settings.data / "demonstration.json"
        return exhibiting(
            Exhibition(address, notes, pace, lambda at: print(SHOWN.format(at), flush=True), services.quiet.add)
        )

    uvloop.run(server.serve(settings, announce, exhibit))


def run_sandbox(settings: Settings, has_host: bool) -> None:
    """Serve a sandbox until a signal comes. Unless the settings name a data directory, it is a temporary one.

    Raises `SettingsError` for a public host, unless `has_host` says that the command line names it.
    """
    import uvloop
    from msgspec.structs import replace

    from service.sandbox import serving
    from service.sandbox.sandbox import Sandbox
    from service.sandbox.settings import sandbox_settings

    sandbox = sandbox_settings(settings)
    if sandbox.public and not has_host:
        raise SettingsError(
            f"{PREFIX}HOST={sandbox.host}: everybody knows the tokens of a sandbox;"
            f" to open it to other machines all the same, use --host {sandbox.host}"
        )

    def announce(address: str, opened: Sandbox) -> None:
        tokens = "\n".join(f"  {each.name:<15} {each.token}" for each in opened.seeded.accounts)
        games = "\n".join(f"  {each.game}  {each.about}" for each in opened.seeded.games)
        now = opened.services.games.time()
        print(SANDBOX.format(address=address, tokens=tokens, games=games, now=now), flush=True)

    with ExitStack() as stack:
        if sandbox.data == Settings().data:
            folder = stack.enter_context(TemporaryDirectory(prefix="tabularium-sandbox-"))
            sandbox = replace(sandbox, data=Path(folder))
        uvloop.run(serving.serve(sandbox, announce))


def limits_of(settings: Settings) -> str:
    """Return the limits in force, in words."""
    limits, in_words = settings.limits, "{:g} {}".format
    parts = [
        in_words(limits[name], what)
        for name, what in (
            ("rate_per_token", "requests a second for each token"),
            ("rate_per_address", "requests a second for each address"),
            ("registrations_per_address", "new accounts an hour for each address"),
            ("connections", "connections"),
            ("connections_per_address", "connections for each address"),
        )
        if limits[name] != "off"
    ]
    return ", ".join(parts)
