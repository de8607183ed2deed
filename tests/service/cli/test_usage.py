"""What every command has in common: help, and one line for what makes no sense."""

import pytest

from tests.service.cli.calling import Call

COMMANDS = {
    "serve": ("--host", "--port", "--data"),
    "play": ("--ruleset", "--seats", "--seed", "--url", "--output", "--quiet"),
    "simulate": ("--games", "--seats", "--seed", "--commands", "--rounds", "--processes", "--json"),
    "replay": ("FILE", "--to", "--causes", "--options"),
    "verify": ("FILE", "--json"),
    "export": ("GAME", "--url", "--token", "--output"),
    "import": ("FILE", "--url", "--token", "--certificate", "--policy"),
    "scenario": ("PATH", "--json", "--ruleset"),
    "rules list": ("--ruleset", "--json"),
    "rules show": ("ID", "--json"),
    "rules coverage": ("--ruleset", "--tests", "--json"),
    "accounts create": ("NAME", "--scopes", "--data"),
    "accounts list": ("--scope", "--json", "--data"),
    "accounts grant": ("PLAYER", "SCOPE", "--data"),
    "accounts close": ("PLAYER", "--data"),
    "accounts tokens": ("PLAYER", "--json", "--data"),
    "accounts token": ("PLAYER", "SCOPE", "--name", "--data"),
    "accounts revoke": ("TOKEN", "--data"),
    "tournament new": ("FILE", "--token", "--title", "--key", "--url", "--json"),
    "tournament draw": ("TOURNAMENT", "--token", "--key", "--url", "--json"),
    "tournament publish": ("TOURNAMENT", "--token", "--draft", "--key", "--url", "--json"),
    "tournament standings": ("TOURNAMENT", "--url", "--json"),
    "tournament verify": ("FILE", "--games", "--json"),
    "openapi": ("--folder", "--check", "--release"),
}


def test_help_names_every_command(call: Call):
    said = call("--help")
    assert said.code == 0
    assert not said.err
    for command in COMMANDS:
        assert f" {command.split()[0]} " in said.out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_of_a_command_explains_all_that_it_takes(call: Call, command: str, flag: str):
    said = call(*command.split(), flag)
    assert said.code == 0
    assert f"Usage: tabularium {command}" in said.out
    for taken in COMMANDS[command]:
        assert taken in said.out


@pytest.mark.parametrize("group", [(), ("rules",)])
def test_a_group_without_a_command_shows_its_help(call: Call, group: tuple[str, ...]):
    said = call(*group)
    assert (said.code, said.err) == (2, "")
    assert "Commands" in said.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("plai", "No such command 'plai'"),
        ("rules sow", "No such command 'sow'"),
        ("play --seets 3", "No such option: --seets (Possible options: --ruleset, --seats, --seed)"),
        ("play --seats many", "'--seats'"),
        ("play --seats 0", "'--seats'"),
        ("play --seed", "'--seed' requires an argument"),
        ("simulate --games 0", "'--games'"),
        ("simulate --processes none", "'--processes'"),
        ("replay", "Missing argument 'FILE'"),
        ("replay game.jsonl --to 0", "'--to'"),
        ("verify", "Missing argument 'FILE…'"),
        ("replay one.jsonl two.jsonl", "unexpected extra argument(s) (two.jsonl)"),
        ("export", "Missing argument 'GAME'"),
        ("export gx --token schlüssel", "Expected visible ASCII characters without blanks"),
        ("scenario", "Missing argument 'PATH"),
        ("rules show", "Missing argument 'ID'"),
        ("serve --port low", "'--port'"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(call: Call, arguments: str, complaint: str):
    assert complaint in call(*arguments.split()).complaint
