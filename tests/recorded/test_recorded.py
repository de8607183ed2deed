"""Recorded games are proved, and folded to the positions that they had: a change that breaks one is wrong."""

import hashlib
from operator import attrgetter
from typing import get_args

import msgspec
import pytest
from msgspec import Struct

from domain.kernel.log.clock import Then
from domain.kernel.log.fold import fold
from domain.kernel.proof.reading import read
from domain.kernel.proof.verify import verify
from domain.kernel.rules.message import type_name
from domain.library import LIBRARY
from tests.helpers.clocked import OF_CLOCKS
from tests.helpers.sampling import sampled
from tests.recorded import CLOCKED, FOLDER, Expected, Recorded, positions, recorded, sha256, unpacked
from tests.recorded.__main__ import GAMES, missing

RETREATS = {"ask-retreat", "retreat-asked", "answer-retreat", "retreat-answered"}
NOT_MET = {
    ("conquest-classic-friz", 1): RETREATS,
    ("conquest-classic-2005", 1): {"place-rescued"},
    ("conquest-classic-friz", 2): {
        "place-rescued",
        "ransom-lapsed",
        "withdraw-retreat-request",
        "retreat-request-withdrawn",
    },
    ("conquest-classic-2005", 2): {"place-rescued", "ransom-lapsed", "prisoner-handed-over"},
    ("italia-1", 1): {"place-successors", "strangers-met"},
    ("italia-2", 1): {
        *("revolt", "revolt-declined", "stay-subject", "spend-tribute", "tribute-spent"),
        *("decline-title", "title-declined", "end-arrival", "strangers-met"),
    },
    ("italia-1", 2): {"place-successors", "strangers-met"},
    ("italia-2", 2): {
        *("revolt", "revolt-declined", "stay-subject"),
        *("decline-title", "title-declined", "end-arrival", "strangers-met"),
    },
}
"""What no recorded game of a version contains yet, because few positions lead to it; scenarios cover it."""
VERSIONS = [(ruleset, version) for ruleset in LIBRARY.ids() for version in LIBRARY.current(ruleset).versions]


class Unfinished(Struct, frozen=True):
    """An export of a game that was not over: what it was, and the digest of its table."""

    sha256: str
    status: str
    unproved: bool
    table: str


WITH_CLOCKS = msgspec.json.decode((CLOCKED / "positions.json").read_bytes(), type=dict[str, Expected])
UNFINISHED = msgspec.json.decode((FOLDER / "unfinished" / "index.json").read_bytes(), type=dict[str, Unfinished])


DRAWN = sampled("recorded games", recorded(), 6, by=attrgetter("ruleset", "version"))


@pytest.mark.parametrize("game", DRAWN, ids=str)
def test_a_recorded_game_is_what_it_was(game: Recorded) -> None:
    lines = game.lines()
    assert sha256(lines) == game.expected.sha256
    verdict = verify(lines, LIBRARY)
    assert verdict.ok, f"{verdict.problem} (version {verdict.version})"
    assert (verdict.status, verdict.unproved) == ("over", ())
    export = read(lines)
    assert positions(export.game, export.board, export.records, LIBRARY) == game.expected.positions


@pytest.mark.parametrize(("ruleset", "version"), VERSIONS)
def test_every_version_of_every_ruleset_is_recorded(ruleset: str, version: int) -> None:
    found = len(list(recorded(ruleset, version)))
    assert found >= GAMES, f"record games of version {version}: python -m tests.recorded {ruleset}"
    assert set(missing(LIBRARY.at(ruleset, version))) == NOT_MET.get((ruleset, version), set())


@pytest.mark.parametrize("name", WITH_CLOCKS)
def test_a_recorded_game_with_a_clock_is_what_it_was(name: str) -> None:
    expected, lines = WITH_CLOCKS[name], unpacked(CLOCKED / name).splitlines(keepends=True)
    assert sha256(lines) == expected.sha256
    verdict = verify(lines, LIBRARY)
    assert verdict.ok, f"{verdict.problem} (version {verdict.version})"
    assert (verdict.status, verdict.unproved) == ("over", ())
    export = read(lines)
    board = LIBRARY.at(export.ruleset, export.ruleset_version).equip(export.board, export.documents)
    assert positions(export.game, board, export.records, LIBRARY) == expected.positions


def test_recorded_games_have_all_that_happens_to_clocks() -> None:
    met: set[object] = set()
    for name in WITH_CLOCKS:
        for record in read(unpacked(CLOCKED / name).splitlines(keepends=True)).records:
            event = msgspec.json.decode(record.event)
            met |= {record.type, (record.type, event.get("then")), (record.type, record.cause is None)}
    assert {type_name(event) for event in OF_CLOCKS} <= met
    assert {("clock-expired", then) for then in get_args(Then)} <= met
    assert {("clock-set", True), ("clock-set", False), "seat-taken-over"} <= met, "with the game, and after it"


@pytest.mark.parametrize("name", UNFINISHED)
def test_an_export_of_an_unfinished_game_is_what_it_was(name: str) -> None:
    """Spectators, seats and officials keep such exports; they were written before anything happened around tables."""
    expected, exported = UNFINISHED[name], unpacked(FOLDER / "unfinished" / name)
    assert hashlib.sha256(exported).hexdigest() == expected.sha256
    lines = exported.splitlines(keepends=True)
    verdict = verify(lines, LIBRARY)
    assert verdict.ok, f"{verdict.problem} (version {verdict.version})"
    assert (verdict.status, bool(verdict.unproved)) == (expected.status, expected.unproved)
    export = read(lines)
    board = LIBRARY.at(export.ruleset, export.ruleset_version).equip(export.board, export.documents)
    table = fold(export.records, export.game, LIBRARY, lambda _: board).table
    assert (table.digest() if table is not None else "") == expected.table
