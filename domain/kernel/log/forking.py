"""Forks: a game that begins with the position of another, and who may begin one (TAB-FORK-01 to -06)."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance.secret import Secret, Vault
from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log.around import Around
from domain.kernel.log.ended import ABANDONED_AFTER
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import is_between_acts
from domain.kernel.log.lifecycle import (
    GameForked,
    Purpose,
)
from domain.kernel.log.record import Cause, Record, genesis
from domain.kernel.rules.board import Map
from domain.kernel.rules.documents import digests_of
from domain.kernel.rules.refusal import Refusal

DEEPEST: Final = 8
"""The most forks in a chain: a fork of a game, a fork of that fork, and so on."""
_HEX: Final = re.compile('"([0-9a-f]{64})"')


def forked_as(game: Game, game_id: GameId, event: GameForked) -> Game:
    """Return the fork that begins with `event`. The fork must be of this game at this version.

    Raises:
        LookupError: the event names another game, version or hash, or has a `withheld` that a fork of this game cannot.
    """
    if (event.parent, event.version, event.hash) != (game.id, game.version, game.head.hex()):
        raise LookupError(f"{game_id} is no fork of {game.id} at version {game.version}")
    # A fork of a withheld fork is withheld until the same game ends.
    inherited = game.forked.withheld if game.forked is not None else UNSET
    possible = (UNSET, game.id) if inherited is UNSET else (inherited,)
    if event.withheld not in possible:
        raise LookupError(f"{game_id} is not withheld as a fork of {game.id} is")
    only_player = event.organizer if event.purpose == "analysis" else None
    return Game(
        id=game_id,
        ruleset=game.ruleset,
        board=game.board,
        setup=game.setup,
        first_organizer=event.organizer,
        organizer_sees=event.organizer_sees,
        commitment=event.commitment,
        began_with=event.ruleset_version,
        players=dict.fromkeys(event.seats, only_player),
        status="gathering" if only_player is None else "running",
        head=genesis(game_id),
        table=game.table.copy() if game.table is not None else None,
        around=Around(seated=game.around.seated if only_player is None else (only_player,)),
        forks=event.forks or "players",
        readers=event.readers or "everybody",
        abandoned_after=event.abandoned_after or ABANDONED_AFTER,
        forked=event,
        past=replace(game, past=None, undo={}, answers={}),
    )


def fork(
    game: Game,
    game_id: GameId,
    purpose: Purpose,
    commitment: str,
    cause: Cause,
    at: str,
    secrets: Iterable[Secret] = (),
    *,
    withheld: GameId | None = None,
) -> Decided:
    """Return a new fork of this game at this version, with its first event. `require_forkable` says who may fork.

    Args:
        game_id: the id of the fork.
        commitment: the commitment to a new secret, from which the fork's dice are drawn.
        secrets: the secrets that the fork takes along, as `hidden` returns them.
        withheld: the game that withholds the fork until it ends, as the function `withheld` returns it.

    Raises:
        Refusal: the game does not run at this version, the chain of forks would be too long, or the game or its parent
            has the same commitment (TAB-FORK-01).
    """
    depth = game.forked.depth + 1 if game.forked is not None else 1
    wrong = f"You asked for a fork of version {game.version} of {game.id}."
    if game.status != "running":
        raise Refusal("TAB-FORK-01", wrong, "A fork begins at a version at which its game runs.")
    if depth > DEEPEST:
        raise Refusal("TAB-FORK-01", wrong, f"A chain of forks has at most {DEEPEST} forks.")
    if commitment in (game.commitment, game.past.commitment if game.past is not None else None):
        raise Refusal("TAB-FORK-01", "The fork has its parent's commitment.", "A fork has a secret of its own.")
    analysis = purpose == "analysis"
    event = GameForked(
        parent=game.id,
        version=game.version,
        hash=game.head.hex(),
        depth=depth,
        purpose=purpose,
        ruleset=game.ruleset.id,
        ruleset_version=game.ruleset.version,
        board=Map.of(game.board).digest,
        seats=tuple(game.players),
        setup=msgspec.to_builtins(game.setup),
        organizer=cause.account if analysis else game.organizer,
        commitment=commitment,
        organizer_sees="all" if analysis else game.organizer_sees,
        documents=digests_of(game.board) or UNSET,
        forks="officials" if game.forks == "officials" and not analysis else UNSET,
        readers="invited" if game.is_private else UNSET,
        abandoned_after=game.abandoned_after if game.abandoned_after != ABANDONED_AFTER and not analysis else UNSET,
        withheld=withheld or UNSET,
    )
    created = forked_as(game, game_id, event).log([(event, 0)], cause, at)
    return Decided(created.game, created.records, tuple(secrets))


def withheld(game: Game, earlier: Game, secrets: Sequence[Secret]) -> GameId | None:
    """Return the game that withholds a fork of `earlier`: until it ends, only its officials are shown the fork.

    Return None when the fork is not withheld (TAB-FORK-02). `game` is the game now, `earlier` the same game at the
    version of the fork, and `secrets` are those that the fork takes along.
    """
    if earlier.forked is not None and earlier.forked.withheld is not UNSET:
        return earlier.forked.withheld
    return game.id if secrets and game.status != "over" and not game.is_analysis else None


def hidden(game: Game, vault: Vault) -> tuple[Secret, ...]:
    """Return the secrets whose commitments are in the position of `game`.

    `vault` holds all secrets of the game. Answers in advance are among them, but are no part of the position.
    """
    at_table = set(_HEX.findall(game.table.snapshot().decode())) if game.table is not None else set[str]()
    return tuple(secret for name, secret in vault.all().items() if name in at_table)


def require_forkable(
    game: Game,
    earlier: Game,
    purpose: Purpose,
    player: PlayerId,
    history: Sequence[Record],
    vault: Vault,
    *,
    judges: bool = True,
) -> None:
    """Raise `Refusal` unless an account may fork a game at an earlier version.

    Args:
        game: the game as it is now.
        earlier: the same game at the version of the fork.
        player: the account.
        history: the whole log of the game.
        vault: all secrets of the game.
        judges: whether the rights of an official count, if the account is one: its token may lack that scope.

    Raises:
        Refusal: an act was under way at that version (TAB-FORK-01), the fork would show what the game hides
            (TAB-FORK-02), the game cannot be continued by this account (TAB-FORK-04), or it runs and the account
            may not fork it yet (TAB-FORK-05).
    """
    wrong = f"You asked for a fork of version {earlier.version} of {game.id}."
    if not is_between_acts(history, earlier.version):
        raise Refusal("TAB-FORK-01", wrong, "Name a version of the game at which no act was under way.")
    official = (judges and game.around.is_official(player)) or (game.is_analysis and player == game.organizer)
    takes_part = official or player == game.organizer or player in game.players.values()
    if purpose == "continuation":
        if game.status != "over" or game.is_analysis:
            allowed = "You can continue only a game that is over and that is not an analysis."
            raise Refusal("TAB-FORK-04", wrong, allowed, untimely=not game.is_analysis)
        if not takes_part:
            raise Refusal(
                "TAB-FORK-04", wrong, "Only the seats, the organizer and the officials of a game may continue it."
            )
    if game.status == "over" or official:
        return
    if hidden(earlier, vault):
        allowed = "While the game runs, only its officials may fork it at a version at which something is hidden."
        raise Refusal("TAB-FORK-02", wrong, allowed, untimely=True)
    if game.forks == "officials":
        allowed = "While this game runs, only its officials may fork it."
        raise Refusal("TAB-FORK-05", wrong, allowed, untimely=True)
    if not takes_part:
        allowed = "While a game runs, only its seats, its organizer and its officials may fork it."
        raise Refusal("TAB-FORK-05", wrong, allowed, untimely=True)
