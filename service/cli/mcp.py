"""``tabularium mcp``: a server of the Model Context Protocol over stdin and stdout."""

from typing import Annotated

import typer

from service.base.extras import MissingExtra, needs_extra
from service.cli.output import bad_input, calling


def register(app: typer.Typer) -> None:
    app.command("mcp")(mcp)


def mcp(
    url: Annotated[str, typer.Option(help="The service's address.")] = "http://127.0.0.1:8000",
    token: Annotated[
        str | None, typer.Option(help="A token: the tools may do what it may. Without one, they only read.")
    ] = None,
) -> None:
    """Let a language model read and play games, as a server of the Model Context Protocol over stdin and stdout."""
    try:
        with needs_extra("mcp", "tabularium mcp"):
            from service.mcp.server import server
    except MissingExtra as error:
        bad_input(str(error))
    with calling(url, token) as client:
        client.get("/v1/rulesets")
        server(client).run("stdio")
