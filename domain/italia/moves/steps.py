"""How units have moved in this phase, and who may make a step from an area to a neighbour (chapter MOV)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.italia.box.pieces import KINDS, Army, Kind, LeaderId, NationId, Units, plus
from domain.italia.box.state import By, LeaderWalk, Moving, Walk
from domain.italia.box.table import Table, turn_of
from domain.italia.turn.stacking import plan_of
from domain.kernel.ids import AreaId
from domain.kernel.rules.refusal import Refusal, refuse_unless

Walks = dict[str, tuple[Walk, ...]]

MOVE = frozenset({"move"})
"""The decision that all commands of a movement phase answer."""

# --- how units have moved ---


def moving_of(table: Table) -> Moving:
    """Return the movement under way."""
    assert table.moving is not None, "a nation moves"
    return table.moving


def record_walks(
    table: Table, walks: Walks, leaders: dict[LeaderId, LeaderWalk], origin: AreaId | None = None, **changes: Any
) -> None:
    """Remember how units and leaders have moved, and which area they have left. For `apply` only."""
    moving = moving_of(table)
    behind = moving.behind
    if origin is not None and origin not in behind:
        behind = (*behind, origin)
    walks = joined(moving.walks, walks)
    table.moving = replace(moving, walks=walks, leaders={**moving.leaders, **leaders}, behind=behind, **changes)


def joined(old: Walks, new: Walks) -> Walks:
    """Return groups by place, sorted by id: those of `new` replace the `old` ones; places without any are left out."""
    both, in_order = {**old, **new}, Walks()
    for place in sorted(both):
        if both[place]:
            in_order[place] = both[place]
    return in_order


def groups_at(table: Table, nation: NationId, area: AreaId) -> tuple[Walk, ...]:
    """Return all units of a nation in an area, in groups that have moved alike; fresh ones have made no step."""
    moved = moving_of(table).walks.get(area, ())
    fresh = fresh_at(table, nation, area)
    return (*(Walk(kind, fresh[kind], 0, area) for kind in fresh), *moved)


def fresh_at(table: Table, nation: NationId, area: AreaId) -> Units:
    """Return the units of a nation in an area that have not moved."""
    units = dict(table.army(area, nation).units)
    for walk in moving_of(table).walks.get(area, ()):
        units[walk.kind] -= walk.count
    return plus(units, {})


def merged(groups: Iterable[Walk]) -> tuple[Walk, ...]:
    """Return groups in a fixed order: those that have moved alike become one, and fresh ones are left out."""
    counts: defaultdict[Walk, int] = defaultdict(int)
    for walk in groups:
        if walk.steps or walk.spent:
            counts[replace(walk, count=0)] += walk.count
    in_groups = [replace(walk, count=number) for walk, number in counts.items() if number]
    return tuple(sorted(in_groups, key=lambda walk: (KINDS.index(walk.kind), walk.steps, walk.origin, walk.leaders)))


# --- who may make a step ---


def allowance(table: Table, kind: Kind) -> int:
    """Return how many areas a unit may enter (IT-MOV-03, IT-MOV-05, IT-MOV-06)."""
    return table.data.units[kind].move + _bonus(table)


def _bonus(table: Table) -> int:
    """Return the further areas of the first movement of a major invasion, where a card gives any (IT-MAJ-04)."""
    turn, plan = turn_of(table), plan_of(table)
    return int(plan is not None and plan.extra_step and "movement" in turn.stages[1:])


def _furthest(table: Table, kind: Kind) -> int:
    """Return how many areas a unit may enter with a leader (IT-MOV-10)."""
    return allowance(table, kind) + table.data.leader.extra_move


def _furthest_alone(table: Table) -> int:
    """Return how many areas a leader may enter alone (IT-MOV-13)."""
    return table.data.leader.move + _bonus(table)


def _companions(table: Table, leader: LeaderId, groups: Iterable[Walk]) -> list[Walk]:
    """Return the groups that let a leader make one more step than he can alone (IT-MOV-14)."""
    steps = steps_of(table, leader)
    return [
        walk
        for walk in groups
        if not walk.spent
        and walk.steps < _furthest(table, walk.kind)
        and (leader in walk.leaders or not (steps or walk.steps))
    ]


def steps_of(table: Table, leader: LeaderId) -> int:
    walk = moving_of(table).leaders.get(leader)
    return 0 if walk is None else walk.steps


def left_behind(table: Table, walk: Walk, leaders: Sequence[LeaderId]) -> bool:
    """Tell whether units have used the extra area of leaders who now go on without them (IT-MOV-10)."""
    return walk.steps > allowance(table, walk.kind) and set(walk.leaders) <= set(leaders)


class Step(Struct, frozen=True):
    """A step from an area to a neighbour, as far as it does not depend on the units.

    Attributes:
        leaders: who goes along.
        contested: strangers are at the origin.
        free: fresh units may leave the origin, though strangers are there (IT-RNF-17).
        allied: units of allied nations only are at the destination (IT-SUB-11).
    """

    nation: NationId
    origin: AreaId
    to: AreaId
    leaders: tuple[LeaderId, ...]
    strait: bool
    contested: bool
    free: bool
    allied: bool

    def barred(self, table: Table, walk: Walk) -> str | None:
        """Return the rule that keeps a group from making the step; None when it may."""
        if walk.spent:
            rough = table.is_highland(self.origin) and self.origin not in moving_of(table).roads and not walk.rough
            stopped = "IT-MOV-07" if walk.steps and rough else "IT-OVR-03"
            return {"strait": "IT-STR-02", "sea": "IT-SEA-08"}.get(walk.by, stopped)
        if walk.rough and not self.leaders:
            return "IT-MOV-07"
        if self.strait and walk.steps:
            return "IT-STR-02"
        accompanied = not set(walk.leaders).isdisjoint(self.leaders)
        if walk.steps >= (_furthest if accompanied else allowance)(table, walk.kind):
            return "IT-MOV-10" if self.leaders else "IT-MOV-03"
        if self.allied and not self._goes_on(table, self.after(table, walk)):
            return no_rest(table, self.nation, self.to)
        return None

    def leader_barred(self, table: Table, leader: LeaderId, groups: Sequence[Walk]) -> str | None:
        """Return the rule that keeps a leader from making the step with these units; None when he may."""
        walk, steps = moving_of(table).leaders.get(leader), steps_of(table, leader)
        if walk is not None and walk.spent:
            return {"strait": "IT-STR-02", "sea": "IT-SEA-08"}.get(walk.by, "IT-MOV-04")
        if self.strait and steps:
            return "IT-STR-02"
        if steps >= _furthest_alone(table) and not _companions(table, leader, groups):
            return "IT-MOV-13"
        if self.allied and not self._leader_goes_on(table, leader, groups):
            return no_rest(table, self.nation, self.to)
        return None

    def after(self, table: Table, walk: Walk) -> Walk:
        """Return how a group has moved after the step (IT-MOV-07, IT-MOV-10 to IT-MOV-12, IT-STR-02)."""
        before = moving_of(table).leaders
        if walk.steps:
            together = tuple(leader for leader in walk.leaders if leader in self.leaders)
        else:
            together = tuple(leader for leader in self.leaders if leader not in before)
        stops = table.is_highland(self.to) and self.to not in moving_of(table).roads
        return Walk(
            walk.kind,
            walk.count,
            walk.steps + 1,
            self.origin,
            "strait" if self.strait else "land",
            together,
            rough=stops and bool(self.leaders),
            spent=self.strait or (stops and not self.leaders),
        )

    def leader_after(self, table: Table, leader: LeaderId) -> LeaderWalk:
        """Return how a leader has moved after the step."""
        by: By = "strait" if self.strait else "land"
        return LeaderWalk(steps_of(table, leader) + 1, self.origin, by, spent=self.strait)

    def _goes_on(self, table: Table, walk: Walk) -> bool:
        """Tell whether units can go on from allied units, among whom they cannot stay; an army on campaign can."""
        if self._rests(table):
            return True
        return not walk.spent and walk.steps < (_furthest if walk.leaders else allowance)(table, walk.kind)

    def _leader_goes_on(self, table: Table, leader: LeaderId, groups: Sequence[Walk]) -> bool:
        if self._rests(table):
            return True
        after = [self.after(table, walk) for walk in groups]
        alone = steps_of(table, leader) + 1 < _furthest_alone(table)
        together = any(leader in walk.leaders and walk.steps < _furthest(table, walk.kind) for walk in after)
        return not self.strait and (alone or together)

    def _rests(self, table: Table) -> bool:
        """Tell whether an army on campaign may end this move among subjects (IT-CAM-13)."""
        return table.campaign is not None and may_rest(table, self.nation, self.to)

    def choose(self, table: Table, units: Units, wrong: str) -> list[Walk]:
        """Return the groups that make the step. Raises `Refusal` when fewer than `units` can."""
        groups = groups_at(table, self.nation, self.origin)
        choice: list[Walk] = []
        for kind, number in units.items():
            able = [walk for walk in groups if walk.kind == kind and self.barred(table, walk) is None]
            for walk in self.sorted(able):
                if number:
                    choice.append(replace(walk, count=min(number, walk.count)))
                    number -= choice[-1].count
            if number or not able:
                rules = [rule for walk in groups if walk.kind == kind and (rule := self.barred(table, walk))]
                raise Refusal(rules[0], wrong, WHY[rules[0]])
        return choice

    def sorted(self, groups: Iterable[Walk]) -> list[Walk]:
        """Return groups in the order in which they go: the furthest first; but if `free`, the fresh ones before all."""
        companions = set(self.leaders)
        far = sorted(groups, key=lambda each: (each.steps, len(companions & set(each.leaders))), reverse=True)
        return sorted(far, key=lambda each: each.steps > 0) if self.free else far


WHY = {
    "IT-CAM-13": "They could not go on from there, and rest among subjects only with gold for another move.",
    "IT-MOV-03": "They have moved as far as they can in this phase.",
    "IT-MOV-04": "They have moved already in this phase.",
    "IT-MOV-07": "Units stop in a highland, unless a leader goes with them or the nation controlled a city there.",
    "IT-MOV-10": "Only units that have been with a leader since he set out move one more area with him.",
    "IT-MOV-13": "A leader goes further than he can alone only with units that have been with him since he set out.",
    "IT-OVR-03": "Units that stay for an overrun cannot move any more.",
    "IT-SEA-08": "Units that have landed cannot move any more.",
    "IT-STR-02": "A unit that crosses a strait makes no other move in this phase.",
    "IT-SUB-11": "They could not go on from there, and may not stay among allied units.",
}
"""What a refusal says is right, by the rule that keeps units from making a step."""


def step_between(
    table: Table, nation: NationId, origin: AreaId, to: AreaId, leaders: tuple[LeaderId, ...], wrong: str
) -> Step:
    """Return a step. Raises `Refusal` when nobody could make it."""
    near, names = table.map.land_neighbours(origin), table.names
    refuse_unless(to in near, "IT-MOV-02", wrong, f"The neighbours of {names(origin)} are {names.all(near)}.")
    if not table.treats_as_normal(nation, to):
        raise Refusal("IT-ENT-03", wrong, f"The {names(nation)} may not enter that entry area.")
    campaign = table.campaign
    if campaign is not None and campaign.leader not in leaders:
        raise Refusal("IT-CAM-01", wrong, f"On campaign units move only with {names(campaign.leader)}.")
    return bare_step(table, nation, origin, to, leaders)


def bare_step(table: Table, nation: NationId, origin: AreaId, to: AreaId, leaders: tuple[LeaderId, ...]) -> Step:
    contested = bool(table.strangers(nation, origin))
    return Step(
        nation,
        origin,
        to,
        leaders,
        strait=table.map.is_strait(origin, to),
        contested=contested,
        free=contested and leaves_freely(table),
        allied=not table.strangers(nation, to) and bool(allies_at(table, nation, to)),
    )


def leaves_freely(table: Table) -> bool:
    """Tell whether fresh units may leave strangers among whom they are: outside campaigns, because they have just
    arrived there; on a campaign only at its first move, and where the card allows it (IT-CAM-17, IT-I1-34)."""
    if table.campaign is None:
        return True
    plan = plan_of(table)
    first = table.campaign.step <= 1
    return first and plan is not None and plan.first_move_free and not table.options.ignore_pyrrhus_faq


def allies_at(table: Table, nation: NationId, area: AreaId) -> list[NationId]:
    """Return the allied nations that a nation meets in an area (IT-SUB-11)."""
    met = [other for other in table.nations_at(area) if other != nation and table.sees(nation, other, area)]
    return [other for other in met if table.are_allied(nation, other)]


def no_rest(table: Table, nation: NationId, area: AreaId) -> str:
    """Return the rule against staying among allied units: IT-CAM-13 on campaign among subjects, else IT-SUB-11."""
    subjects = all(table.nations[other].overlord == nation for other in allies_at(table, nation, area))
    return "IT-CAM-13" if table.campaign is not None and subjects else "IT-SUB-11"


def may_rest(table: Table, nation: NationId, area: AreaId) -> bool:
    """Tell whether an army may end a move of a campaign in an area: among subjects only, with gold for another one
    (IT-CAM-13)."""
    subjects = all(table.nations[other].overlord == nation for other in allies_at(table, nation, area))
    return subjects and table.nations[nation].gold >= table.data.costs.campaign_move


# --- what commands name ---


def army_of(units: Units, leaders: Iterable[LeaderId]) -> Army:
    """Return units and leaders that a command names."""
    return Army(plus(units, {}), tuple(sorted(leaders)))


def refuse_unless_there(
    table: Table, nation: NationId, area: AreaId, units: Units, leaders: tuple[LeaderId, ...], wrong: str
) -> None:
    """Refuse units that the active nation does not have in an area, or a command that names nobody.

    The rule is IT-SEQ-03 if another nation has these units there, else IT-MOV-01.
    """
    present, army, names = table.army(area, nation), Army(units, leaders), table.names
    if not present.has(army):
        has = present.tell(names) if present else "nothing"
        others = any(table.army(area, other).has(army) for other in table.nations_at(area))
        allowed = f"It is the turn of the {names(nation)}, who have {has} in {names(area)}."
        raise Refusal("IT-SEQ-03" if others else "IT-MOV-01", wrong, allowed)
    refuse_unless(army.size or leaders, "IT-MOV-01", "You named nobody.", "Name at least one unit or leader.")
