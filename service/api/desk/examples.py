"""Examples of the endpoints for the judge's desk."""

import random

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from domain.judging.what_if import outcomes_of
from domain.kernel.chance.draws import SECRET_BYTES, CommittedChance
from domain.kernel.log.request import sent_commands
from service.api.desk.bodies import SeatCommand, WhatIf
from service.api.desk.routes import inspection
from service.api.desk.what_if import what_if_view
from service.api.scene import Example, Scene


def examples(scene: Scene) -> dict[str, Example]:
    before, now = scene.started.game, scene.now
    version, viewer = scene.given.records[0].version, scene.viewer(now)
    records = scene.records[: now.version]
    findings = inspection(now, before, now.ruleset, records, version, viewer, scene.vault)
    alternatives = findings.alternatives
    assert alternatives is not None, "a seat did it"
    return {
        "inspectGame": Example(
            replace(
                findings, rules=findings.rules[:2], alternatives=replace(alternatives, options=alternatives.options[:1])
            )
        ),
        "askWhatIf": _what_if(scene),
    }


def _what_if(scene: Scene) -> Example:
    before, raw_command, rng = scene.started.game, msgspec.json.encode(scene.command), random.Random(1)
    chances = [CommittedChance(rng.randbytes(SECRET_BYTES), before.id, {}) for _ in range(10)]
    results = outcomes_of(before, [(scene.seat, sent_commands(before.ruleset, [raw_command])[0])], scene.vault, chances)
    question = WhatIf(before.version, (SeatCommand(scene.seat, Raw(raw_command)),), len(chances))
    return Example(what_if_view(before, results), question)
