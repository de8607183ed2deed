"""What the Conquest family needs of a board: what each province yields (CC-BRD-02, CC-BRD-03)."""

from typing import Final

from domain.boards.family import Family, Measure

FAMILY: Final = Family(values={"tribute": Measure(kind="land", allowed=(5, 10))})
