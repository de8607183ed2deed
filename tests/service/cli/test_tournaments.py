"""Tournaments from the command line: directed over HTTP, and their exports proved."""

import asyncio
import functools
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog

from domain.kernel.ids import TournamentId
from domain.tournament import proof, rounds
from service.tournaments.tables import open_game
from tests.helpers.tournaments import Club
from tests.service.api.clubs import REGULATIONS, club_of
from tests.service.api.clubs import Club as Evening
from tests.service.api.serving import serving
from tests.service.cli.calling import Call, Said


@pytest.fixture
def file(tmp_path: Path) -> Path:
    club = Club(8, ruleset="conquest-classic-friz")
    club.play()
    written = tmp_path / "t-club.jsonl"
    written.write_bytes(b"".join(proof.export(club.tournament, club.records)))
    return written


def test_the_export_of_a_tournament_is_proved_and_what_is_missing_is_named(call: Call, file: Path) -> None:
    said = call("verify", file)
    assert said.code == 0, said.out
    assert "Proved: t-club, a tournament" in " ".join(said.out.split())
    assert "The results of 2 games: their exports are missing." in " ".join(said.out.split())
    verdict = call("verify", file, "--json").json
    assert verdict["ok"] is True
    assert len(verdict["games"]) == 2


def test_a_forged_tournament_is_named_with_its_version(call: Call, file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"luck 3", b"luck 4", 1))
    said = call("verify", file)
    assert said.code == 1
    assert "NOT PROVED: version 7 of the tournament is wrong." in " ".join(said.out.split())


def test_a_tournament_is_proved_among_other_files(call: Call, file: Path) -> None:
    (file.parent / "other").mkdir()
    forged = file.parent / "other" / "t-forged.jsonl"
    forged.write_bytes(file.read_bytes().replace(b"luck 3", b"luck 4", 1))
    said = call("verify", file.parent)
    assert said.code == 1
    assert "1 proved, 1 not proved, 0 not read." in " ".join(said.out.split())
    assert "not proved: The results of 2 games: their exports are missing." in " ".join(said.out.split())


def test_the_game_of_a_tournament_is_no_single_file(call: Call, file: Path) -> None:
    said = call("verify", file, "--game", file)
    assert said.code == 2
    assert "verify a tournament together with the exports of its games" in said.complaint


# --- by directors ---


@pytest.fixture
async def evening(tmp_path: Path) -> AsyncIterator[Evening]:
    # The service answers in this process, whose output is that of the command.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    async with serving(tmp_path, durable=False, tournaments=False) as service:
        yield await club_of(service, 5)


async def run(call: Call, evening: Evening, *arguments: object, token: bool = True) -> Said:
    """Call `tabularium tournament` while the service answers in this process."""
    given = ["--token", evening.director.headers["authorization"].removeprefix("Bearer ")] if token else []
    address = str(evening.service.client.base_url)
    return await asyncio.to_thread(call, "tournament", *arguments, *given, "--url", address)


async def announced(call: Call, evening: Evening, tmp_path: Path) -> str:
    file = tmp_path / "regulations.json"
    file.write_text(json.dumps(REGULATIONS))
    said = await run(call, evening, "new", file, "--title", "Club evening", "--key", "once")
    again = await run(call, evening, "new", file, "--title", "Club evening", "--key", "once")
    assert (said.code, again.out) == (0, said.out)
    evening.url = f"/v1/tournaments/{said.out.strip()}"
    return said.out.strip()


async def test_a_director_announces_draws_and_publishes_without_a_browser(
    call: Call, evening: Evening, tmp_path: Path
) -> None:
    tournament = await announced(call, evening, tmp_path)
    assert (await run(call, evening, "standings", tournament, token=False)).out == "Nobody has entered.\n"
    await evening.enter()
    said = await run(call, evening, "draw", tournament)
    assert said.code == 0, said.err
    first, *tables, bye = said.out.splitlines()
    assert first.startswith("Round 1, draft 1, by slices: costs ")
    assert [each.partition(":")[0] for each in tables] == ["  Table 1", "  Table 2"]
    assert bye.startswith("  Bye: ")
    await run(call, evening, "draw", tournament)
    published = await run(call, evening, "publish", tournament, "--draft", 1, "--key", "twice")
    assert published.out.splitlines() == ["Round 1 is published.", *tables, bye]
    assert (await run(call, evening, "publish", tournament, "--draft", 1, "--key", "twice")).out == published.out
    standing = (await run(call, evening, "standings", tournament, token=False)).out.splitlines()
    assert len(standing) == 5
    assert standing[0].split()[:2] == ["1", "30"]
    assert standing[0].endswith("above the next by points")
    told = (await run(call, evening, "standings", tournament, "--json", token=False)).json
    assert [each["name"] in line for each, line in zip(told["items"], standing, strict=True)] == [True] * 5


