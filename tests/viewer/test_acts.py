"""Whether every act of a log could have come from the account that it names."""

import json

from tests.domain.kernel.log.test_aside import BLUE, gift, undone
from tests.domain.kernel.log.test_aside import forged as gift_forged
from tests.viewer.logic import evaluate


def test_what_an_undo_gives_again_must_follow_it():
    check = "async (rows) => (await import('/viewer/proof/acts.js')).faultOfActs(rows)?.problem ?? ''"
    for play, problem in (
        (undone(), ""),
        (gift_forged(forget=False, instead=gift(BLUE)), "is not the command that the undo before it gives again"),
    ):
        lines = [json.loads(line) for line in play.export(everything=True)]
        assert evaluate(check, [line for line in lines if "event" in line]) == problem
