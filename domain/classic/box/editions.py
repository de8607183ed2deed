"""The editions of Conquest of the Empire Classic, and what their later versions corrected.

There is one implementation, with a named switch for each difference in play, and data for the start of a game.

A new edition is an entry of `EDITIONS`, such as ``FRIZ.revised("conquest-classic-new", "…", consents=False)``.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import AreaId, RuleId
from domain.kernel.rules.versions import Change

_HOMES: Final[Mapping[int, tuple[AreaId, ...]]] = MappingProxyType(
    {
        players: tuple(map(AreaId, homes))
        for players, homes in {
            2: ("egypt", "hispania"),
            3: ("macedonia", "egypt", "hispania"),
            4: ("macedonia", "mesopotamia", "numidia", "hispania"),
            5: ("macedonia", "mesopotamia", "egypt", "hispania", "italia"),
            6: ("macedonia", "galatia", "egypt", "numidia", "hispania", "italia"),
        }.items()
    }
)


class Edition(Struct, frozen=True):
    """One edition: a switch for each difference in play, with its rule ids (friz / 2005), and how its games start."""

    id: str
    title: str
    consents: bool
    """Other players may allow transit and the use of roads: CC-ALY-02, CC-ROAD-13 / CC-ALY-11, CC-ROAD-14."""
    galleys_block_straits: bool
    """Galleys of others block a strait, for marches and retreats: CC-STR-01, CC-RET-15 / CC-STR-02, CC-RET-16."""
    coast_leads_back_only: bool
    """A galley that entered a coast leaves it for the same sea zone this turn: CC-SEA-16 / CC-SEA-17."""
    foreign_coasts_for_landing_only: bool
    """A galley enters a foreign coast only where a legion lands: CC-SEA-22 / CC-SEA-24."""
    galleys_die_on_foreign_coasts: bool
    """Galleys on foreign coasts are destroyed: as combat ends, and the attacker's after a lost battle.

    CC-SEA-33, CC-SEA-31 / CC-SEA-32.
    """
    naval_hits_are_matched: bool
    """At most one hit per own galley and cycle: CC-NAV-06 / CC-NAV-07."""
    both_may_retreat: bool
    """The attacker announces even when the defender retreats: CC-RET-01, CC-RET-09 / CC-RET-02."""
    retreat_to_own_provinces: bool
    """Retreat leads to own uncontested provinces only: CC-RET-03 / CC-RET-05."""
    retreat_needs_destination: bool
    """Without a destination no retreat can be announced: CC-RET-07 / CC-RET-08 (all is lost)."""
    new_units_take_leaders: bool
    """A unit placed at home may take a stranded enemy leader: CC-CAP-06 / not provided."""
    tribute_needs_home: bool
    """No tribute while the Home Province is lost: CC-TRI-04 / CC-TRI-05."""
    purchase_needs_home: bool
    """Nothing can be bought while the Home Province is lost: CC-BUY-05 / CC-BUY-06 (units only)."""
    ransom_in_any_turn: bool
    """The owner and the captor may deal in anybody's placement phase: CC-RAN-02 / CC-RAN-03."""
    returned_join_caesar: bool
    """A general returns to the owner's Caesar when the home is lost: CC-RAN-08 / CC-RAN-09 (no return)."""

    caesar_needs_whole_fleet_sunk: bool = False
    """A Caesar of a sunk galley goes aboard another galley of the owner there: CC-NAV-14, CC-CAP-10 / CC-NAV-15."""
    proposals_lapse: bool = False
    """The proposal of a winner lapses when the round ends: CC-WIN-02."""
    deals_name_several: bool = False
    """A ransom can name several generals, and third players' prisoners as payment: CC-RAN-04."""
    turns_wait_for_talks: bool = False
    """A turn waits until owners and captors have made their one offer or waived it: CC-RAN-13, CC-RAN-14 / not so."""

    board: str = "conquest"
    """The board that games are played on, unless they bring their own."""
    homes: Mapping[int, tuple[AreaId, ...]] = _HOMES
    """The Home Provinces in play, by the number of players, in the order of turns: CC-SET-02, CC-TRN-01."""
    infantry: int = 5
    """How many infantry each player starts with, besides a Caesar, generals and a fortified city: CC-SET-04."""
    generals: int = 4
    """How many generals each player starts with: CC-SET-04."""

    changes: tuple[Change, ...] = ()
    """What later versions of this edition do differently."""
    own_numbers: dict[str, str] = {}
    """This edition's ids of rules that it shares with the community edition, by the ids there, where they differ."""

    def revised(self, ruleset_id: str, title: str, **differences: Any) -> "Edition":
        """Return a new edition: the newest version of this one, with some fields changed."""
        corrected = dict.fromkeys((change.switch for change in self.changes), True)
        return replace(self, id=ruleset_id, title=title, changes=(), **{**corrected, **differences})

    def cite(self, rule: str) -> str:
        """Return the id that this edition gives to a rule of the community edition that both play alike."""
        return self.own_numbers.get(rule, rule)


