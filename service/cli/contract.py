"""``tabularium openapi``: the published contract."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from service.cli.output import bad_input, console


def register(app: typer.Typer) -> None:
    app.command("openapi")(openapi)


def openapi(
    folder: Annotated[Path, typer.Option(help="The folder of the contract.")] = Path("openapi"),
    check: Annotated[bool, typer.Option("--check", help="Only compare it with the code; write nothing.")] = False,
    release: Annotated[
        bool, typer.Option("--release", help="Keep this contract as the last release, which later ones must not break.")
    ] = False,
) -> None:
    """Generate the contract from the code. With --check, exit with 1 if the folder differs from it.

    Exits with 1 as well when the contract breaks clients of the last release without a new major version, or when an
    endpoint has no example or no description.
    """
    from service.api.contract import files as contract
    from service.api.contract.operations import Undescribed

    if folder.is_dir() and any(folder.iterdir()) and not (folder / "openapi.json").is_file():
        # Writing removes all files that are not part of the contract: in a wrong folder, that would be everything.
        bad_input(f"{folder} contains other files than a contract; name a folder with a contract, or an empty one")
    if check and not folder.is_dir():
        bad_input(f"there is no folder {folder}; name the folder of the contract with --folder")
    if check and release:
        bad_input("--check writes nothing, so it cannot go with --release")
    try:
        wrong = contract.fault(folder)
        if release and wrong is None:
            contract.release(folder, datetime.now(UTC).date())
        elif not check:
            contract.write(folder)
    except Undescribed as error:
        console.print(str(error), markup=False)
        raise typer.Exit(1) from None
    except OSError as error:
        bad_input(f"{folder} cannot be written to: {error.strerror}")
    different = contract.differs(folder) if check else []
    for name in different:
        console.print(f"{name} differs from the code; write it again with `tabularium openapi`", markup=False)
    if wrong is not None:
        console.print(wrong, markup=False)
    if different or wrong is not None:
        raise typer.Exit(1)
