"""Names that nobody can tell apart by eye."""

import pytest

from service.accounts.lookalikes import looking_alike, skeleton


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "\u0410nna"),  # Cyrillic A
        ("anna", "\uff41nna"),  # fullwidth a
        ("Livia", "L\u200divia"),  # a joiner that nobody sees
        ("Romulus", "R\u043emu\u217cus"),  # Cyrillic o, small Roman numeral fifty
        ("modern", "rnodern"),
        ("LIVIA", "livia"),
        ("Jos\u00e9", "Jose\u0301"),
        ("O0", "00"),
    ],
)
def test_names_that_look_the_same_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    assert skeleton(skeleton(one)) == skeleton(one)
    assert looking_alike([one, other, "Marcus"]) == {one, other}


@pytest.mark.parametrize(
    ("one", "other"), [("Anna", "Hanna"), ("Jos\u00e9", "Jose"), ("Иван", "Ivan"), ("bot 2", "bot 3")]
)
def test_names_that_look_different_have_not(one: str, other: str) -> None:
    assert looking_alike([one, other]) == frozenset()
