"""All chance of a game derived again from its secret and from what its ruleset says that events show."""

import json
from collections.abc import Iterator
from typing import Any

from domain.kernel.chance.evidence import Dice, Lots, draw_of, value_at
from domain.kernel.log.history import read_event
from domain.kernel.rules.message import Event, type_name
from tests.helpers.play import Play


def faults(play: Play) -> Iterator[str]:
    """Yield each draw that is not what an event shows, or that nothing accounts for."""
    chance, ruleset = play.game.chance(play.secret), play.ruleset
    declared = {type_name(event): shown for event, shown in ruleset.chance.items()}
    seats, salts, before = list(play.game.players), [secret.salt for secret in play.secrets], 0
    for record in play.records:
        event, left = json.loads(record.event), set(range(before + 1, record.draws + 1))
        before = record.draws
        shown = declared.get(record.type, ())
        rolls = []
        for each in shown:
            draw = draw_of(event, each)
            if draw is None:
                continue
            holder = value_at(event, each.at)
            if draw not in left:
                yield f"version {record.version} shows draw {draw}, which is not its own"
            left.discard(draw)
            match each:
                case Dice():
                    sides = ruleset.dice[each.die]
                    faces = [sides[number - 1] for number in chance.dice(draw, len(holder["faces"]), len(sides))]
                    if faces != [str(face) for face in holder["faces"]]:
                        yield f"version {record.version} shows {holder['faces']} and not {faces}"
                    rolls.append((each.die, tuple(faces), draw))
                case Lots() if each.outcome is not None:
                    items = shuffled(each, event, seats)
                    order = [items[index] for index in chance.order(draw, items)]
                    shown_order = listed(value_at(event, each.outcome), seats)
                    if not shown_order or order[: len(shown_order)] != shown_order:
                        yield f"version {record.version} does not show {order}"
        stored = read_event(ruleset, record)
        if isinstance(stored, Event):
            told = [(rolled.die, rolled.faces, rolled.draw) for rolled in ruleset.rolled(stored)]
            if told != rolls:
                yield f"version {record.version} is told as {told}, and shows {rolls}"
        for draw in sorted(left):
            if salts and chance.salt(draw).hex() == salts[0]:
                salts.pop(0)
                left.discard(draw)
        if left and not any(isinstance(each, Lots) and each.outcome is None for each in shown):
            yield f"nothing accounts for the draws {sorted(left)} of version {record.version}, {record.type}"
    if salts:
        yield f"{len(salts)} salts follow from no draw"


def shuffled(lots: Lots, event: Any, seats: list[Any]) -> list[Any]:
    """Return what was shuffled, in the order before."""
    if lots.stock is not None:
        stock: dict[str, int] = value_at(event, lots.stock)
        return [name for name in sorted(stock) for _ in range(stock[name])]
    return list(lots.items[str(len(seats))]) if lots.items else seats


def listed(outcome: Any, seats: list[Any]) -> list[Any]:
    """Return an outcome in order, also one that stands by seat."""
    return [outcome[seat] for seat in seats] if isinstance(outcome, dict) else outcome
