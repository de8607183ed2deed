"""What a bot imagines from a view of a Classic table."""

from domain.boards import builtin
from domain.classic.box.editions import FRIZ
from domain.classic.display import view
from domain.classic.start.position import arrange

PLAYERS = {"players": {"red": "macedonia", "blue": "egypt"}}


def test_a_new_galley_in_an_imagined_position_takes_the_name_of_no_other() -> None:
    board = builtin("conquest")
    fleet = {"seat": "red", "at": "mare-aegaeum", "galley": 3}
    imagined = arrange(PLAYERS, FRIZ, board)
    view.imagine(imagined, view.of(arrange({**PLAYERS, "forces": [fleet]}, FRIZ, board)))
    assert f"galley-{imagined.next_galley}" not in imagined.galleys
    assert "galley-3" in imagined.galleys
