"""Calls of the command line, and a game to give it."""

from pathlib import Path

import pytest

from domain.kernel.proof.export import export
from service.bots import simulation
from service.cli import main
from tests.service.cli.calling import Call, Said


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Call `tabularium` in this process."""

    def called(*arguments: object) -> Said:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        assert isinstance(end.value.code, int)
        said = capsys.readouterr()
        return Said(end.value.code, said.out, said.err)

    return called


@pytest.fixture(scope="session")
def lines() -> tuple[bytes, ...]:
    """The export of a game that goes on."""
    plan = simulation.Plan("conquest-classic-friz", seats=3, seed=7, commands=40)
    _, played = simulation.play(plan)
    return tuple(export(played.game, played.records, played.vault))


@pytest.fixture
def exported(tmp_path: Path, lines: tuple[bytes, ...]) -> Path:
    """The same in a file."""
    file = tmp_path / "game.jsonl"
    file.write_bytes(b"".join(lines))
    return file


@pytest.fixture(scope="session")
def finished() -> simulation.Simulation:
    """A game that is over, and in which dice were rolled."""
    _, played = simulation.play(simulation.Plan("conquest-classic-friz", seats=2, seed=24))
    assert played.game.status == "over"
    return played
