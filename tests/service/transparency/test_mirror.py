"""The mirror: it copies what was signed and nothing else, goes on where it was interrupted, and misses no change."""

import gzip
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from domain.kernel.proof.export import export
from domain.transparency.policy import read_policy
from service.bots.bot import GREEDY, RANDOM
from service.bots.simulation import Plan, Simulation, play
from service.transparency.follower import Follower
from service.transparency.keys import check
from service.transparency.memory import Memory
from service.transparency.mirror import Copied, Mirror
from service.transparency.pages import ATTEMPTS, Page, Unreachable
from tests.service.transparency.logs import KEY
from tests.service.transparency.shown import Shown

POLICY = read_policy(f"log {KEY.signers[0].key}\nquorum none\n".encode())
SHORT, LONG = 8, 20
"""Commands after which a game is signed first, and after which it is signed again."""


@cache
def played(seed: int, commands: int, level: str = RANDOM) -> Simulation:
    return play(Plan("conquest-classic-friz", seats=2, seed=seed, commands=commands, level=level))[1]


def export_of(seed: int, commands: int, level: str = RANDOM) -> bytes:
    game = played(seed, commands, level)
    return b"".join(export(game.game, game.records, game.vault))


class Service(Shown):
    """A service that has exports of its games."""

    def __init__(self) -> None:
        super().__init__()
        self.exports: dict[str, bytes] = {}
        self.answers: dict[str, Page] = {}
        self.breaks_off = 0
        """The number of exports after which the service breaks off; 0 for never."""

    def sign(self, seed: int, commands: int, level: str = RANDOM) -> str:
        """Sign a game as it is after that number of commands; return its id."""
        game = played(seed, commands, level)
        rows = [{"version": row.version, "hash": row.hash.hex(), "at": row.at} for row in game.records]
        self.games[game.game.id], self.statuses[game.game.id] = rows, game.game.status
        self.exports[game.game.id] = export_of(seed, commands, level)
        self.log(game.game.id)
        return game.game.id

    def get(self, path: str) -> Page:
        if not path.endswith("/export"):
            return super().get(path)
        self.asked.append(path)
        if self.breaks_off and len(self.exported) > self.breaks_off:
            raise Unreachable("the service is away")
        game = path.split("/")[3]
        return self.answers.get(game) or Page(200, self.exports[game])

    @property
    def exported(self) -> list[str]:
        return [path.split("/")[3] for path in self.asked if path.endswith("/export")]


@pytest.fixture
def service() -> Service:
    site = Service()
    for seed in (1, 2, 3):
        site.sign(seed, SHORT)
    return site


def mirrored(site: Service, directory: Path) -> tuple[Counter[str], list[Copied]]:
    """Follow and copy once, as the command does; return how many there were of what, and what is no good."""
    site.asked.clear()
    follower = Follower(site, POLICY, directory / "log", check, pause=lambda seconds: None)
    follower.look(0)
    follower.close()
    memory = Memory(directory / "log")
    mirror = Mirror(site, memory, directory, pause=lambda seconds: None)
    copied = list(mirror.copy(mirror.streams_to_copy()))
    mirror.close()
    memory.close()
    return Counter(each.result for each in copied), [each for each in copied if each.message]


def copies(directory: Path) -> dict[str, bytes]:
    files = sorted((directory / "games").iterdir())
    return {file.name.removesuffix(".jsonl.gz"): gzip.decompress(file.read_bytes()) for file in files}


def test_all_games_are_copied_as_they_are_and_those_that_moved_again(service: Service, tmp_path: Path) -> None:
    assert mirrored(service, tmp_path) == ({"copied": 3}, [])
    assert copies(tmp_path) == service.exports
    assert mirrored(service, tmp_path) == ({}, [])
    assert service.exported == []
    moved = service.sign(2, LONG)
    assert mirrored(service, tmp_path) == ({"copied": 1}, [])
    assert service.exported == [moved]
    assert copies(tmp_path) == service.exports


def test_what_was_interrupted_goes_on_and_what_was_lost_is_fetched_again(service: Service, tmp_path: Path) -> None:
    service.breaks_off = 1
    counts, faults = mirrored(service, tmp_path)
    assert counts == {"copied": 1, "missing": 2}
    assert {each.message for each in faults} == {"the service is away"}
    done = service.exported[0]
    service.breaks_off = 0
    assert mirrored(service, tmp_path) == ({"copied": 2}, [])
    assert done not in service.exported
    (tmp_path / "games" / f"{done}.jsonl.gz").unlink()
    assert mirrored(service, tmp_path) == ({"copied": 1}, [])
    assert copies(tmp_path) == service.exports


def test_what_the_service_need_not_show_is_passed_until_it_is_signed_again(service: Service, tmp_path: Path) -> None:
    first = {"cause": {}, "event": {}, "schema": 1, "draws": 0, "at": ""}
    hidden = service.sign(4, SHORT)
    service.entries.pop()
    service.withheld[hidden] = ("sim-1", first)
    service.log(hidden)
    service.answers[hidden] = Page(403, b'{"type": "/problems/withheld"}')
    assert mirrored(service, tmp_path)[0] == {"copied": 3, "hidden": 1}
    assert mirrored(service, tmp_path)[0] == {}
    service.withheld.clear()
    service.answers.clear()
    service.sign(4, LONG)
    assert mirrored(service, tmp_path) == ({"copied": 1}, [])
    assert hidden in copies(tmp_path)
    # What was signed as a game that everybody may see is not passed so.
    shown = service.sign(1, LONG)
    service.answers[shown] = Page(403, b'{"type": "/problems/withheld"}')
    counts, faults = mirrored(service, tmp_path)
    assert (counts, "answers 403" in faults[0].message) == ({"missing": 1}, True)


LIES: dict[str, Callable[[bytes], bytes]] = {
    "another history, whose chain is whole": lambda whole: export_of(2, LONG, GREEDY),
    "another game": lambda whole: export_of(3, LONG),
    "a row that was altered": lambda whole: whole.replace(b'"draws":0', b'"draws":1', 1),
    "less than was signed": lambda whole: export_of(2, SHORT),
    "an export that was cut off": lambda whole: whole[:-100],
    "nothing": lambda whole: b"",
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_not_what_was_signed_is_kept_as_evidence_and_replaces_no_copy(
    service: Service, tmp_path: Path, lie: str
) -> None:
    mirrored(service, tmp_path)
    good = copies(tmp_path)
    moved = service.sign(2, LONG)
    told = service.exports[moved]
    service.exports[moved] = LIES[lie](told)
    for _ in range(2):
        counts, (fault,) = mirrored(service, tmp_path)
        assert (counts, fault.stream) == ({"different": 1}, moved)
        assert len(service.exported) == ATTEMPTS, "a process may be behind"
        assert (Path(fault.evidence) / "shown.jsonl").read_bytes() == service.exports[moved]
        assert copies(tmp_path) == good
    service.exports[moved] = told
    assert mirrored(service, tmp_path) == ({"copied": 1}, [])


def test_a_copy_leads_through_every_version_that_was_signed(service: Service, tmp_path: Path) -> None:
    """A service that signs one history of a game, then another, each with a chain that is whole."""
    mirrored(service, tmp_path)
    service.sign(2, LONG, GREEDY)
    counts, (fault,) = mirrored(service, tmp_path)
    assert counts == {"different": 1}
    assert f"another version {len(played(2, SHORT).records)} than the service signed" in fault.message
