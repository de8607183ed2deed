"""Lots: the order that chance gives the players of a round.

Each round has a secret of 32 bytes, to which the service committed when the tournament was announced
(`domain.tournament.chain`). Each player may add entropy when they check in. The secret is published when the check-in
is closed; with it, everybody can compute the lots of the round again:

    context = SHA-256(canonical {"entropy": {player: text}, "tournament": id})
    bytes   = HMAC-SHA256(secret, context ‖ round as 8 bytes ‖ block as 4 bytes) for block = 0, 1, 2, …

where canonical is RFC 8785, ‖ joins bytes, and integers are big-endian. `entropy` has exactly the players who checked
in for the round; the text of one who added nothing is "". The players, sorted by id, are then shuffled as
`domain.kernel.chance.draws` shuffles: i runs from n-1 down to 1, each time takes the next four bytes as a number u, the
next four while u >= 2^32 - 2^32 mod (i+1), and swaps the items at i and u mod (i+1). The first has lot 1.

Once the check-in is closed, secret, players and texts are fixed. So every draft of the round has the same lots.
"""

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from itertools import count

from domain.kernel.canonical import canonical
from domain.kernel.ids import PlayerId


def draw_lots(secret: bytes, tournament: str, number: int, entropy: Mapping[PlayerId, str]) -> tuple[PlayerId, ...]:
    """Return the players who checked in, in the order of their lots.

    Args:
        secret: the secret of the round.
        tournament: its id.
        number: the number of the round, from 1.
        entropy: what each player added when they checked in, "" for nothing.
    """
    context = hashlib.sha256(canonical({"entropy": dict(entropy), "tournament": tournament})).digest()
    stream = _bytes(secret, context + number.to_bytes(8, "big"))
    players = sorted(entropy)
    for last in range(len(players) - 1, 0, -1):
        choices = last + 1
        limit = 2**32 - 2**32 % choices
        number_drawn = limit
        while number_drawn >= limit:
            number_drawn = int.from_bytes(bytes(next(stream) for _ in range(4)), "big")
        choice = number_drawn % choices
        players[last], players[choice] = players[choice], players[last]
    return tuple(players)


def _bytes(secret: bytes, message: bytes) -> Iterator[int]:
    for block in count():
        yield from hmac.digest(secret, message + block.to_bytes(4, "big"), "sha256")