async def test_the_logs_of_a_tournament_and_its_games_are_fetched_and_proved(
    call: Call, evening: Evening, tmp_path: Path
) -> None:
    await evening.announce()
    await evening.enter()
    await evening.publish()
    service, tournament = evening.service.services, TournamentId(evening.url.rsplit("/", 1)[1])
    found, seed = (await service.committee.now(tournament)).tournament, await service.store.seed(tournament)
    assert seed is not None
    table = found.field.rounds[1].tables[0]
    game = await open_game(service.games, found, seed, "Evening", 1, table)
    opening = functools.partial(rounds.open_table, number=1, table=table.number, game=game)
    await service.committee.by_house(tournament, lambda tournament, cause, at: opening(tournament, cause=cause, at=at))
    url, folder = str(evening.service.client.base_url), tmp_path / "a" / "b"
    said = await asyncio.to_thread(call, "tournament", "export", tournament, "--output", folder, "--url", url)
    assert said.code == 0, said.complaint
    assert {each.name for each in folder.iterdir()} == {f"{tournament}.jsonl", f"{game}.jsonl"}
    assert (folder / f"{game}.jsonl").read_bytes() == b"".join(await evening.export(f"/v1/games/{game}"))
    lines = (folder / f"{tournament}.jsonl").read_bytes().splitlines(keepends=True)
    assert proof.read(lines).records[-1].type == "table-opened"
    for arguments, complaint in (
        (("tnobody", "--output", folder), "There is no tournament 'tnobody'."),
        ((tournament, "--output", folder / f"{game}.jsonl"), "is no folder to write to: File exists"),
    ):
        wrong = await asyncio.to_thread(call, "tournament", "export", *arguments, "--url", url)
        assert (wrong.code, complaint in wrong.complaint) == (2, True), wrong.complaint


async def test_what_goes_wrong_is_said_in_a_line(call: Call, evening: Evening, tmp_path: Path) -> None:
    nothing, empty = tmp_path / "none.json", tmp_path / "empty.json"
    empty.write_text("{}")
    assert "cannot be read" in (await run(call, evening, "new", nothing)).complaint
    assert "missing required field `ruleset`" in (await run(call, evening, "new", empty)).complaint
    empty.write_text(json.dumps({**REGULATIONS, "sizes": [9], "points": [[0] * 9]}))
    assert "A table of 9 cannot be played." in (await run(call, evening, "new", empty)).complaint
    tournament = await announced(call, evening, tmp_path)
    assert "draw one first" in (await run(call, evening, "publish", tournament)).complaint
    assert "0 players can play the round" in (await run(call, evening, "draw", tournament)).complaint
    assert "There is no tournament 'tgone'." in (await run(call, evening, "standings", "tgone", token=False)).complaint
    evening.director = evening.players[0]
    assert "You do not direct this tournament." in (await run(call, evening, "draw", tournament)).complaint


# --- by anybody ---


def test_a_tournament_is_proved_with_the_standings_that_follow(call: Call, file: Path) -> None:
    said = call("tournament", "verify", file)
    assert said.code == 0, said.out
    assert "Proved: t-club, a tournament" in said.out
    assert "   1        60  player-" in said.out
    (file.parent / "g-1-1.jsonl").write_text("nothing")
    said = call("tournament", "verify", file)
    assert (said.code, said.out.startswith("NOT PROVED: g-1-1. ")) == (1, True)
    assert [*call("tournament", "verify", file, "--json").json["wrong_games"]] == ["g-1-1"]
    elsewhere = file.parent / "games"
    assert f"{elsewhere} is no folder" in call("tournament", "verify", file, "--games", elsewhere).complaint
    elsewhere.mkdir()
    assert call("tournament", "verify", file, "--games", elsewhere).code == 0


def test_a_game_is_no_tournament(call: Call, exported: Path) -> None:
    assert "is not the export of a tournament" in call("tournament", "verify", exported).complaint
