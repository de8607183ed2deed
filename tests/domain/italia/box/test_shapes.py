"""The shapes that are stored leave out what is empty."""

import msgspec
import pytest
from msgspec import NODEFAULT, Struct

from domain.italia.box import pieces, table
from domain.italia.ruleset import ItaliaI, ItaliaII

SHAPES = {
    shape
    for module in (pieces, table)
    for shape in vars(module).values()
    if isinstance(shape, type) and issubclass(shape, Struct) and shape.__module__ == module.__name__
} | {*ItaliaI().commands, *ItaliaII().commands}


@pytest.mark.parametrize("shape", sorted(SHAPES, key=str), ids=lambda shape: shape.__name__)
def test_empty_fields_are_left_out(shape: type[Struct]) -> None:
    # msgspec knows that a container is empty only if one of these made it, not `dict[str, int]`.
    if shape.__struct_config__.omit_defaults:
        made = {each.name: each.default_factory for each in msgspec.structs.fields(shape)}
        assert {name for name, factory in made.items() if factory not in (NODEFAULT, list, dict, set)} == set()
