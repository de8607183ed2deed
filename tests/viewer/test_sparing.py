"""No form begins with what costs: it gives up no more than any other value of it would, in every ruleset."""

import copy
import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from domain.kernel.rules import marks, schema
from domain.library import LIBRARY
from tests.helpers.play import Play
from tests.helpers.sampling import sampled
from tests.viewer.logic import evaluate
from tests.viewer.options import games

COMMANDS: Final = 150
"""The commands that are given in each game."""
OTHERS: Final = 5
"""The other values of an option that are compared with those with which its form begins."""

BEGUN: Final = """async (schemas) => {
    const { begun, remember } = await import("/viewer/moves/along.js");
    const { filled } = await import("/viewer/moves/filling.js");
    const { chosenIn, isOnMap, movesOf } = await import("/viewer/moves/gestures.js");
    const { fromNothing, withoutUndefined, initial, withoutNothing } = await import("/viewer/forms/schema.js");
    return schemas.map(fromNothing).map((schema) => {
        const option = { command: schema.properties.type.const, schema };
        const moves = isOnMap(option) ? movesOf(option) : [{ fix: {}, end: null }];
        const { fix } = moves.find(({ end }) => end === null) ?? {};
        if (!fix) return null;
        const names = chosenIn(option).filter((name) => !(name in fix));
        const value = () => ({ ...initial(schema), ...structuredClone(fix) });
        const sent = () => withoutNothing(withoutUndefined(begun(option, value(), names)), schema.required);
        const first = sent();
        remember(option, withoutUndefined(filled(schema, value(), names, true)), names);
        return [fix, [first, sent()]];
    });
}"""
"""By option, the fields that pointing decides, and what its form begins with, as it is sent: also after the most was.

Null for what only goes from one area to another: all comes along, and the page asks once more where that costs.
"""


def positions(play: Play, rng: random.Random) -> Iterator[tuple[Play, Seat, dict[str, Any]]]:
    """Play at random; yield each option of every seat that is unlike those before it, with the game as it stood."""
    seen: set[str] = set()
    for _ in range(COMMANDS):
        if play.game.status != "running":
            return
        now = copy.copy(play)
        now.secrets = list(play.secrets)
        for seat in play.game.players:
            for option in play.options(seat):
                if (text := repr(option.schema)) not in seen:
                    seen.add(text)
                    yield now, seat, option.schema
        play.step(rng)


def given_up(option: Mapping[str, Any], value: Mapping[str, Any]) -> int:
    """Return how much a value gives up, as far as the option says what does."""
    gesture = option.get("x-gesture", {})
    if "as" not in gesture:
        return 0
    keeps = gesture.get("keeps", [])
    named = [name for role in ("pieces", "counts", "cards") for name in gesture.get(role, [])]
    return sum(_amount(value.get(name)) * (-1 if name in keeps else 1) for name in dict.fromkeys(named))


def _amount(value: Any) -> int:
    if isinstance(value, dict):
        return sum(value.values())
    return value if isinstance(value, int) else len(value or ())


def lost(play: Play, seat: Seat, command: Mapping[str, Any]) -> int:
    """Return how many pieces fewer a seat has on the board after a command."""
    step = play.try_command(seat, command)
    if not any(play.game.version in back for back in step.game.undo.values()):
        return 0  # What chance took is not what was chosen.
    gone = marks.lost_pieces(
        _pieces(play, play.game, seat), _pieces(play, step.game, seat), seat, play.game.ruleset.guises
    )
    return sum(gone.values())


def _pieces(play: Play, game: Game, seat: Seat) -> marks.Marks:
    """Return what a seat sees of pieces; who leaves an area gives up what stays there, and is asked once more."""
    shown = game.ruleset.marks(game.view(seat, play.vault), game.names)
    return marks.Marks({area: replace(place, sites=()) for area, place in shown.places.items()})


GAMES: Final = ("tiny-auction", *LIBRARY.ids(), "mare-nostrum, free layout")


@pytest.mark.parametrize("name", sampled("forms that give up least", GAMES, 2))
def test_no_form_begins_with_more_given_up_than_must_be(name: str) -> None:
    rng, wrong = random.Random(7), dict[str, str]()
    found = list(positions(dict(zip(GAMES, games(), strict=True))[name], rng))
    begun = evaluate(BEGUN, [option for _, _, option in found])
    compared = 0
    for (play, seat, option), said in zip(found, begun, strict=True):
        if said is None:
            continue
        fix, values = said
        others = [{**schema.sample(option, rng), **fix} for _ in range(OTHERS)]
        others = [each for each in others if schema.matches(option, each)]
        fitting = [each for each in values if schema.matches(option, each)]
        if not others or not fitting:
            continue  # Nobody can send what it begins with.
        least = min(given_up(option, each) for each in others), min(lost(play, seat, each) for each in others)
        for value in fitting:
            compared += 1
            if given_up(option, value) > least[0] or lost(play, seat, value) > least[1]:
                wrong[value["type"]] = f"{value} where {others} were possible"
    assert not wrong, "\n".join(f"{command}: {why}" for command, why in wrong.items())
    assert compared > 10
