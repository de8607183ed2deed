"""Whether every act of a log could have come from the account that it names."""

import json

from domain.kernel.proof.origin import AROUND_THE_TABLE
from domain.kernel.rules.message import type_name
from tests.domain.kernel.log.test_aside import BLUE, gift, undone
from tests.domain.kernel.log.test_aside import forged as gift_forged
from tests.viewer.logic import evaluate


def test_the_page_says_the_same_as_verify_of_every_event_around_the_table():
    """A page that lacks an event finds fault with every log that has it."""
    page = evaluate("async () => (await import('/viewer/proof/origin.js')).AROUND_THE_TABLE")
    for event, origin in AROUND_THE_TABLE.items():
        name = type_name(event)
        assert name in page, "add it to AROUND_THE_TABLE in service/viewer/proof/origin.js"
        flags = {"seat": origin.seat, "command": origin.command, "onCase": origin.case}
        flags |= {"stays": event.around, "inPause": event.in_pause}
        said = {word: what for word, what in page[name].items() if word not in ("early", "whenever")}
        raised = {flag: True for flag, holds in flags.items() if holds}
        assert said == {"act": origin.act, "by": origin.by, **raised}, name
    assert len(page) == len(AROUND_THE_TABLE)


def test_what_an_undo_gives_again_must_follow_it():
    check = "async (rows) => (await import('/viewer/proof/acts.js')).faultOfActs(rows)?.problem ?? ''"
    for play, problem in (
        (undone(), ""),
        (gift_forged(forget=False, instead=gift(BLUE)), "is not the command that the undo before it gives again"),
    ):
        lines = [json.loads(line) for line in play.export(everything=True)]
        assert evaluate(check, [line for line in lines if "event" in line]) == problem
