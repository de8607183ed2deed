"""``tabularium openapi``: the published contract."""

from pathlib import Path
from typing import Annotated

import typer

from service.cli.output import console


def register(app: typer.Typer) -> None:
    app.command("openapi")(openapi)


def openapi(
    folder: Annotated[Path, typer.Option(help="Where the contract lies.")] = Path("openapi"),
    check: Annotated[bool, typer.Option("--check", help="Only compare it with the code.")] = False,
) -> None:
    """Write the contract generated from the code; with --check exit 1 when the folder differs from it."""
    from service import contract

    if not check:
        contract.write(folder)
        return
    if different := contract.differs(folder):
        for name in different:
            console.print(f"{name} differs from the code; write it anew with `tabularium openapi`", markup=False)
        raise typer.Exit(1)
