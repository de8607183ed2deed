"""What the versions of Italia do differently: a switch for each correction, and the changes that turn them on."""

from typing import Final

from msgspec import Struct

from domain.kernel.ids import RuleId
from domain.kernel.rules.versions import Change


class Rules(Struct, frozen=True):
    """The switches. All are off in version 1; each names a correction that a later version makes.

    Attributes:
        company_stays_together: whether units that begin aboard, too, must be where their leader is (IT-RNF-04).
        leaders_hold_battles: whether units may join a battle in which only a leader of their nation stands (IT-REA-03).
        raids_admit_nobody: whether an area is closed to all units while a leader raids it (IT-REA-14).
        counters_limit_fleets: whether no more fleets arrive than there are counters (IT-RNF-02).
        marches_end_retreats: whether a campaign move restores the limit wherever units had retreated (IT-STK-18).
        deserters_always_score: whether deserters score in every nation's turn (IT-I1-11).
        revolts_before_marches: whether nations near the leader may revolt before the first move, too (IT-I1-05).
    """

    company_stays_together: bool = False
    leaders_hold_battles: bool = False
    raids_admit_nobody: bool = False
    counters_limit_fleets: bool = False
    marches_end_retreats: bool = False
    deserters_always_score: bool = False
    revolts_before_marches: bool = False


CHANGES: Final = (
    Change(
        "company_stays_together",
        2,
        (RuleId("IT-RNF-04"),),
        "Units that arrive with a leader stand where he stands, also where they may begin aboard: all in his area, or "
        "all aboard in his sea area. The project's cards bring Hamilcar and Duilius together with their land units.",
        "Reinforcements that arrive with a leader are all placed in the area of the leader (line 310). Version 1 let "
        "some begin aboard and others on land.",
    ),
    Change(
        "leaders_hold_battles",
        2,
        (RuleId("IT-REA-03"),),
        "Units may join a battle in the leader's area if only a leader of their nation stands there.",
        "They may where a unit of their nation stands (line 855), and a leader is a unit (lines 233 and 762). "
        "Version 1 asked for a land unit.",
    ),
    Change(
        "raids_admit_nobody",
        2,
        (RuleId("IT-REA-14"),),
        "While the leader raids in his area, no unit may move into that area.",
        "In a raid, units may not go into battle (lines 532, 676 and 901). Version 1 let them enter all the same, by "
        "moving and seeing.",
    ),
    Change(
        "counters_limit_fleets",
        2,
        (RuleId("IT-RNF-02"), RuleId("IT-PCS-05")),
        "Of the fleets that come as reinforcements a player places no more than there are counters for.",
        "A nation never has more units of a type than counters (lines 264 and 308). Version 1 offered no more, but "
        "accepted a command that named all that the card brings.",
    ),
    Change(
        "marches_end_retreats",
        2,
        (RuleId("IT-STK-18"), RuleId("IT-STK-22")),
        "After a move of a campaign, the ordinary limit holds again in every area that had received a retreat.",
        "The additional unit must leave in its nation's next movement phase (line 400), and a move of a campaign is "
        "one (line 847). Version 1 looked only at areas that the army had left.",
    ),
)
"""What version 2 corrects in both games."""

CHANGES_OF_1: Final = (
    *CHANGES,
    Change(
        "deserters_always_score",
        2,
        (RuleId("IT-I1-11"),),
        "Units that desert before elephants score for their opponent also when the Romans attack.",
        "A deserter counts as eliminated, and the opponent may score it (line 1003), no matter who attacks. Version 1 "
        "scored it in the opponent's own turn only, as other eliminations (line 758).",
    ),
    Change(
        "revolts_before_marches",
        2,
        (RuleId("IT-I1-05"),),
        "Nations may revolt against Rome as soon as Hannibal's campaign begins, while he still stands in Alpes.",
        "They may revolt during the campaign if Hannibal is beside them (line 989), and the campaign begins in Alpes "
        "(line 987). Version 1 asked them only after each move.",
    ),
)
"""What version 2 of Italia I corrects."""
