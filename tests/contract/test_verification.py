"""`openapi/verification.md` tells of every field that a verified export has."""

import lzma
import re
import subprocess
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import fields

from domain.judging import proof
from domain.judging.events import CASE_EVENTS
from domain.kernel.chance.secret import Secret
from domain.kernel.log.lifecycle import GAME_EVENTS, GameCreated, GameForked
from domain.kernel.log.record import Cause, row_bytes
from domain.kernel.proof.export import End, Header, PastEnd, Row
from domain.kernel.proof.reading import read
from domain.kernel.rules.message import type_name
from service.api.contract import files as contract

TOLD = Path("openapi/verification.md").read_text()
SECTIONS: dict[str, type[Struct]] = {
    "The first line": Header,
    "A row of the log": Row,
    "The cause": Cause,
    "The lines of secrets": Secret,
    "The last line": End,
}


def section(title: str) -> str:
    return TOLD.split(f"\n## {title}\n")[1].split("\n## ")[0]


def named(text: str) -> set[str]:
    """Return the fields that stand in the first column of the tables."""
    first = (line.split("|")[1] for line in text.splitlines() if line.startswith("| "))
    return {name for cell in first for name in re.findall(r"`([a-z_]+)`", cell)}


@pytest.mark.parametrize("title", SECTIONS)
def test_every_field_is_in_its_table(title: str) -> None:
    assert {field.name for field in fields(SECTIONS[title])} <= named(section(title))


@pytest.mark.parametrize("shape", [GameForked, PastEnd], ids=lambda each: each.__name__)
def test_every_field_of_the_past_of_a_fork_is_told(shape: type[Struct]) -> None:
    told = set(re.findall(r"`([a-z_-]+)`", section("The past of a fork")))
    assert {field.encode_name for field in fields(shape)} | {type_name(GameForked)} <= told


@pytest.mark.parametrize("event", [each for each in GAME_EVENTS if each is not GameForked], ids=type_name)
def test_every_event_around_the_table_is_told_with_its_fields(event: type[Struct]) -> None:
    text = section("The events around the table")
    assert f"`{type_name(event)}`" in text
    same_as_the_first_line = {"ruleset", "ruleset_version", "board"} if event is GameCreated else set[str]()
    told = set(re.findall(r"`([a-z_]+)`", text)) | same_as_the_first_line | {"by"}
    assert {field.encode_name for field in fields(event)} <= told


@pytest.mark.parametrize(
    "shape", [*CASE_EVENTS, proof.Header, proof.Statement, proof.End], ids=lambda each: each.__name__
)
def test_every_field_of_the_export_of_a_case_is_told(shape: type[Struct]) -> None:
    text = section("The export of a case")
    told = set(re.findall(r"`([a-z_-]+)`", text))
    assert {field.encode_name for field in fields(shape)} <= told
    assert shape not in CASE_EVENTS or type_name(shape) in told


def test_writing_the_contract_leaves_it_where_it_is(tmp_path: Path) -> None:
    contract.write(tmp_path)
    (tmp_path / "verification.md").write_text(TOLD)
    (tmp_path / "left-over.json").write_text("{}")
    contract.write(tmp_path)
    assert (tmp_path / "verification.md").read_text() == TOLD
    assert contract.differs(tmp_path) == []
    assert not (tmp_path / "left-over.json").exists()


def test_the_worked_row_is_a_recorded_one_and_sha256sum_reproduces_its_hash() -> None:
    block = re.findall(r"```bash\n(.*?)```", section("The hash chain"), re.DOTALL)[0]
    said = block.splitlines()[-1].removeprefix("# ")
    assert subprocess.run(["bash", "-ec", block], capture_output=True, text=True, check=True).stdout.strip() == said
    cancelled = Path("tests/recorded/unfinished/cancelled.jsonl.xz").read_bytes()
    recorded = read(lzma.decompress(cancelled).splitlines(keepends=True))
    before, row = re.findall("^(?:before|row)=(.*)$", block, re.MULTILINE)
    first, second = recorded.records[:2]
    assert (before, row.strip("'").encode()) == (first.hash.hex(), row_bytes(recorded.game, second))


def test_the_contract_says_how_events_are_hashed_and_where_a_row_is_worked_out() -> None:
    written = msgspec.json.decode(Path("openapi/openapi.json").read_bytes())
    said = written["components"]["schemas"]["EventView"]["description"]
    assert all(field.encode_name in said for field in fields(Row))
    assert "`tabularium/1 `" in said
    assert "/docs/guides/verification" in said
