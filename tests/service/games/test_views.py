"""What an event looks like to somebody, and answers that were kept before events named their ruleset."""

import json

from domain.kernel.record import Record
from domain.kernel.secret import Vault
from domain.kernel.words import GameId
from service.games.views import Accepted, Viewer, decode_accepted, encode_accepted, event_view

RECORD = Record(1, b'{"type":"game-started"}', 1, 0, "2026-11-21T18:00:00.000000Z", b'{"seat":"red"}', bytes(32))


def test_an_answer_that_was_kept_is_the_same_when_it_comes_again() -> None:
    accepted = Accepted(GameId("g1"), 0, 1, (event_view("tiny-auction", RECORD, Vault(), Viewer()),))
    assert decode_accepted(encode_accepted(accepted), "tiny-auction") == accepted


def test_an_answer_of_before_events_named_their_ruleset_gets_it() -> None:
    accepted = Accepted(GameId("g1"), 0, 1, (event_view("tiny-auction", RECORD, Vault(), Viewer()),))
    old = json.loads(encode_accepted(accepted))
    del old["events"][0]["ruleset"]
    kept = json.dumps(old, separators=(",", ":")).encode()
    assert decode_accepted(kept, "tiny-auction") == accepted
