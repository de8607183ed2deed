"""The recipes of the READMEs ("How to add …") name files, names in these files, and commands that there are."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.service.cli.test_usage import COMMANDS

ROOT = Path(__file__).parents[1]
RECIPES = {
    f"{readme.parent.name}: {title}": recipe
    for readme in (ROOT / folder / "README.md" for folder in ("domain", "service", "tests"))
    for title, recipe in re.findall(r"^## (How to .*)\n((?:(?!## ).*\n)+)", readme.read_text(), re.M)
}


def files(path: str) -> list[Path]:
    """Return the files at a path of a recipe, in which `<…>` stands for any name."""
    found = [*ROOT.glob(re.sub(r"<\w+>", "*", path).rstrip("/"))]
    inside = (file for each in found for file in ([each] if each.is_file() else each.rglob("*.*")))
    return [file for file in inside if file.suffix != ".pyc"]


def quoted(text: str) -> list[str]:
    """Return what a text says in code."""
    return [" ".join(each.split()) for each in re.findall(r"`([^`]+)`", text)]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_recipe_names_files_that_are_there(recipe: str) -> None:
    assert (paths := [each for each in quoted(recipe) if re.fullmatch(r"[\w.<>-]+/[\w./<>-]*", each)])
    assert [path for path in paths if not files(path)] == []


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_step_names_what_is_in_its_file(recipe: str) -> None:
    for step in re.findall(r"^\d+\. (`[\w./<>-]+/[\w./<>-]*`.*\n(?:   .*\n)*)", recipe, re.M):
        path, *names = quoted(step)
        texts = [file.read_text() for file in files(path)]
        missing = [each for each in names if each.isidentifier() and not any(each in text for text in texts)]
        assert missing == [], path


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_recipe_names_commands_that_can_be_run(recipe: str) -> None:
    for program, *arguments in (each.split() for each in quoted(recipe)):
        match program:
            case "tabularium":
                assert any(" ".join(arguments).startswith(command) for command in COMMANDS), arguments
            case "python":
                assert find_spec(arguments[1]), arguments
            case "bash":
                assert (ROOT / arguments[0]).is_file()
            case _:
                pass