# --- what the second version corrects ---


def _rules(*ids: str) -> tuple[RuleId, ...]:
    return tuple(map(RuleId, ids))


_PROPOSALS_LAPSE: Final = Change(
    "proposals_lapse",
    2,
    _rules("CC-WIN-02"),
    "The proposal of a winner lapses when the round ends.",
    "All others must agree (Versione di Friz 1.5, line 822; 2005 booklet, line 321), which means at the same time: "
    "an agreement given many rounds ago does not count.",
)

_DEALS_NAME_SEVERAL: Final = Change(
    "deals_name_several",
    2,
    _rules("CC-RAN-04"),
    "A ransom can name several generals of one owner, and prisoners of third players as payment.",
    "A payment may contain the captured generals of any player (Versione di Friz 1.5, line 794; 2005 booklet, "
    "line 313).",
)

_CHANGES_FRIZ: Final = (
    Change(
        "caesar_needs_whole_fleet_sunk",
        2,
        _rules("CC-NAV-14", "CC-CAP-10"),
        "A Caesar on a sunk galley goes aboard another galley of the owner in that sea zone. "
        "The Caesar is captured only when the owner has none left there and an enemy galley is afloat.",
        "A Caesar is lost when all of the owner's combat units in the zone are eliminated (Versione di Friz 1.5, line "
        "213). The sentences about a single galley (lines 219 and 538) speak of generals.",
    ),
    _PROPOSALS_LAPSE,
    _DEALS_NAME_SEVERAL,
    Change(
        "turns_wait_for_talks",
        2,
        _rules("CC-RAN-05", "CC-RAN-06", "CC-RAN-13", "CC-RAN-14"),
        "While a prisoner is held, a turn ends when owners and captors have waived talks for it. "
        "In each turn, each side makes the other at most one offer.",
        "Owner and captor may negotiate in phase 6 of any turn (Versione di Friz 1.5, lines 806-808), so the active "
        "player cannot end the turn before them. With one offer and one counter-offer, nobody can delay it for ever.",
    ),
)
_CHANGES_2005: Final = (
    Change(
        "caesar_needs_whole_fleet_sunk",
        2,
        _rules("CC-NAV-15", "CC-CAP-10"),
        "A Caesar on a sunk galley goes aboard another galley of the owner in that sea zone. "
        "The Caesar is captured only when the owner has none left there and an enemy galley is afloat.",
        "A Caesar is lost when all of the owner's combat units in the area are eliminated (2005 booklet, line 98).",
    ),
    _PROPOSALS_LAPSE,
    _DEALS_NAME_SEVERAL,
)


# --- the editions ---

FRIZ: Final = Edition(
    id="conquest-classic-friz",
    title="Conquest of the Empire Classic, Versione di Friz 1.5",
    consents=True,
    galleys_block_straits=True,
    coast_leads_back_only=True,
    foreign_coasts_for_landing_only=True,
    galleys_die_on_foreign_coasts=True,
    naval_hits_are_matched=True,
    both_may_retreat=True,
    retreat_to_own_provinces=True,
    retreat_needs_destination=True,
    new_units_take_leaders=True,
    tribute_needs_home=True,
    purchase_needs_home=True,
    ransom_in_any_turn=True,
    returned_join_caesar=True,
    changes=_CHANGES_FRIZ,
)
"""The community edition, Versione di Friz 1.5."""

PUBLISHED_2005: Final = Edition(
    id="conquest-classic-2005",
    title="Conquest of the Empire Classic, 2005 edition",
    consents=False,
    galleys_block_straits=False,
    coast_leads_back_only=False,
    foreign_coasts_for_landing_only=False,
    galleys_die_on_foreign_coasts=False,
    naval_hits_are_matched=False,
    both_may_retreat=False,
    retreat_to_own_provinces=False,
    retreat_needs_destination=False,
    new_units_take_leaders=False,
    tribute_needs_home=False,
    purchase_needs_home=False,
    ransom_in_any_turn=False,
    returned_join_caesar=False,
    changes=_CHANGES_2005,
    own_numbers={
        "CC-MOV-13": "CC-MOV-14",
        "CC-SEA-11": "CC-SEA-12",
        "CC-NAV-08": "CC-NAV-09",
        "CC-NAV-14": "CC-NAV-15",
        "CC-CAP-04": "CC-CAP-05",
        "CC-SEA-34": "CC-SEA-35",
    },
)
"""The publisher's edition of 2005."""

EDITIONS: Final = (FRIZ, PUBLISHED_2005)
