"""Examples of the endpoints for the log."""

from typing import Any

import msgspec

from domain.kernel.proof import export
from domain.kernel.rules.message import in_words
from service.api.log.bodies import EventPage, HistoryPage, Sentence
from service.api.log.routes import passages
from service.api.log.streams import StreamedEvent
from service.api.scene import Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    events = scene.accepted(scene.started.game, scene.given).events
    first = events[0]
    return {
        "listEvents": Example(EventPage(events, None)),
        "streamEvents": Example(StreamedEvent(str(first.version), msgspec.json.encode(first).decode(), first.type)),
        "tellHistory": Example(_history(scene)),
        "exportGame": Example(_export(scene)),
    }


def _history(scene: Scene) -> Any:
    heading = scene.given.game.heading
    names = scene.given.game.names
    sentences = [
        (heading, Sentence(record.version, record.at, scene.seat if record.cause else None, in_words(event, names)))
        for record in scene.given.records
        if (event := msgspec.json.decode(record.event, type=scene.ruleset.event_union)) is not None
    ]
    return HistoryPage(tuple(passages(sentences)), None)


def _export(scene: Scene) -> str:
    """Return the first line and the last: the first has the whole board, of which little is shown."""
    game = scene.created.game
    lines = [line.decode() for line in export.export(game, scene.created.records, scene.vault)]
    return lines[0][:160] + "…\n" + "".join(lines[1:])
