"""All forgeries, and those that nobody can find in an export alone."""

from typing import Final

from tests.forgeries.answers import ANSWERS
from tests.forgeries.changes import creator, cut_off, everywhere, much_later, reason, told
from tests.forgeries.fields import ACCOUNTS, EVENTS, REST, SPOILED, TIMES
from tests.forgeries.forging import Forgery
from tests.forgeries.games import MALLORY, RED
from tests.forgeries.officials import HANDED_OVER, JUDGED

FORGERIES: Final = (*ACCOUNTS, *TIMES, *EVENTS, *REST, *SPOILED, *ANSWERS, *JUDGED, *HANDED_OVER)

UNDETECTABLE: Final = (
    Forgery("who an account is", "over", everywhere(RED, MALLORY)),
    Forgery("who created a game", "over", creator),
    Forgery("when it was, all told alike", "over", everywhere("2026-01-01", "2027-12-31")),
    Forgery("how long an act took", "over", much_later),
    Forgery("what followed", "running", cut_off),
    Forgery("the organizer's reasons", "over", reason),
    Forgery("what a seat added to the dice, until the end", "running", told("seat-taken", entropy="mine")),
    Forgery("the commitment to the dice, until the end", "running", told("game-created", commitment="ab" * 32)),
)
"""What an export alone cannot show: these verify, and the reader is told so."""
