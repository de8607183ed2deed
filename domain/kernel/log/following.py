"""What follows an act at once, without anybody asking: answers left in advance, and what the house does."""

from collections.abc import Iterator
from typing import Final

from domain.kernel.chance.draws import Chance
from domain.kernel.chance.secret import Vault
from domain.kernel.log import answering, seating
from domain.kernel.log.game import Decided

MOST: Final = 200
"""How often the house acts in one transaction at most. Further transactions do the rest."""


def following(step: Decided, chance: Chance, vault: Vault, at: str, most: int = MOST) -> Iterator[Decided]:
    """Yield what follows an act, one step after another.

    First come the answers left in advance. Then the house answers for a seat that resigned (TAB-SEAT-05), which may
    call for more answers. When the house has acted `most` times, the rest is left to another call. `vault` holds all
    secrets from before `step`.
    """
    for number in range(most + 1):
        for answer in answering.given_in_advance(step, chance, vault, at):
            vault, step = vault.joined_by(step.secrets), answer
            yield answer
        vault = vault.joined_by(step.secrets)
        house = seating.by_house(step.game, chance, vault, at) if number < most else None
        if house is None:
            return
        yield house
        step = house
