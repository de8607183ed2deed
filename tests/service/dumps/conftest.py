"""A store with recorded games, and dumps of them, made once."""

import asyncio
from pathlib import Path

import pytest

from service.cli import main
from tests.helpers.stored import appended, filled
from tests.recorded import Recorded, recorded
from tests.service.cli.conftest import call
from tests.service.transparency.logs import KEY

SHORT = (
    *("conquest-campaign/v1/01-2-random", "conquest-campaign/v1/11-2-random", "conquest-campaign/v1/06-2-greedy"),
    *("conquest-classic-friz/v2/01-2-random", "mare-nostrum/v2/03-5-random"),
)
"""The shortest recorded games."""

__all__ = ["call"]


def chosen() -> list[Recorded]:
    return [each for each in recorded() if str(each) in SHORT]


def dump(*arguments: object) -> int:
    """Call `tabularium dump`, in this process; return its exit code."""
    with pytest.raises(SystemExit) as end:
        main(["dump", *map(str, arguments)])
    return int(end.value.code or 0)


@pytest.fixture(scope="session")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy with the key that signs the log of the store."""
    path = tmp_path_factory.mktemp("policy") / "policy"
    path.write_text("".join(f"log {signer.key}\n" for signer in KEY.signers) + "quorum none\n")
    return path


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a store with the shortest recorded games."""
    data = tmp_path_factory.mktemp("stored")
    asyncio.run(filled(data, [appended(each) for each in chosen()]))
    return data


@pytest.fixture(scope="session")
def dumps(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """Dumps of these games, made at one go by this process."""
    folder = tmp_path_factory.mktemp("dumps")
    assert dump(folder, "--data", data, "--processes", 1) == 0
    return folder
