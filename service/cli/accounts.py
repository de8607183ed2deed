"""``tabularium accounts``: opens accounts and sets their scopes, directly in the database.

This is how you create the first administrator. The service may run meanwhile.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Final, TypeVar

import typer
from rich.table import Table

from domain.kernel.ids import PlayerId
from service.accounts.accounts import Accounts, TooManyTokens
from service.accounts.names import BadName
from service.api.accounts.bodies import account_view, token_view
from service.base.clock import utc_now
from service.base.extras import MissingExtra
from service.base.scopes import EVERYBODYS, SCOPES, Scope
from service.base.settings import Settings, SettingsError, from_env
from service.cli.output import bad_input, console, print_json
from service.store.accounts import PlayerRow, TokenId, TokenRow
from service.store.protocol import StoreError, StoreUnavailable

T = TypeVar("T")

PAGE: Final = 500

DataOption = Annotated[Path | None, typer.Option(help="Data directory (TABULARIUM_DATA).")]
PlayerArgument = Annotated[str, typer.Argument(metavar="PLAYER", help="The id of the account.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Open accounts, set their scopes, and create and revoke their tokens.", no_args_is_help=True
    )
    for command in (create, grant, close, tokens, token, revoke):
        group.command(command.__name__)(command)
    group.command("list")(listed)
    app.add_typer(group, name="accounts")


def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name that others see.")],
    scopes: Annotated[
        str, typer.Option("--scopes", help=f"What it may do: {', '.join(SCOPES)}, separated by commas.")
    ] = ",".join(EVERYBODYS),
    data: DataOption = None,
) -> None:
    """Open an account and print a token for it. The token is shown only once."""
    scopes_wanted = _scopes(scopes.split(","))

    async def work(accounts: Accounts) -> tuple[PlayerRow, str]:
        return await accounts.register(name, scopes_wanted)

    row, value = _run(work, data, new=True)
    console.print(f"account {row.player}, which may {' '.join(row.scopes)}", markup=False)
    console.print(f"token   {value}", markup=False)


def listed(
    scope: Annotated[str | None, typer.Option(help="Only accounts with this scope.")] = None,
    as_json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """List accounts and their scopes."""
    scope_wanted = _scopes([scope])[0] if scope is not None else None

    async def work(accounts: Accounts) -> list[PlayerRow]:
        rows: list[PlayerRow] = []
        while more := await accounts.players(scope_wanted, rows[-1].player if rows else PlayerId(""), PAGE):
            rows += more
        return rows

    rows = _run(work, data)
    if as_json:
        print_json([account_view(row) for row in rows])
        return
    table = Table("account", "name", "scopes", "created", "closed", "joined with")
    for row in rows:
        table.add_row(row.player, row.name, " ".join(row.scopes), row.created, row.closed or "", row.joined or "")
    console.print(table)


def grant(
    player: PlayerArgument,
    scopes: Annotated[list[str], typer.Argument(metavar="SCOPE…", help="The scopes that it has from now on.")],
    data: DataOption = None,
) -> None:
    """Set the scopes of an account. Its existing tokens lose what you take away."""
    scopes_wanted = _scopes(scopes)

    async def work(accounts: Accounts) -> PlayerRow:
        await _account(accounts, player)
        await accounts.grant(PlayerId(player), scopes_wanted)
        return await _account(accounts, player)

    row = _run(work, data)
    console.print(f"account {row.player} may {' '.join(row.scopes)}", markup=False)


def close(player: PlayerArgument, data: DataOption = None) -> None:
    """Close an account for good: whatever signs in to it ends, and what it organizes passes to others.

    A service that runs on the same data directory does it through its API.
    """
    # Imported late, because only some commands need it.
    from service.app import open_services
    from service.observe.logging import configure

    async def run() -> None:
        settings = _settings(data)
        configure(settings.log_level)
        async with open_services(settings) as services:
            row = await _account(services.accounts, player)
            await services.closing.close(row)

    try:
        asyncio.run(run())
    except StoreUnavailable as error:
        bad_input(f"{error}. Stop it, or let an administrator send DELETE /v1/players/{player} to it")
    except (SettingsError, StoreError, MissingExtra) as error:
        bad_input(str(error))
    console.print(f"account {player} is closed", markup=False)


def tokens(player: PlayerArgument, as_json: JsonOption = False, data: DataOption = None) -> None:
    """List the valid tokens of an account."""

    async def work(accounts: Accounts) -> list[TokenRow]:
        return await accounts.tokens((await _account(accounts, player)).player)

    rows = _run(work, data)
    if as_json:
        print_json([token_view(row) for row in rows])
        return
    table = Table("token", "name", "scopes", "created", "ends", "used")
    for row in rows:
        table.add_row(row.token, row.name, " ".join(row.scopes), row.created, row.ends or "", row.used or "")
    console.print(table)


def token(
    player: PlayerArgument,
    scopes: Annotated[list[str], typer.Argument(metavar="SCOPE…", help="Its scopes.")],
    name: Annotated[str, typer.Option(help="A name to tell it from the others.")] = "command line",
    data: DataOption = None,
) -> None:
    """Create a token for an account whose owner lost theirs. The token is shown only once."""
    scopes_wanted = _scopes(scopes)

    async def work(accounts: Accounts) -> tuple[TokenRow, str]:
        row = await _account(accounts, player)
        missing = [scope for scope in scopes_wanted if scope not in row.scopes]
        if missing or row.closed is not None:
            may = " ".join(row.scopes)
            bad_input(f"{player} {'is closed' if row.closed is not None else f'may not {missing[0]}, it may {may}'}")
        return await accounts.issue(row.player, name, scopes_wanted)

    row, value = _run(work, data)
    console.print(f"token {row.token} for {' '.join(row.scopes)}", markup=False)
    console.print(value, markup=False)


def revoke(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The id of the token, as `tokens` shows it.")],
    data: DataOption = None,
) -> None:
    """Revoke a token."""

    async def work(accounts: Accounts) -> None:
        if await accounts.token(TokenId(token)) is None:
            bad_input(
                f"there is no token {token!r}; `tabularium accounts tokens PLAYER` lists the tokens of an account"
            )
        await accounts.revoke(TokenId(token))

    _run(work, data)
    console.print(f"token {token} is revoked", markup=False)


async def _account(accounts: Accounts, player: str) -> PlayerRow:
    row = await accounts.player(PlayerId(player))
    if row is None:
        bad_input(f"there is no account {player!r}; `tabularium accounts list` lists the accounts")
    return row


def _scopes(names: list[str]) -> list[Scope]:
    result: list[Scope] = []
    for name in names:
        if name not in SCOPES:
            bad_input(f"{name!r} is not a scope; known: {', '.join(SCOPES)}")
        result.append(name)
    return result


def _settings(data: Path | None, *, new: bool = False) -> Settings:
    """Return the settings. Without `new`, it is bad input when their store does not exist."""
    from service.store.backend import backend_of

    settings = from_env({**os.environ, **({"TABULARIUM_DATA": str(data)} if data is not None else {})})
    if not (new or backend_of(settings).exists()):
        bad_input(f"{settings.data} contains no database; name the service's data directory with --data")
    return settings


def _run(work: Callable[[Accounts], Awaitable[T]], data: Path | None, *, new: bool = False) -> T:
    """Run `work` over the store that the settings choose, and return its result. With `new`, make a missing store."""
    # Imported late, because only some commands need it.
    from service.store.backend import backend_of

    async def run() -> T:
        store = await backend_of(_settings(data, new=new)).open_store()
        try:
            return await work(Accounts(store.accounts, utc_now))
        finally:
            await store.close()

    try:
        return asyncio.run(run())
    except (SettingsError, StoreError, MissingExtra, BadName, TooManyTokens) as error:
        bad_input(str(error))
