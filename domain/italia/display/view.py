"""What a player sees: everything but the targets that the other side has chosen in secret (IT-BAT-19)."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.italia.box.pieces import NO_ARMY, Army, Fleet, FleetId, LeaderId, NationId
from domain.italia.box.state import (
    Aim,
    Arriving,
    Battle,
    Campaign,
    City,
    Combat,
    Leaving,
    Moving,
    Nation,
    Options,
    Placing,
    Repair,
    RoundStage,
    Spoil,
    Stage,
    Turn,
)
from domain.italia.box.table import Table
from domain.italia.combat import aims
from domain.italia.turn import stacking
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.schema import Random

ANNOUNCED: Final = 0.8
"""The chance that `imagine` takes `Table.announced`, which a view does not show, for true."""


class NationView(Struct, frozen=True):
    """A nation.

    Attributes:
        seat: who leads it.
        rounds: the first and the last round in which it takes a turn.
        comes: the round in which its first pieces come by its card; 1 when it has some at the beginning.
        gold: saved gold.
        points: victory points, in halves; those that a subject has still to halve are not among them.
        shared: points of a subject that are still to be halved, in halves.
        overlord: the nation to which it is subject.
        capital: its capital.
        areas: the land areas that it controls.
        supply: counters that it has left, by type.
        held: purchased units that wait for its next placement.
        fallen: leaders who were eliminated.
        over: whether it has left the game or was transformed.
    """

    seat: Seat
    rounds: tuple[int, int]
    comes: int
    gold: int
    points: int
    shared: int
    overlord: NationId | None
    capital: AreaId | None
    areas: int
    supply: dict[str, int]
    held: dict[str, int]
    fallen: tuple[LeaderId, ...]
    over: bool


class TurnView(Struct, frozen=True):
    """The turn of a nation.

    Attributes:
        stages: the present stage and those that are still to come.
        major_invasion: whether it makes a major invasion.
        building: areas of purchased cities that are still to be placed.
        ruined: cities that cannot be rebuilt in this turn.
    """

    nation: NationId
    stages: tuple[Stage, ...]
    major_invasion: bool
    building: tuple[AreaId, ...]
    ruined: tuple[AreaId, ...]


class View(Struct, frozen=True):
    """A position, as somebody sees it.

    Attributes:
        round: the number of the round; 0 before the first.
        stage: the part of the round.
        seats: the players.
        turn: the turn under way.
        done: the nations whose turn in this round is over; in the civil war, the faction that was last to move or pass.
        nations: all nations, in play order.
        armies: land units and leaders by area and nation.
        fleets: the fleets with what they carry.
        cities: cities and ruins by area.
        sacked: cities that nations have sacked or raided at least once.
        placing: purchased units that are still to be placed.
        arriving: reinforcements that are still to be placed.
        moving: how units have moved in the movement phase under way.
        combat: the battles of the combat phase under way.
        battle: the battle under way.
        aiming: by nation, the targets that you have chosen in secret so far, under the option `individual_targets`.
        leaving: units that must leave an area.
        spoils: cities for which a nation must choose what it gains.
        repair: a raided city that can be rebuilt.
        campaign: the campaign under way.
        options: the house rules of the game.
        elephant_battles: battles of Romans against elephants so far.
        conversions: how often the Patrimonium has converted a unit.
        titles: titles that were taken.
        winners: who has won.
    """

    round: int
    stage: RoundStage
    seats: tuple[Seat, ...]
    turn: TurnView | None
    done: tuple[NationId, ...]
    nations: dict[NationId, NationView]
    armies: dict[AreaId, dict[NationId, Army]]
    fleets: dict[FleetId, Fleet]
    cities: dict[AreaId, City]
    sacked: dict[NationId, tuple[AreaId, ...]]
    placing: Placing | None
    arriving: tuple[Arriving, ...]
    moving: Moving | None
    combat: Combat | None
    battle: Battle | None
    aiming: dict[NationId, tuple[Aim, ...]]
    leaving: tuple[Leaving, ...]
    spoils: tuple[Spoil, ...]
    repair: Repair | None
    campaign: Campaign | None
    options: Options
    elephant_battles: int
    conversions: int
    titles: tuple[str, ...]
    winners: tuple[Seat, ...]


def of(table: Table, vault: Vault) -> View:
    """Return the position as the holder of `vault` sees it. In `battle` sealed targets stay commitments."""
    turn = table.turn
    return View(
        round=table.round,
        stage=table.stage,
        seats=table.seats,
        turn=None
        if turn is None
        else TurnView(turn.nation, turn.stages, turn.major_invasion, turn.building, turn.ruined),
        done=tuple(table.done),
        nations={nation: _nation(table, nation) for nation in table.nations},
        armies=dict(table.armies),
        fleets=dict(table.fleets),
        cities=dict(table.cities),
        sacked=dict(table.sacked),
        placing=table.placing,
        arriving=tuple(table.arriving),
        moving=table.moving,
        combat=table.combat,
        battle=table.battle,
        aiming={} if table.battle is None else aims.chosen_by(table.battle, vault),
        leaving=tuple(table.leaving),
        spoils=tuple(table.spoils),
        repair=table.repair,
        campaign=table.campaign,
        options=table.options,
        elephant_battles=table.elephant_battles,
        conversions=table.conversions,
        titles=tuple(table.titles),
        winners=tuple(table.winners),
    )


def _nation(table: Table, nation: NationId) -> NationView:
    standing, card = table.nations[nation], table.cards.nations[nation]
    return NationView(
        seat=table.seat_of(nation),
        rounds=card.rounds,
        comes=1 if card.setup else min((each.round for each in card.arrivals), default=card.rounds[0]),
        gold=standing.gold,
        points=standing.points,
        shared=standing.shared,
        overlord=standing.overlord,
        capital=stacking.capital(table, nation),
        areas=len(table.areas_of(nation)),
        supply=table.supply(nation),
        held=standing.held,
        fallen=standing.fallen,
        over=standing.over,
    )


# --- and back ---


def imagine(draft: Draft[Table], view: View, viewer: Seat, rng: Random) -> None:
    """Fill a bare table with a position that `view` could show.

    Guessed are the targets that the other side has chosen, `Table.announced`, and when leaders came. What else the view
    does not show is left out, such as earlier blocks, retreats received, and passes and levies of the civil war.
    """
    table, turn = draft.table, view.turn
    table.assume(view, "turn", "nations")
    if turn is not None:
        table.turn = Turn(turn.nation, turn.stages, turn.major_invasion, turn.building, turn.ruined)
    for nation, standing in view.nations.items():
        declared = standing.capital if stacking.fixed_capital(table, nation) is None else None
        led = [name for armies in view.armies.values() for name in armies.get(nation, NO_ARMY).leaders]
        led += [name for fleet in view.fleets.values() if fleet.nation == nation for name in fleet.cargo.leaders]
        table.nations[nation] = Nation(
            gold=standing.gold,
            points=standing.points,
            shared=standing.shared,
            overlord=standing.overlord,
            capital=declared,
            held=standing.held,
            came={name: _last_arrival(table, nation, name) for name in led},
            fallen=standing.fallen,
            over=standing.over,
        )
        supply = table.supply(nation)
        out_of_play = {
            kind: number - standing.supply[kind] for kind, number in supply.items() if number > standing.supply[kind]
        }
        table.change(nation, gone=out_of_play)
    table.announced = rng.random() < ANNOUNCED
    table.at_war = view.stage == "civil-war"
    if view.battle is not None and view.battle.sealed:
        table.battle = replace(view.battle, sealed={})
        for nation, sealed in view.battle.sealed.items():
            aims.assume(draft, nation, len(sealed), view.aiming.get(nation), rng)


def _last_arrival(table: Table, nation: NationId, leader: LeaderId) -> int:
    """Return the last round in which a leader can have come by the card of their nation."""
    card = table.cards.nations[nation]
    return max(
        (each.round for each in card.arrivals if leader in each.leaders and each.round <= table.round), default=1
    )
