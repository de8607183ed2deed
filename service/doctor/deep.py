"""Recompute every hash that the store keeps: the chains of events, the transparency log, and the commitments.

Archived segments and games with commitments are read more than once. Memory holds the head of each stream, the hash of
each entry of the transparency log, and the commitments. A service may write meanwhile. No command is decided again:
`tabularium verify` does that with an export.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from domain.kernel.chance.draws import commitment_to
from domain.kernel.chance.secret import commitment_of
from domain.kernel.ids import CaseId, GameId, StreamId, TournamentId, Version, as_game, is_case, is_tournament
from domain.kernel.log.record import first_broken, genesis
from domain.tournament.chain import commitment_of as seed_commitment
from domain.transparency.checkpoint import Checkpoint, read_checkpoint, verified
from domain.transparency.entry import kind_of, read_entry
from domain.transparency.note import NoteError, read_note
from domain.transparency.tree import EMPTY, Frontier, Placed, Run, leaf_hash
from projections.cursor import Cursor
from service.base.settings import Settings
from service.doctor.finding import Finding, fail, ok
from service.store.protocol import EventStore, StoreDamaged, StreamDamaged
from service.store.transparency import Leaf, TreeHead, TreeStore
from service.transparency.kept import Kept
from service.transparency.keys import KeyUnusable, LogKey, check, present_key

CHUNK: Final = 1_000
"""How many rows are read at once."""

NAMED: Final = 5
"""How many problems a finding lists. It only counts the others."""

_REMEDY: Final = (
    "Stop the service, set the damaged data aside, and restore a backup that `tabularium doctor --deep` finds sound."
    " `tabularium verify` of an export says which games can still be proved."
)


class Progress(Protocol):
    """Gets the progress: `done` of `of` items called `what`."""

    def __call__(self, what: str, done: int, of: int) -> None: ...


class _Signed(NamedTuple):
    """What entry `number` of the transparency log says about a version of a stream."""

    number: int
    hash: str
    at: str


class _Head(NamedTuple):
    """The last event of a stream up to which its chain of hashes is unbroken."""

    version: Version
    hash: bytes


async def examine(settings: Settings, store: EventStore, progress: Progress) -> AsyncIterator[Finding]:
    """Yield findings: whether the stored data has its hashes and fits its commitments."""
    signed: dict[tuple[StreamId, Version], _Signed] = {}
    yield await _tree(settings, store.tree, signed, progress)
    archive = await _archive(store, progress)
    if archive is not None:
        yield archive
        if archive.level == "fail":
            yield fail("chains", "they were not computed, because a segment of the archive is damaged", _REMEDY)
            return
    commitments: dict[StreamId, dict[Version, str]] = {}
    yield await _chains(store, signed, commitments, progress)
    yield await _commitments(store, commitments, progress)


def _finding(check: str, problems: Sequence[str], message: str) -> Finding:
    if not problems:
        return ok(check, message)
    more = f", and {len(problems) - NAMED} more like this" if len(problems) > NAMED else ""
    return fail(check, "; ".join(problems[:NAMED]) + more, _REMEDY)


# --- the transparency log ---------------------------------------------------------------------------------------------


async def _tree(
    settings: Settings, tree: TreeStore, signed: dict[tuple[StreamId, Version], _Signed], progress: Progress
) -> Finding:
    """Hash all entries again, and fill `signed` with what they say."""
    checkpoints, problems = await _checkpoints(settings, tree)
    # After the checkpoints, which follow the tree: it may grow meanwhile.
    head = await tree.head() or TreeHead(0, EMPTY, Cursor(()))
    roots = [(head.size, head.root, "the tree that was stored")]
    roots += [(each.size, each.root, f"the checkpoint of {each.size} entries") for each in checkpoints]
    frontier = Frontier()
    for start in range(0, head.size, CHUNK):
        stop = min(start + CHUNK, head.size)
        leaves = await tree.leaves(start, stop)
        placed: list[Placed] = []
        for leaf in leaves:
            placed += frontier.add(leaf_hash(leaf.entry))
            problems += [
                f"the entries do not make {what}"
                for size, root, what in roots
                if size == frontier.size and root != frontier.root
            ]
        if len(leaves) < stop - start:
            problems.append(f"of the entries {start} to {stop - 1} only {len(leaves)} are there")
            break
        problems += await _misplaced(tree, placed)
        problems += _misread(start, leaves, signed)
        progress("entries of the transparency log", frontier.size, head.size)
    problems += [f"{what} is larger than the tree that was stored" for size, _, what in roots if size > head.size]
    # What is wrong with an entry or a hash says more than a root that follows from it.
    problems.sort(key=lambda message: message.startswith("the entries do not make"))
    return _finding("tree", problems, f"{head.size} entries make the tree that was stored and signed")


async def _checkpoints(settings: Settings, tree: TreeStore) -> tuple[list[Checkpoint], list[str]]:
    """Return the checkpoints that the tree must fit, and a line for each stored one that is damaged or not genuine."""
    key, published = _key(settings), await tree.published()
    heads, problems = list[Checkpoint](), list[str]()
    checkpoints = [published, await tree.cosigned(published.origin)] if published is not None else []
    for each in filter(None, checkpoints):
        try:
            note = read_note(each.note)
            checkpoint = read_checkpoint(note.text)
            keys = [signer.key for signer in key.signers] if key is not None and key.origin == each.origin else []
            if (checkpoint.origin, checkpoint.size) != (each.origin, each.size) or (
                keys and not verified(note, keys, check)
            ):
                raise NoteError("it is another one")
            heads.append(checkpoint)
        except NoteError as error:
            problems.append(f"the checkpoint of {each.size} entries is not the one that was signed: {error}")
    with suppress(OSError, NoteError):  # the plain examination reports these
        if key is not None and (newest := Kept(settings.data, key.origin).newest()) is not None:
            heads.append(newest)
    return heads, problems


def _key(settings: Settings) -> LogKey | None:
    try:
        return present_key(settings)
    except KeyUnusable:  # the plain examination reports this
        return None


async def _misplaced(tree: TreeStore, placed: Sequence[Placed]) -> list[str]:
    """Return a line for each computed hash that is missing from the store or differs there."""
    levels = [list(each) for _, each in groupby(sorted(placed), key=lambda each: each.level)]
    stored = await tree.hashes([Run(each[0].level, each[0].number, each[-1].number + 1) for each in levels])
    return [
        f"hash {one.number} of level {one.level} is not that of entry {one.number}"
        if not one.level
        else f"hash {one.number} of level {one.level} is not that of its entries"
        for computed, row in zip(levels, stored, strict=True)
        for at, one in enumerate(computed)
        if at >= len(row) or row[at] != one.hash
    ]


def _misread(start: int, leaves: Sequence[Leaf], signed: dict[tuple[StreamId, Version], _Signed]) -> list[str]:
    """Return a line for each entry that cannot be read or is stored under another stream or version.

    Fill `signed` with what the entries say.
    """
    problems: list[str] = []
    for number, leaf in enumerate(leaves, start):
        try:
            entry = read_entry(leaf.entry)
        except ValueError as error:
            problems.append(f"entry {number} is {error}")
            continue
        if (leaf.stream, leaf.version) != (entry.id, entry.version):
            problems.append(f"entry {number} is not found by its {entry.kind} and version")
        signed[GameId(entry.id), entry.version] = _Signed(number, entry.hash, entry.at)
    return problems


# --- the archive ------------------------------------------------------------------------------------------------------


async def _archive(store: EventStore, progress: Progress) -> Finding | None:
    """Read all segments. Return whether they are undamaged; None when there are none."""
    problems: list[str] = []
    after, count = None, 0
    while segments := await store.segments(after, CHUNK // 10):
        problems += [wrong for _, _, wrong in segments if wrong is not None]
        after, count = segments[-1][:2], count + len(segments)
        progress("segments of the archive", count, count + 1)
    return _finding("archive", problems, f"{count} segments can be read and have their hashes") if count else None


# --- the chains -------------------------------------------------------------------------------------------------------


async def _chains(
    store: EventStore,
    signed: dict[tuple[StreamId, Version], _Signed],
    commitments: dict[StreamId, dict[Version, str]],
    progress: Progress,
) -> Finding:
    """Hash all events again, and compare them with what was signed. Fill `commitments` with those in events."""
    in_index, read, cursor = await store.events(), 0, None
    heads: dict[StreamId, _Head] = {}
    broken: dict[StreamId, str] = {}
    problems: list[str] = []
    while True:
        rows, cursor = await store.read_all(cursor, CHUNK)
        if not rows:
            break
        for stream, record in rows:
            if stream in broken:
                continue
            head = heads.get(stream) or _Head(0, genesis(stream))
            if (version := first_broken(stream, [record], *head)) is not None:
                broken[stream] = f"version {version} of {kind_of(stream)} {stream} does not have its hash"
                continue
            heads[stream] = _Head(record.version, record.hash)
            entry = signed.pop((stream, record.version), None)
            if entry is not None and (entry.hash, entry.at) != (record.hash.hex(), record.at):
                problems.append(
                    f"version {record.version} of {kind_of(stream)} {stream} is not the one in entry {entry.number}"
                )
            if (commitment := _commitment(stream, record.version, record.event)) is not None:
                commitments.setdefault(stream, {})[record.version] = commitment
        read += len(rows)
        progress("events", read, max(read, in_index))
    problems = [*broken.values(), *problems]
    problems += await _cut(store, {stream: head for stream, head in heads.items() if stream not in broken})
    problems += [
        f"version {version} of {kind_of(stream)} {stream} is missing, which entry {entry.number} has"
        for (stream, version), entry in signed.items()
        if stream not in broken
    ]
    if read < in_index and not problems:
        problems.append(f"{in_index - read} events are missing that the index counts")
    return _finding(
        "chains",
        problems,
        f"{read} events of {len(heads)} games, cases, tournaments and leagues have the hashes that they had",
    )


def _commitment(stream: StreamId, version: Version, event: bytes) -> str | None:
    """Return an event's commitment to data beside the log, or None.

    That is the secret of a game, the seed of a tournament, or what a party wrote in a case.
    """
    if not is_case(stream) and version > 1:  # of games and tournaments, the first event commits; of leagues, none
        return None
    content: dict[str, Any] = msgspec.json.decode(event)
    return content.get("statement" if is_case(stream) else "commitment")


async def _cut(store: EventStore, heads: Mapping[StreamId, _Head]) -> list[str]:
    """Return a line for each stream that does not end at the version that the index has for it."""
    problems: list[str] = []
    names = list(heads)
    for start in range(0, len(names), CHUNK):
        streams = names[start : start + CHUNK]
        indexed = await store.heads(streams)
        for stream in streams:
            head, version = heads[stream], indexed.get(stream, 0)
            if version > head.version:  # it may have gone on meanwhile
                try:
                    more = await store.read(stream, head.version)
                except StreamDamaged:
                    more = []
                if first_broken(stream, more, *head) is None and len(more) >= version - head.version:
                    continue
            if version != head.version:
                what = f"{kind_of(stream)} {stream}"
                problems.append(f"{what} ends at version {head.version}, and the index has it at {version}")
    return problems


# --- data beside the log ----------------------------------------------------------------------------------------------


async def _commitments(
    store: EventStore, commitments: Mapping[StreamId, Mapping[Version, str]], progress: Progress
) -> Finding:
    """Compare the secrets of games, the seeds of tournaments and the statements in cases with their commitments."""
    problems: list[str] = []
    count = 0
    for number, (stream, committed) in enumerate(commitments.items(), start=1):
        game = as_game(stream)
        try:
            if is_tournament(stream):
                fits = await _seeded(store, stream, committed)
            else:
                fits = await (_hidden(store, game, committed) if game else _written(store, CaseId(stream), committed))
        except (ValueError, StoreDamaged):  # a salt that is no hex, or a value that is no JSON
            fits = [False]
        count += len(fits)
        if not all(fits):
            problems.append(f"what is kept beside {kind_of(stream)} {stream} does not fit a commitment in it")
        progress("games, cases and tournaments with commitments", number, len(commitments))
    return _finding("commitments", problems, f"{count} secrets and statements fit their commitments")


async def _hidden(store: EventStore, game: GameId, committed: Mapping[Version, str]) -> list[bool]:
    """Return whether the secret of a game's dice fits its commitment, and whether each of its hidden values does."""
    try:
        stored = await store.load(game, max(committed))
    except StreamDamaged:  # `_chains` reports this
        return []
    if stored is None:
        return [False]
    return [commitment_to(stored.chance) in committed.values(), *(each.is_genuine() for each in stored.secrets)]


async def _seeded(store: EventStore, tournament: TournamentId, committed: Mapping[Version, str]) -> list[bool]:
    """Return, as the only item, whether the seed of a tournament's lots fits its commitment."""
    seed = await store.seed(tournament)
    return [seed is not None and seed_commitment(seed) in committed.values()]


async def _written(store: EventStore, case: CaseId, committed: Mapping[Version, str]) -> list[bool]:
    """Return whether each statement in a case fits its commitment. Erased ones are left out."""
    return [
        commitment_of(bytes.fromhex(each.salt), msgspec.json.decode(each.written)) == committed.get(each.version)
        for each in await store.statements(case)
        if each.salt is not None and each.written is not None
    ]
