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
from collections.abc import Mapping

from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import keyed_bytes, shuffled_places
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
    players = sorted(entropy)
    places = shuffled_places(len(players), keyed_bytes(secret, context + number.to_bytes(8, "big")))
    return tuple(players[place] for place in places)
