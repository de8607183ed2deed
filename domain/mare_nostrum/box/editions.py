"""What the versions of Mare Nostrum do differently: a switch for each correction, and the changes that turn them on."""

from typing import Final

from msgspec import Struct

from domain.kernel.ids import RuleId
from domain.kernel.rules.versions import Change


class Rules(Struct, frozen=True):
    """The switches. All are off in version 1; each names a correction that a later version makes.

    Attributes:
        choice_after_each_battle: whether an invader who fights again in a province and is alone again chooses again,
            even if they have already chosen there this turn (MN-AFT-01).
        all_legions_choose: whether an attack on an undefended province takes all legions that can make it (MN-AFT-01).
        aid_cards_name_roles: whether the aid cards also give the first roles after a free set-up (MN-ROL-13).
        neutral_capitals_convert: whether the marker in a capital that nobody plays can be converted (MN-INF-07).
        neutral_aegean: whether a neutral Greece also holds the provinces along the Aegean (MN-SET-19).
        level_board: whether new games begin on the board that gives every civilization the same income (MN-SET-06).
    """

    choice_after_each_battle: bool = False
    all_legions_choose: bool = False
    aid_cards_name_roles: bool = False
    neutral_capitals_convert: bool = False
    neutral_aegean: bool = False
    level_board: bool = False


CHANGES: Final = (
    Change(
        "choice_after_each_battle",
        2,
        (RuleId("MN-AFT-01"),),
        "An invader who fights again in a province and is alone again chooses again: pillage, occupy or convert.",
        "The choice follows the battle (lines 148 and 154-156), and a player who is alone at the end of a battle that "
        "they began may choose (line 406). Version 1 allowed one choice per province and turn.",
    ),
    Change(
        "all_legions_choose",
        2,
        (RuleId("MN-AFT-01"), RuleId("MN-LEG-06")),
        "All legions in an undefended province take part in the choice, except those that have attacked already or "
        "stay on the posts that they hold.",
        "The invader allocates the remaining legions, not some of them (line 156). Version 1 let a player send fewer "
        "and march on with the others.",
    ),
    Change(
        "aid_cards_name_roles",
        2,
        (RuleId("MN-ROL-13"),),
        "After the free set-up the role cards go to the civilizations that the aid cards name, as in the introductory "
        "set-up.",
        "At the start each role goes to the player that the aid card names (line 65); the free set-up replaces only "
        "where the pieces start (line 57). Version 1 dealt the role cards by what the players had founded.",
    ),
    Change(
        "neutral_capitals_convert",
        2,
        (RuleId("MN-INF-07"),),
        "The marker in the capital of a neutral civilization can be converted.",
        "The rule protects the capital of a player, who cannot be eliminated (line 164); nobody plays a neutral "
        "civilization (line 61). Version 1 protected all five capitals.",
    ),
    Change(
        "neutral_aegean",
        2,
        (RuleId("MN-SET-19"),),
        "A neutral Greece also gets a marker and a legion in each province along the Aegean.",
        "Neutral pieces go to each province adjacent to the capital (line 61), and the rules call the four provinces "
        "along the Aegean adjacent to Greece (line 181). Version 1 counted only land borders.",
    ),
    Change(
        "level_board",
        2,
        (RuleId("MN-SET-06"),),
        "New games are played on a board on which Rome begins with a caravan on fruit instead of two legions, so that "
        "every layout brings 5 cards of income and costs 36 points. A running game keeps its board.",
        "The rules do not show the layouts (line 51). The parts of Rome's layout that we had invented gave it 4 cards "
        "of income, and all others 5.",
    ),
)
"""What version 2 corrects."""
