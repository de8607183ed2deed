"""Cases from the command line: list them, show one, fetch its export."""

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from service.cli.output import calling, console, print_json, writable, write_file

UrlOption = Annotated[str, typer.Option("--url", help="The service's address.")]
TokenOption = Annotated[str | None, typer.Option("--token", help="A token, to read what its account may read.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CaseArgument = Annotated[str, typer.Argument(metavar="CASE", help="The case's id.")]

HERE = "http://127.0.0.1:8000"


def register(app: typer.Typer) -> None:
    cases = typer.Typer(no_args_is_help=True, help="Disputes about games: list them, show one, fetch its export.")
    cases.command("list")(list_cases)
    cases.command("show")(show)
    cases.command("export")(export)
    app.add_typer(cases, name="cases")


def list_cases(
    game: Annotated[str | None, typer.Option(help="Only cases of this game.")] = None,
    status: Annotated[str | None, typer.Option(help="Only cases of this status, such as open.")] = None,
    rule: Annotated[str | None, typer.Option(help="Only cases that cite this rule.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at most.")] = 50,
    url: UrlOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List cases, the newest first."""
    filters = {"game": game, "status": status, "rule": rule}
    query = {name: value for name, value in filters.items() if value is not None}
    rows = _get(url, None, "/v1/cases", limit=limit, **query)["items"]
    if as_json:
        print_json(rows)
        return
    for each in rows:
        where = f"{each['game']} version {each['about']}"
        rules = f"  {', '.join(each['rules'])}" if each["rules"] else ""
        console.print(f"{each['case']}  {each['status']:<9}  {each['kind']:<7}  {where}{rules}", markup=False)
    if not rows:
        console.print("No cases.")


def show(case: CaseArgument, url: UrlOption = HERE, token: TokenOption = None, as_json: JsonOption = False) -> None:
    """Show a case in sentences, with what was written in it."""
    path = f"/v1/cases/{quote(case, safe='')}"
    body = _get(url, token, path, limit=500)
    if as_json:
        print_json(body)
        return
    summary, texts = body["summary"], {each["version"]: each for each in body["statements"]}
    console.print(f"{summary['case']}: {summary['status']}, about game {summary['game']}", markup=False)
    for event in _get(url, token, f"{path}/events", limit=500)["items"]:
        console.print(f"{event['version']:>4}  {event['at']}  {event['text']}", markup=False)
        if written := texts.get(event["version"]):
            absence = f"erased at {written['erased']}" if written["erased"] else "hidden from you"
            console.print(f"      {written['text'] or f'({absence})'}", markup=False)
    if refusal := body["refusal"]:
        console.print(f"Decided again, the command is refused: {refusal['detail']} ({refusal['rule']})", markup=False)


def export(
    case: CaseArgument,
    url: UrlOption = HERE,
    token: TokenOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write. Default: CASE.jsonl.")
    ] = None,
) -> None:
    """Fetch a case's whole log from a service."""
    if output:
        writable(output)
    with calling(url, token) as client:
        content = client.content("/v1/cases/{case}/export", case=case)
    target = output or Path(f"{case}.jsonl")
    write_file(target, content)
    console.print(f"{target}: {len(content.splitlines())} lines", markup=False)


def _get(url: str, token: str | None, path: str, **query: Any) -> Any:
    with calling(url, token) as client:
        return client.get(path, **query)
