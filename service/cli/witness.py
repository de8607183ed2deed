"""``tabularium witness``: cosign checkpoints of other logs, so that no log can show two different histories."""

import sqlite3
from pathlib import Path
from typing import Annotated

import typer

from service.cli.logs import read_policy_file
from service.cli.output import bad_input


def register(app: typer.Typer) -> None:
    app.command("witness")(witness)


def witness(
    policy: Annotated[Path, typer.Option(help="A policy file with the logs to witness. Its quorum may be `none`.")],
    state: Annotated[
        Path,
        typer.Option(
            help="Directory for its key and for the last checkpoint of each log. Never restore an old copy: the "
            "witness could then cosign a second history."
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="Name of the witness. It is used once: when the first start makes the key.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on.")] = 8001,
) -> None:
    """Run a witness: it cosigns checkpoints of logs as long as each goes on from the one before (C2SP tlog-witness).

    Run it on another machine than the service. It prints the line with which a policy names this witness.
    """
    policies = read_policy_file(policy)
    if not policies.logs:
        bad_input(f"{policy} names no log")
    # Imported late, because only this command needs it.
    import uvicorn

    from service.base.sockets import address_of, listen
    from service.transparency.keys import KeyUnusable, witness_key
    from service.transparency.witness import Witness, application

    try:
        signer = witness_key(state / "witness.key", name)
        serving = Witness(signer, policies, state / "witness.db")
        with listen(host, port) as listening:
            print(f"witness {signer.key.name} {signer.key} {address_of(listening)}", flush=True)
            config = uvicorn.Config(application(serving), log_level="warning", lifespan="off", access_log=False)
            uvicorn.Server(config).run(sockets=[listening])
    except (KeyUnusable, sqlite3.Error) as error:
        bad_input(str(error))
    except OSError as error:
        bad_input(f"{host}:{port} or {state} cannot be used: {error.strerror or error}")
