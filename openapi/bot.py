"""A bot for any ruleset, in Python: it answers every decision of its account with a random command.

    pip install tabularium-client
    python bot.py https://service.example TOKEN

The token needs the scope `play`. Seat the account in games; the bot plays them until you stop it.
"""

import random
import sys
from typing import Any

from tabularium_client import Client, Options, Problem, Waiting, sample

ANSWER = "/v1/games/{game}/take-backs/{asked}/answer"


def choose(options: Options) -> dict[str, Any] | None:
    """Return a command that answers a decision; None when nothing is asked any more."""
    answers = [option for option in options.options if option.decision]
    return sample(random.choice(answers).schema) if answers else None


def act(client: Client, waiting: Waiting) -> None:
    """Agree to requests to take moves back, and answer the decisions."""
    for request in waiting.take_backs:
        client.post(ANSWER, {"agrees": True}, game=waiting.game, asked=request["asked"])
    if waiting.decisions:
        client.decide(waiting.game, choose)


url, token = sys.argv[1:]
with Client(url, token) as client:
    for waiting in client.waiting():
        try:
            act(client, waiting)
        except Problem as problem:
            print(f"{waiting.game} at version {waiting.version}: {problem}", file=sys.stderr)
