"""A command is decided in work that grows with the command, however many things it names where a few belong."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.rules import schema
from domain.kernel.rules.command import Command
from domain.kernel.rules.refusal import Refusal
from domain.library import LIBRARY
from tests.helpers.play import Play
from tests.helpers.work import LINEAR, Counted, growth

SIZE = 200
STEPS = 1_500
"""Commands of a random game, in which most that name several things at once are on offer."""

TOO_MANY: Mapping[str, Callable[[int, Any], tuple[Any, ...]]] = {
    "different": lambda size, sound: tuple(Counted(f"x{each}") for each in range(size)),
    "all the same": lambda size, sound: tuple(Counted(next(iter(sound), "x")) for _ in range(size)),
}

NAMING_SEVERAL = {
    "conquest-classic-friz": {
        "march",
        "embark",
        "land",
        "ask-passage",
        "propose-alliance",
        "propose-ransom",
        "destroy-cities",
    },
    "mare-nostrum": {"keep", "build", "acquire", "march", "occupy"},
}
"""Those that must be met, so that the test tests something; others are when they are."""
SEEDS = {"conquest-classic-friz": 4, "mare-nostrum": 6}
"""Of random games in which they are met."""


def several(command: Command[Any]) -> list[str]:
    """The fields of a command that hold several things."""
    return [name for name in command.__struct_fields__ if isinstance(getattr(command, name), tuple | dict)]


@pytest.mark.parametrize("ruleset_id", NAMING_SEVERAL)
def test_a_command_that_names_too_much_is_refused_in_work_that_grows_with_it(ruleset_id: str) -> None:
    seed = SEEDS[ruleset_id]
    ruleset, rng = LIBRARY.current(ruleset_id), Random(seed)
    play = Play(ruleset, builtin(ruleset.board), 4, seed=seed)
    met: dict[tuple[str, str, str], float] = {}
    for _ in range(STEPS):
        if play.game.status != "running":
            break
        for seat in play.waiting:
            for option in play.options(seat):
                command = ruleset.read_command(msgspec.json.encode(schema.sample(option.schema, rng)))
                for field in several(command):
                    for kind, many in TOO_MANY.items():
                        if (option.command, field, kind) in met:
                            continue
                        sound = getattr(command, field)

                        def of(size: int, many: Any = many, sound: Any = sound) -> Any:
                            things = many(size, sound)
                            return dict.fromkeys(things, 1) if isinstance(sound, dict) else things

                        def act(things: Any, command: Any = command, field: str = field, seat: Any = seat) -> None:
                            given = msgspec.structs.replace(command, **{field: things})
                            game, chance = play.game, play.game.chance(play.secret)
                            with pytest.raises(Refusal):
                                ruleset.decide(game.table, seat, given, chance, play.vault, game.draws)

                        if kind == "all the same" and isinstance(sound, dict):
                            continue  # an object names nothing twice
                        met[option.command, field, kind] = growth(act, of, SIZE)
        play.step(rng)
    assert {name for name, _, _ in met} >= NAMING_SEVERAL[ruleset_id]
    assert {where: times for where, times in met.items() if times > LINEAR} == {}


def test_a_list_of_commands_is_decided_in_work_that_grows_with_it() -> None:
    """Each is decided on a table of its own, so that all can be taken back; that costs the same for each."""
    ruleset = LIBRARY.current("conquest-classic-friz")
    play = Play(ruleset, builtin(ruleset.board), 2, seed=1)
    one, other = play.game.players

    def toggled(times: int) -> list[dict[str, Any]]:
        grant = {"type": "grant-standing", "kind": "transit", "to": other}
        withdraw = {"type": "withdraw-grant", "kind": "transit", "to": other}
        return [grant, withdraw] * (times // 2)

    assert len(play.try_command(one, *toggled(100)).records) == 100
    assert growth(lambda commands: play.try_command(one, *commands), toggled, 24) <= LINEAR
