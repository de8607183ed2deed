"""Lots: the same in every language, fixed by secret, round and players, and fair."""

import hashlib
import hmac
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


def test_the_known_answers_follow_from_the_description() -> None:
    """A second implementation, written from the module's words alone."""
    text = '{"entropy":{"a":"alpha","b":"Ω","c":"","d":"","e":"five"},"tournament":"t-1"}'
    context = hashlib.sha256(text.encode()).digest()
    block = hmac.new(SECRET, context + b"\0\0\0\0\0\0\0\x01" + b"\0\0\0\0", hashlib.sha256).digest()
    numbers = [int.from_bytes(block[start : start + 4], "big") for start in range(0, 16, 4)]
    # None of the first four numbers is among the few that are thrown away.
    assert all(number < 2**32 - 2**32 % choices for number, choices in zip(numbers, (5, 4, 3, 2), strict=True))
    items = list("abcde")
    for last, number in zip((4, 3, 2, 1), numbers, strict=True):
        chosen = number % (last + 1)
        items[last], items[chosen] = items[chosen], items[last]
    assert "".join(items) == LOTS[1]


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
