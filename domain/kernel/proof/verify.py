"""The proof of a game from its export and the rules alone.

`verify` reads the export (every line canonical, the chain unbroken, every secret true to its commitment), then plays
the game again: it decides every act again, with dice from the published secret, and the resulting events must equal the
stored ones byte for byte. The secret of a running game is not known. Acts that needed chance, or cards that the reader
may not see, are then only folded, and the verdict says so.

`openapi/verification.md` lists every field of an export, and what is checked of it.
"""

from collections.abc import Iterable, Iterator
from typing import Final, cast

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, Version
from domain.kernel.log.ended import order_in_words
from domain.kernel.log.ending import Finish, finish
from domain.kernel.log.game import Game
from domain.kernel.log.lifecycle import Status
from domain.kernel.proof.export import Export, ExportError
from domain.kernel.proof.reading import read
from domain.kernel.proof.replay import Replay
from domain.kernel.rules.ruleset import Library

BEYOND: Final = (
    "Who an account is: the log has only ids, and one person may have two.",
    "Whether clocks were right: the times are checked only for their form and their order.",
    "Whether the log goes on after its last version: compare its head with one that you noted later.",
)
"""What no export can prove, in sentences. `openapi/verification.md` has the details."""


class Verdict(Struct, frozen=True, omit_defaults=True):
    """The result of verifying an export.

    Attributes:
        ok: whether nothing is wrong. Then all of the game is proved except for `unproved`.
        problem: what is wrong, in a sentence.
        version: the first version that is wrong, where the fault belongs to one.
        line: the line of the export that is wrong.
        game, ruleset, status, events: what was checked; absent when the export could not be read.
        head: the hash of the last row. If the end of a log is missing, the rest verifies like a running game; you can
            tell only by comparing its head with one that you noted later.
        proved: what was checked, in sentences.
        unproved: what could not be checked, and why, in sentences; empty for a game that is over, unless it is a fork
            whose past is not wholly published.
        finish: how a game that is over ended, and how all of its seats finished (TAB-END-03); absent before that.
    """

    ok: bool
    problem: str = ""
    version: Version | None = None
    line: int | None = None
    game: GameId | None = None
    ruleset: str | None = None
    status: Status | None = None
    events: int = 0
    head: str = ""
    proved: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    finish: Finish | None = None


def verify(lines: Iterable[bytes], library: Library, parent: Export | None = None) -> Verdict:
    """Verify an export, given line by line like a binary file. Never raises because of its content.

    Args:
        parent: if this game is a fork: an export of its parent. The past of the fork must equal the parent's log. The
            parent is not verified here.
    """
    try:
        export = read(lines)
    except ExportError as error:
        return Verdict(False, error.problem, error.version, error.line)
    verdict = Verdict(True, game=export.game, ruleset=export.ruleset, status=export.status, events=len(export.records))
    try:
        replay = Replay(export, library, parent=parent)
        replay.run()
    except ExportError as error:
        return msgspec.structs.replace(verdict, ok=False, problem=error.problem, version=error.version, line=error.line)
    head = export.records[-1].hash.hex()
    return msgspec.structs.replace(
        verdict,
        head=head,
        proved=tuple(_proved(replay)),
        unproved=tuple(_unproved(replay)),
        finish=finish(cast(Game, replay.game)),
    )


def _proved(replay: Replay) -> Iterator[str]:
    game = cast(Game, replay.game)
    if replay.past is not None:
        yield from _proved_of_past(replay.past)
    if replay.parent is not None:
        yield f"The past of the fork is the log of {replay.parent.game}."
    yield f"The chain of {game.version} events is unbroken and every line is canonical."
    yield "Every act names an account that may do it, and no time is before that of the last event."
    yield f"The game was judged by version {game.began_with} of {game.ruleset.id}{_upgraded(game)}."
    if replay.over and not replay.folded:
        yield f"All {replay.decided} acts were decided again and gave exactly the stored events."
        yield f"All {game.draws} draws of chance follow from the secret that was committed to beforehand."
        if replay.sealed:
            yield f"All {len(replay.sealed)} secrets are published and fit their commitments."
        if (end := finish(game)) is not None:
            yield f"It ended by {end.rule}, and its seats finished so: {order_in_words(end.order, game.names)}."
        return
    yield f"{replay.decided} acts were decided again and gave exactly the stored events."
    if replay.folded:
        yield f"{replay.folded} further acts are consistent with the log."
    if replay.over:
        yield f"All {game.draws} draws of chance that could be decided again follow from the published secret."
    if secrets := len(replay.export.secrets) + replay.opened:
        yield f"The {secrets} secrets in the export fit their commitments."


def _proved_of_past(replay: Replay) -> Iterator[str]:
    """Yield what was checked of the past of a fork: of the oldest game first."""
    if replay.past is not None:
        yield from _proved_of_past(replay.past)
    last, game = len(replay.export.records), replay.export.game
    yield f"The log of {game} up to version {last} is unbroken, and the fork begins exactly there."
    dice = ", with the dice that follow from its secret" if replay.over else ""
    yield f"{replay.decided} acts of {game} were decided again{dice}."


def _upgraded(game: Game) -> str:
    now = game.ruleset.version
    return f" until its organizer upgraded it, and by version {now} since" if now != game.began_with else ""


def _unproved(replay: Replay) -> Iterator[str]:
    if replay.past is not None:
        yield from _unproved(replay.past)
    if replay.goes_on and replay.folded:
        yield f"{replay.folded} acts of the past wait for the secret of {replay.export.game}, until that game is over."
    elif replay.over and replay.folded:
        yield f"{replay.folded} acts used what the past hides from this reader."
    elif replay.folded:
        yield (
            f"{replay.folded} acts rolled dice or used what is hidden from this reader. "
            "They can be decided again when the game is over and its secrets are published."
        )
