"""The machine that changes what happens: what it changes, and that its list of equivalent mutants names mutants."""

import ast

import pytest

from tests.helpers.games import GAMES
from tests.helpers.mutants import mutants_of, stale

CHAPTER = '''
class Paid(Event):
    coins: int = 1

    def apply(self, table):
        """Pay."""
        if table.open and self.coins <= 3:
            table.bank -= self.coins

    def tell(self, names):
        return f"{self.coins + 1} paid."
'''


def test_every_part_of_what_happens_is_changed_and_no_word() -> None:
    tree = ast.parse(CHAPTER)
    found = [(mutant.function, mutant.change) for mutant, _ in mutants_of("classic", "paid", tree)]
    both, last = "table.open and self.coins <= 3", "self.coins <= 3"
    assert found == [
        ("Paid", "coins: int = 1 -> coins: int = 2"),
        ("Paid.apply", f"{both} -> True"),
        ("Paid.apply", f"{both} -> False"),
        ("Paid.apply", f"{both} -> table.open or self.coins <= 3"),
        ("Paid.apply", f"{both} -> {last}"),
        ("Paid.apply", f"{both} -> table.open"),
        ("Paid.apply", f"{last} -> self.coins < 3"),
        ("Paid.apply", f"{last} -> self.coins <= 4"),
        ("Paid.apply", "table.bank -= self.coins -> pass"),
    ]
    assert ast.unparse(tree) == ast.unparse(ast.parse(CHAPTER))


@pytest.mark.parametrize("game", GAMES)
def test_everything_listed_as_equivalent_is_a_mutant(game: str) -> None:
    assert stale(game) == []
