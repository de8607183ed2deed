"""The table of folders in domain/README.md says of each game which folders it has, in the order of the layers."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GAMES = {"Classic": "classic", "Campaign": "campaign", "Mare Nostrum": "mare_nostrum", "Italia": "italia"}


def table() -> tuple[list[str], list[list[str]]]:
    """Return the head of the table, and its rows."""
    text = (ROOT / "domain" / "README.md").read_text()
    lines = re.findall(r"^\|.*$", text[text.index("## The shape of a ruleset") :], re.M)
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head, _, *rows = cells[: next(at for at, row in enumerate(cells) if "`box/`" in row) + 1]
    return head, rows


@pytest.mark.parametrize("title", GAMES)
def test_the_readme_lists_the_folders_of_a_ruleset(title: str) -> None:
    head, rows = table()
    package = ROOT / "domain" / GAMES[title]
    folders = {f"{file.parent.name}/" for file in package.glob("*/__init__.py")}
    modules = {file.name for file in package.glob("*.py")} - {"__init__.py"}
    assert {row[0].strip("`") for row in rows if row[head.index(title)]} == folders | modules


def test_the_readme_lists_the_folders_in_the_order_of_their_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if "domain.italia" in each.get("containers", ()))
    _, rows = table()
    assert [row[0].strip("`").removesuffix("/").removesuffix(".py") for row in rows] == [
        name.strip("()") for layer in layers for name in layer.split(" | ")
    ]
