"""Documents that a game is played with besides its board, such as a deck of cards.

A ruleset declares them (`Ruleset.documents`). They go with the board: code that has the board of a game gets them by
`documents_of`. The first event of a game names each by its digest, and its export contains them whole.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Raw, Struct

from domain.kernel.canonical import digest
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.message import shortened

MOST_PROBLEMS: Final = 100
"""The most problems of a document that are reported, each with at most `LONGEST_PROBLEM` characters."""

LONGEST_PROBLEM: Final = 400

S = TypeVar("S", bound=Struct)


class DocumentError(Exception):
    """A document that no game can use; `problems` has one line for each thing that is wrong, 100 lines at most."""

    def __init__(self, problems: Iterable[str]) -> None:
        # A damaged file may contain line breaks and other control characters; a problem must stay one line.
        self.problems: tuple[str, ...] = tuple(
            "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in short)
            for short in (shortened(problem, LONGEST_PROBLEM) for problem in islice(problems, MOST_PROBLEMS))
        )
        super().__init__("; ".join(self.problems))


class Document(Struct, frozen=True):
    """The base of documents that say what they are."""

    @property
    def remark(self) -> str:
        """What it is, and where its facts are from, in a line; empty when it says nothing."""
        return ""


class EquippedBoard(Board, frozen=True):
    """A board with the documents that a game on it is played with, by name, and their digests."""

    documents: Mapping[str, Struct] = {}
    digests: Mapping[str, str] = {}

    def __hash__(self) -> int:
        return Board.__hash__(self)


def equipped(board: Board, documents: Mapping[str, Struct]) -> Board:
    """Return a board with exactly these documents."""
    plain = {field: getattr(board, field) for field in Board.__struct_fields__}
    if not documents:
        return Board(**plain)
    in_order = dict(sorted(documents.items()))
    return EquippedBoard(**plain, documents=in_order, digests={name: digest(each) for name, each in in_order.items()})


def documents_of(board: Board) -> Mapping[str, Any]:
    """Return the documents that go with a board, by name."""
    return board.documents if isinstance(board, EquippedBoard) else {}


def digests_of(board: Board) -> dict[str, str]:
    """Return the digests of the documents that go with a board, by name: of their canonical JSON."""
    return dict(board.digests) if isinstance(board, EquippedBoard) else {}


def remarks_of(documents: Mapping[str, Struct]) -> dict[str, str]:
    """Return what documents say of themselves, by name."""
    remarks = {name: each.remark for name, each in documents.items() if isinstance(each, Document)}
    return {name: remark for name, remark in remarks.items() if remark}


def key_of(board: Board) -> str:
    """Return the key of a board in stores: its digest, or with documents the digest of its digest and theirs."""
    return key(Map.of(board).digest, digests_of(board))


def key(board: str, documents: Mapping[str, str]) -> str:
    """Return the key of a board from its digest and the digests of its documents."""
    return digest({"board": board, "documents": documents}) if documents else board


# --- reading and writing ----------------------------------------------------------------------------------------------


def read(name: str, raw: bytes, shape: type[S]) -> S:
    """Return the document called `name` in JSON. Raises `DocumentError` with a line about the first wrong part."""
    try:
        document = msgspec.json.decode(raw, type=shape)
        json.loads(raw, object_pairs_hook=refuse_repeated)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$")
        where = f"{name}{path.rstrip('`')}"
        raise DocumentError([f"{where}: {problem[0].lower()}{problem[1:]}"]) from None
    except UnicodeError:
        raise DocumentError([f"{name}: it is not UTF-8 text; send JSON in UTF-8"]) from None
    except msgspec.DecodeError as error:
        raise DocumentError([f"{name}: it is not JSON: {error}"]) from None
    return document


def refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's fields. Raises `DocumentError` when one is given twice."""
    # msgspec keeps the last of two equal fields, which would hide a mistake in a file edited by hand.
    row = dict(pairs)
    if len(row) < len(pairs):
        field, times = Counter(field for field, _ in pairs).most_common(1)[0]
        label = row.get("id") or row.get("between")
        where = f" of {json.dumps(label)}" if label else ""
        raise DocumentError([f"field `{field}`{where} is given {times} times; give it once"])
    return row


def packed(board: Board) -> bytes:
    """Return a board with its documents as JSON, for `unpacked`."""
    return msgspec.json.encode(board)


def unpacked(raw: bytes, shapes: Mapping[str, type[Struct]]) -> Board:
    """Return the board in JSON, with its documents, whose shapes are given by name. Raises `DocumentError`."""
    try:
        fields = msgspec.json.decode(raw, type=dict[str, Raw])
        documents = msgspec.json.decode(fields.pop("documents", Raw(b"{}")), type=dict[str, Raw])
        fields.pop("digests", None)  # made again from what was read
        board = msgspec.json.decode(msgspec.json.encode(fields), type=Board)
        return equipped(board, {name: read(name, bytes(content), shapes[name]) for name, content in documents.items()})
    except (msgspec.ValidationError, UnicodeError, KeyError) as error:
        raise DocumentError([f"the board cannot be read: {error}"]) from None
    except msgspec.DecodeError as error:
        raise DocumentError([f"the board is not JSON: {error}"]) from None
