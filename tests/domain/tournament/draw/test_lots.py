"""Lots: the same in every language, fixed by secret, round and players, and fair."""

import hashlib
import hmac
import json
from collections import Counter

from domain.kernel.ids import PlayerId
from domain.tournament.draw import draw_lots

# Known answers, for a check in any language: the secret is the bytes 00 01 … 1f, the tournament "t-1".
SECRET = bytes(range(32))
ENTROPY = {PlayerId("a"): "alpha", PlayerId("b"): "Ω", PlayerId("c"): "", PlayerId("d"): "", PlayerId("e"): "five"}
LOTS = {1: "ebadc", 2: "dbace"}


def lots(number: int = 1, secret: bytes = SECRET, tournament: str = "t-1", **entropy: str) -> str:
    added = {PlayerId(player): text for player, text in entropy.items()}
    return "".join(draw_lots(secret, tournament, number, {**ENTROPY, **added}))


def test_known_answers() -> None:
    assert {number: lots(number) for number in LOTS} == LOTS


def test_the_lots_follow_from_the_description() -> None:
    """A second implementation, written from the module's words alone; 40 players need more than one block."""
    for entropy in (dict(ENTROPY), {f"p{number:02}": "" for number in range(40)}):
        text = json.dumps(
            {"entropy": entropy, "tournament": "t-1"}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        message = hashlib.sha256(text.encode()).digest() + (1).to_bytes(8, "big")
        blocks = [hmac.new(SECRET, message + block.to_bytes(4, "big"), hashlib.sha256).digest() for block in range(9)]
        stream = b"".join(blocks)
        numbers = [int.from_bytes(stream[start : start + 4], "big") for start in range(0, len(stream), 4)]
        items = sorted(entropy)
        for last in range(len(items) - 1, 0, -1):
            number = numbers.pop(0)
            while number >= 2**32 - 2**32 % (last + 1):
                number = numbers.pop(0)
            chosen = number % (last + 1)
            items[last], items[chosen] = items[chosen], items[last]
        assert list(draw_lots(SECRET, "t-1", 1, {PlayerId(player): text for player, text in entropy.items()})) == items


def test_only_secret_tournament_round_players_and_their_entropy_count() -> None:
    again = dict(reversed(ENTROPY.items()))
    assert "".join(draw_lots(SECRET, "t-1", 1, again)) == LOTS[1]
    assert len({lots(number) for number in range(40)}) > 20
    assert len({lots(secret=bytes([number]) * 32) for number in range(40)}) > 20
    assert len({lots(tournament=f"t-{number}") for number in range(40)}) > 20
    assert len({lots(c=str(number)) for number in range(40)}) > 20
    assert sorted(lots(f="")) == list("abcdef")


def test_nobody_to_draw_for() -> None:
    assert draw_lots(SECRET, "t-1", 1, {}) == ()
    assert draw_lots(SECRET, "t-1", 1, {PlayerId("a"): "x"}) == ("a",)


def test_everybody_has_each_lot_equally_often() -> None:
    rounds = 2000
    seen = Counter((player, place) for number in range(rounds) for place, player in enumerate(lots(number)))
    # Expected are 400 of each; a standard deviation is 18.
    assert len(seen) == 25
    assert all(300 < times < 500 for times in seen.values())
