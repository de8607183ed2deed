"""Moving a running game to a newer version of its ruleset (TAB-RULES-01 and -02)."""

from typing import Any

from msgspec.structs import replace

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import RulesUpgraded
from domain.kernel.log.record import Cause
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset


def upgrade(game: Game, to: int, chance: Chance, vault: Vault, cause: Cause, at: str) -> Decided:
    """Move a game to version `to` of its ruleset (TAB-RULES-01). What that version makes happen at once follows.

    Raises:
        Refusal: the game does not go on, there is no such newer version, the player does not organize the game, or that
            version cannot carry on the position, or leaves a seat without options (TAB-RULES-02).
    """
    ruleset, table = _carried(game, to)
    if cause.player != game.organizer:
        wrong = "You are not the organizer of this game."
        raise Refusal("TAB-RULES-01", wrong, "Only the organizer can move a game to a newer version of its rules.")
    draft = Draft(table, chance, vault, game.draws)
    ruleset.advance(draft)
    for seat in {seat for decision in ruleset.decisions(table) for seat in decision.seats}:
        if not ruleset.options(table, seat, vault.read_by(seat)):
            raise Refusal("TAB-RULES-02", _cannot_move(to), f"In that version {seat} would have no options.")
    happened = [(RulesUpgraded(game.ruleset.version, to), game.draws), *draft.happened]
    return replace(game, ruleset=ruleset, table=table).log(happened, cause, at, draft)


def _carried(game: Game, to: int) -> tuple[Ruleset[Any], Any]:
    """Return version `to` of the ruleset, and the table in that version. Raises `Refusal`."""
    ruleset, table = game.running_ruleset, game.table
    newer = [version for version in ruleset.versions if version > ruleset.version]
    if to not in newer:
        plays = f"The game uses version {ruleset.version} of {ruleset.id}."
        allowed = f"Newer versions: {', '.join(map(str, newer))}." if newer else "There is no newer version."
        wrong = f"You asked to move the game to version {to} of its rules."
        raise Refusal("TAB-RULES-01", wrong, f"{plays} {allowed}")
    assert table is not None
    if reason := ruleset.at(to).refuse_to_carry(table):
        raise Refusal("TAB-RULES-02", _cannot_move(to), reason)
    return ruleset.at(to), ruleset.at(to).carry(table, tuple(game.players), game.setup, game.board)


def _cannot_move(to: int) -> str:
    return f"The game cannot be moved to version {to} of its rules in this position."
