"""Two worlds that differ in one secret: the same accounts, dice and deeds, but two hidden cards are swapped."""

import contextlib
import hashlib
from collections.abc import Iterator
from random import Random
from typing import Any, Final, Literal
from unittest import mock

from msgspec import Struct

from domain.kernel.log.lifecycle import Sight
from domain.kernel.rules.draft import Draft
from tests.tiny.auction import DECK, HAND, CardsDealt, Table, TinyAuction

SEATED: Final = ("Anna", "Bert", "Carl", "Dora")

Way = Literal["offer", "resignation", "clock"]
"""How a seat changes hands: its player offers it, resigns, or lets the flag fall."""


def perfect(salt: bytes, value: Any) -> str:
    """Return a commitment that tells nothing of `value`, whatever is known and however long one tries."""
    return hashlib.sha256(b"perfect" + salt).hexdigest()


@contextlib.contextmanager
def perfect_commitments() -> Iterator[None]:
    """Let commitments hide perfectly.

    Then nothing in two worlds has to be masked before their bytes are compared, the chain of hashes included. What
    they stand in for, SHA-256 over a salt of 16 random bytes, hides for as long as nobody is shown the salt.
    """
    with (
        mock.patch("domain.kernel.rules.draft.commitment_of", perfect),
        mock.patch("domain.kernel.chance.secret.commitment_of", perfect),
    ):
        yield


class Cast(Struct, frozen=True):
    """Who plays, and who looks without being in the secret.

    Attributes:
        seats: how many play.
        blind: the numbers of the seats that look; neither swapped card is theirs.
        organizer: the number of the seat whose player organizes the game; None for somebody without a seat.
        sees: what an organizer without a seat sees: `all`, or what spectators see; then they look, too.
        in_stock: whether both cards lie in the stock, which is never turned up; else one is in a hand.
        commands: the most commands, after which the game is left alone.
        handed: the number of the seat that changes hands, which has a swapped card unless it is blind. From then on
            its player before looks, too. So does a substitute of a blind seat, from the beginning.
        way: how it does.
    """

    seed: int
    seats: int
    blind: tuple[int, ...]
    organizer: int | None
    in_stock: bool
    commands: int = 1000
    sees: Sight = "spectator"
    handed: int | None = None
    way: Way = "offer"

    @classmethod
    def handing(cls, way: Way, *, is_blind: bool) -> "Cast":
        """Return a cast of three, one of whose seats changes hands."""
        seed = ("offer", "resignation", "clock").index(way)
        return cls(seed, 3, (1,), None, in_stock=False, commands=3, handed=1 if is_blind else 0, way=way)

    @classmethod
    def drawn(cls, seed: int) -> "Cast":
        """Return the cast of a seed: all numbers of seats, and organizers of all kinds, come in turn."""
        rng, seats = Random(seed), (2, 3, 4)[seed % 3]
        blind = tuple(rng.sample(range(seats), min(2, seats - 1)))
        organizer = None if seed % 2 == 1 else rng.choice(blind)
        return cls(seed, seats, blind, organizer, seed % 5 == 4, sees="all" if seed % 4 == 1 else "spectator")


class Auction(TinyAuction):
    """The auction as a cast plays it; `swapped` makes it that of the other world."""

    def __init__(self, cast: Cast, *, swapped: bool) -> None:
        super().__init__()
        self.cast = cast
        self.swapped = swapped
        self.differs: dict[int, int] = {}
        """By the number of a seat, the place in its hand of the card that is another one in the other world."""

    def open(self, draft: Draft[Table]) -> None:
        deck = draft.shuffle(DECK)
        one, other = self._places(deck)
        dealt = (len(deck) - 1 - place for place in (one, other))
        self.differs = dict(divmod(number, HAND) for number in dealt)
        if self.swapped:
            deck[one], deck[other] = deck[other], deck[one]
        hands = {seat: tuple(draft.seal(deck.pop(), (seat,)) for _ in range(HAND)) for seat in draft.table.seats}
        draft.emit(CardsDealt(hands, tuple(draft.seal(card, ()) for card in deck)))

    def _places(self, deck: list[int]) -> tuple[int, int]:
        """Return two places of the deck that go to different owners, none of them blind, with different cards."""
        # Dealt from the end of the deck; None owns the stock.
        handed = self.cast.handed if self.cast.handed not in self.cast.blind else None
        owners = [seat if (seat := (len(deck) - 1 - place) // HAND) < self.cast.seats else None for place in range(15)]
        pairs = [
            (one, other)
            for one, owner in enumerate(owners)
            for other, its_owner in enumerate(owners)
            if not {owner, its_owner} & set(self.cast.blind) and deck[one] != deck[other]
            if handed is None or handed in (owner, its_owner)
            if (owner is its_owner is None if self.cast.in_stock else owner is not None and owner != its_owner)
        ]
        return Random(self.cast.seed).choice(pairs)
