"""The second law: options are exactly what is accepted. The third: a refusal names its rule, and leaves no trace."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, cast

import msgspec

from domain.kernel.ids import Seat
from domain.kernel.rules import loading, schema
from domain.kernel.rules.refusal import Refusal
from tests.helpers.laws.games import RandomGames, some, whole
from tests.helpers.laws.mutants import Edges, mutated
from tests.helpers.play import Play


class Options(RandomGames):
    """What is on offer is accepted, and nothing else; what is refused changes nothing."""

    def test_every_option_is_accepted_and_nothing_else(self, seed: int) -> None:
        seen: list[Any] = []
        for play, rng in self.positions(seed):
            for seat in play.waiting:
                assert play.options(seat), f"{seat} must choose and has no option"
            for seat in play.game.players:
                self._check_options(play, seat, rng, seen)

    def _check_options(self, play: Play, seat: Seat, rng: Random, seen: list[Any]) -> None:
        """Try what is on offer, what is nearly so, and what was on offer to somebody before (`seen`)."""
        options = play.options(seat)
        for option in some(options, 12, rng):
            assert not list(empty_choices(option.schema)), f"{option.command} offers {seat} a choice of nothing"
            assert not list(counts_of_nothing(option.schema)), f"{option.command} offers {seat} a count of 0"
            for source in (rng, Edges(rng)):
                command = schema.sample(option.schema, source)
                assert command["type"] == option.command
                assert self.ruleset.catalogue.rule(option.rule).holds_in(self.ruleset.id)
                self._check_mutant(play, seat, command)
                for counted in with_nothing(option.schema, command):
                    refusal = self._refusal(play, seat, counted)
                    assert refusal is not None, f"{counted} of {seat} is accepted, with a count of 0"
                    assert refusal.rule == "TAB-CMD-02"
                for mutant in (mutated(command, rng), mutated(command, rng)):
                    self._check_mutant(play, seat, mutant)
                self._check_mutant(play, rng.choice(list(play.game.players)), command)
                seen.append(command)
        for command in some(seen, 5, rng):
            self._check_mutant(play, seat, command)

    def _check_mutant(self, play: Play, seat: Seat, command: Any) -> None:
        schemas = [option.schema for option in play.options(seat)]
        offered = any(schema.matches(each, command) for each in schemas)
        try:
            read = self.ruleset.read_command(msgspec.json.encode(command))
        except msgspec.ValidationError:
            assert not offered, f"{command} is on offer to {seat}, but is no command"
            return
        offered_as_read = any(schema.matches(each, msgspec.to_builtins(read)) for each in schemas)
        assert not offered or offered_as_read, f"{command} is on offer to {seat}, but not in its shortest form"
        before = whole(play.game)
        refusal = self._refusal(play, seat, command)
        if refusal is None:
            assert offered_as_read, f"{command} of {seat} is accepted, but no option offers it"
            return
        on_offer = offered if refusal.rule == "TAB-CMD-02" else offered_as_read  # to leave it out would be lawful
        assert not on_offer, f"{command} is on offer to {seat}, but refused: {refusal}"
        assert refusal.wrong
        assert refusal.allowed
        self._assert_known(refusal.rule)
        assert whole(play.game) == before, "the refusal left a trace"

    def _refusal(self, play: Play, seat: Seat, *commands: Any) -> Refusal | None:
        try:
            play.try_command(seat, *commands)
        except Refusal as refusal:
            return refusal
        return None

    def _assert_known(self, rule: str) -> None:
        if rule.startswith("TAB-"):
            loading.common_rules().rule(rule)
        else:
            assert self.ruleset.catalogue.rule(rule).holds_in(self.ruleset.id)

    def test_a_seat_that_is_out_of_the_game_is_asked_nothing(self, seed: int) -> None:
        play, out = self.played(seed), set[Seat]()
        for version in sorted(play.at_each_version):
            game = play.at_each_version[version]
            if game.table is not None and game.status == "running":
                now = set(self.ruleset.out(game.table))
                assert out <= now <= game.players.keys(), "nobody comes back"
                assert now.isdisjoint(seat for decision in game.decisions for seat in decision.seats)
                out = now

    def test_a_refused_list_leaves_no_trace(self, seed: int) -> None:
        for play, rng in self.positions(seed):
            seat, command = play.pick(rng)
            before = whole(play.game)
            if self._refusal(play, seat, *[command] * 20):
                assert whole(play.game) == before


def empty_choices(part: Any) -> Iterator[Any]:
    """Yield the enumerations of a schema that hold nothing: no client can fill them, and JSON Schema forbids them."""
    if isinstance(part, Mapping):
        named = cast("Mapping[str, Any]", part)
        if named.get("enum") in ([], ()):
            yield named
        for each in named.values():
            yield from empty_choices(each)
    elif isinstance(part, list | tuple):
        for each in cast("Sequence[Any]", part):
            yield from empty_choices(each)


def counts_of_nothing(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield where an object may have a count of 0 that may be left out."""
    for name, field in schema.get("properties", {}).items():
        if field.get("type") == "integer" and name not in schema["required"] and field["minimum"] <= 0:
            yield (*path, name)
        yield from counts_of_nothing(field, (*path, name))


def with_nothing(schema: Mapping[str, Any], command: Mapping[str, Any]) -> Iterator[Any]:
    """Yield a command with a count of 0 in place of each that it may leave out."""
    for name, field in schema.get("properties", {}).items():
        if field.get("type") == "integer" and name not in schema["required"]:
            yield {**command, name: 0}
        for each in with_nothing(field, command.get(name, {})):
            yield {**command, name: each}
