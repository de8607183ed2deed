"""Versions of a ruleset: a game keeps the one that it began with until its organizer moves it on."""

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log import snapshot
from domain.kernel.log.fold import continued, resume
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_created, steps
from domain.kernel.log.record import Cause
from domain.kernel.log.upgrading import upgrade
from domain.kernel.proof.verify import verify
from domain.kernel.rules import catalogue, loading
from domain.kernel.rules.decision import Option
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from domain.kernel.rules.versions import switched
from tests.helpers.play import Play, player_of
from tests.tiny.auction import ROOM, Table
from tests.tiny.corrected import Corrected

RED = Seat("red")


def begun(version: int = 1) -> Play:
    return Play(Corrected(version), ROOM, 2)


def refused(act: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        act()
    return caught.value


# --- versions as data ---


def test_a_ruleset_is_its_newest_version_unless_another_is_asked_for() -> None:
    newest = Corrected()
    assert (newest.version, list(newest.versions)) == (2, [1, 2])
    assert newest.at(1).version == 1
    assert newest.at(1) is newest.at(1).at(1)
    with pytest.raises(LookupError, match="no version 3 of tiny-auction; its versions are 1 to 2"):
        Corrected(3)


def test_a_library_knows_every_version_that_was_released() -> None:
    library = Library([Corrected()])
    assert library.current("tiny-auction").version == 2
    assert library.at("tiny-auction", 1).version == 1
    for unknown in (("tiny-auction", 3), ("chess", 1)):
        with pytest.raises(LookupError, match="which this package does not have"):
            library.at(*unknown)
    with pytest.raises(LookupError, match="known: tiny-auction"):
        library.current("chess")


class Switches(Struct, frozen=True):
    coin_by_coin: bool = False
    other: bool = False


def test_the_switches_of_a_version_are_those_of_its_changes() -> None:
    assert switched(Switches(), Corrected.changes, 1) == Switches()
    assert switched(Switches(), Corrected.changes, 2) == Switches(coin_by_coin=True)


def test_a_catalogue_tells_a_rule_as_a_version_has_it() -> None:
    told = """
        id = "t"
        version = 1
        rulesets = {one = {}, two = {}}
        chapters = {A = "a"}
        sources.book = {title = "b", cited_as = "b", language = "English"}
        [[rule]]
        id = "T-A-01"
        title = "t"
        text = "new"
        source = ["book"]
        earlier = [{until = 1, text = "old"}, {until = 3, rulesets = ["two"], text = "older than new"}]
        [[rule]]
        id = "T-A-02"
        applies = ["one"]
        title = "t"
        text = "t"
        source = ["book"]
        earlier = [{until = 1, absent = true}]
    """
    rules = loading.load(told)
    texts = {
        (id_, version): rules.at(id_, version).rule("T-A-01").text for id_ in ("one", "two") for version in (1, 2, 4)
    }
    assert texts == {
        ("one", 1): "old",
        ("one", 2): "new",
        ("one", 4): "new",
        ("two", 1): "old",
        ("two", 2): "older than new",
        ("two", 4): "new",
    }
    assert [rule.id for rule in rules.at("one", 1).for_ruleset("one")] == ["T-A-01"]
    assert [rule.id for rule in rules.at("one", 2).for_ruleset("one")] == ["T-A-01", "T-A-02"]
    for wrong in ("{until = 1}", "{until = 1, absent = true, text = 'x'}", "{until = 0, text = 'x'}"):
        with pytest.raises(catalogue.CatalogueError, match="T-A-02"):
            loading.load(told.replace("{until = 1, absent = true}", wrong))


# --- a game keeps its version ---


@pytest.mark.rule("TAB-RULES-01")
def test_a_game_is_decided_and_folded_by_the_version_that_it_began_with() -> None:
    play = begun()
    play.library = Library([Corrected()])
    play.command(RED, {"type": "put-up", "coins": 2})
    assert play.fold().ruleset.version == 1
    assert verify(play.export(), play.library).ok
    assert refused(lambda: begun(2).command(RED, {"type": "put-up", "coins": 2})).rule == "TA-PUT-01"


# --- moving on ---


@pytest.mark.rule("TAB-RULES-01")
def test_an_organizer_moves_a_game_to_a_newer_version() -> None:
    play = begun()
    play.command(RED, {"type": "put-up", "coins": 2})
    before = play.game
    step = play.upgrade(2)
    (record,) = step.records
    assert record.event == b'{"from":1,"to":2,"type":"rules-upgraded"}'
    assert (play.game.ruleset.version, play.game.began_with) == (2, 1)
    assert play.game.table == before.table
    assert (before.ruleset.version, before.version) == (1, play.game.version - 1)
    assert refused(lambda: play.command(RED, {"type": "put-up", "coins": 2})).rule == "TA-PUT-01"
    play.command(RED, {"type": "put-up", "coins": 1})


def test_a_game_that_was_moved_on_is_folded_and_proved() -> None:
    play = begun()
    play.command(RED, {"type": "put-up", "coins": 2})
    play.upgrade(2)
    play.run(Random(3), 3)
    for version, game in play.at_each_version.items():
        assert msgspec.structs.replace(play.fold(version), undo={}) == msgspec.structs.replace(game, undo={})
    assert verify(play.export(), play.library).ok
    play.run(Random(3))
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
    said = "The game was judged by version 1 of tiny-auction until its organizer upgraded it, and by version 2 since."
    assert said in verdict.proved


def test_a_game_that_was_moved_on_goes_on_from_anywhere() -> None:
    play = begun()
    play.command(RED, {"type": "put-up", "coins": 2})
    moved_at = play.game.version
    play.upgrade(2)
    play.command(RED, {"type": "put-up", "coins": 1})
    early = play.at_each_version[moved_at]
    assert resume(early, play.records[moved_at:]) == play.game
    assert continued(early, play.records[moved_at:]) == play.game
    for game in play.at_each_version.values():
        kept = snapshot.take(game)
        assert snapshot.restore(kept, play.library, lambda _: ROOM) == game
    for step in steps(play.records[moved_at:]):
        early = continued(early, step)
    assert early.ruleset.version == 2


def test_nobody_undoes_what_lies_before_the_move_but_a_ruling_may() -> None:
    play = begun()
    start = play.game.version
    play.command(RED, {"type": "put-up", "coins": 2})
    play.upgrade(2)
    assert (play.game.undo_seat, play.game.undo_to) == (None, ())
    assert play.fold().undo_to == ()
    play.rule(start)
    assert play.game.ruleset.version == 1
    assert play.fold().ruleset.version == 1
    play.command(RED, {"type": "put-up", "coins": 2})
    assert verify(play.export(), play.library).ok


@pytest.mark.parametrize("to", [-1, 0, 1, 3])
def test_a_game_moves_only_to_a_newer_version_that_there_is(to: int) -> None:
    refusal = refused(lambda: begun().try_upgrade(to))
    assert refusal.rule == "TAB-RULES-01"
    assert refusal.allowed == "The game uses version 1 of tiny-auction. Newer versions: 2."


def test_a_game_of_the_newest_version_stays_there() -> None:
    refusal = refused(lambda: begun(2).try_upgrade(1))
    assert refusal.allowed == "The game uses version 2 of tiny-auction. There is no newer version."


@pytest.mark.rule("TAB-RULES-01")
def test_only_the_organizer_moves_a_game() -> None:
    refusal = refused(lambda: begun().try_upgrade(2, player_of(RED)))
    assert refusal.rule == "TAB-RULES-01"
    assert "Only the organizer" in refusal.allowed


@pytest.mark.rule("TAB-RULES-02")
def test_a_position_that_the_newer_version_cannot_carry_on_stays() -> None:
    play = begun()
    play.command(RED, {"type": "put-up", "coins": 1})
    play.command(RED, {"type": "open-bidding"})
    table: Any = play.game.table
    play.command(RED, {"type": "choose-card", "card": play.vault.open(table.hands[RED][0])})
    refusal = refused(lambda: play.try_upgrade(2))
    assert (refusal.rule, refusal.allowed) == ("TAB-RULES-02", "Cards lie face down.")


@pytest.mark.rule("TAB-RULES-02")
def test_a_position_in_which_nobody_could_choose_stays() -> None:
    class Mute(Corrected):
        def options(self, table: Table, seat: Seat, vault: Vault) -> list[Option]:
            return [] if self.version >= 2 else super().options(table, seat, vault)

    refusal = refused(lambda: Play(Mute(1), ROOM, 2).try_upgrade(2))
    assert (refusal.rule, refusal.allowed) == ("TAB-RULES-02", "In that version red would have no options.")


def test_only_a_running_game_is_moved() -> None:
    gathering = Play(Corrected(1), ROOM, 2, start=False)
    assert refused(lambda: gathering.try_upgrade(2)).rule == "TAB-LIFE-01"
    over = begun().run(Random(1))
    assert refused(lambda: over.try_upgrade(2)).rule == "TAB-LIFE-01"


# --- forgeries ---


def moved_by(player: PlayerId) -> list[bytes]:
    """The export of a game that `player`, who may be anybody, moved to newer rules."""
    play = begun()
    honest, play.game = play.game, msgspec.structs.replace(play.game, first_organizer=player)
    step = upgrade(play.game, 2, play.chance, play.vault, Cause(player), play.now)
    play.take(step)
    play.game = msgspec.structs.replace(play.game, first_organizer=honest.first_organizer)
    return play.export()


def test_a_move_by_somebody_else_is_no_proof() -> None:
    assert verify(moved_by(begun().game.organizer), Library([Corrected()])).ok
    verdict = verify(moved_by(PlayerId("stranger")), Library([Corrected()]))
    assert "who is not the organizer" in verdict.problem


# --- events around the table in older shapes ---


def test_a_game_created_before_shape_2_shows_everything_to_its_organizer() -> None:
    play = begun()
    created = msgspec.json.decode(play.records[0].event)
    del created["organizer_sees"]
    old = msgspec.structs.replace(play.records[0], event=msgspec.json.encode(created, order="sorted"), schema=1)
    assert read_created(old).organizer_sees == "all"
    assert Game.of(play.game.id, read_created(old), play.ruleset, ROOM).organizer_sees == "all"
    with pytest.raises(msgspec.ValidationError, match="organizer_sees"):
        read_created(msgspec.structs.replace(old, schema=2))
