"""The Campaign game keeps the laws: no piece, card, token or talent comes or goes but by an event that says so."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from domain.boards import builtin
from domain.campaign.box import hands
from domain.campaign.box.state import CARD, NO_ARMY, SLAVES, Army, Group, Province
from domain.campaign.box.table import Table
from domain.campaign.cards import effects, uses
from domain.campaign.cards.cards import CardAcquired
from domain.campaign.combat import battle, forces
from domain.campaign.economy import influence, recruiting
from domain.campaign.economy.special_tax import SpecialTaxTaken
from domain.campaign.politics import senate
from domain.campaign.politics.auction import AuctionWon
from domain.campaign.ruleset import Campaign
from domain.campaign.start import deployment, setup
from domain.campaign.turn.taxes import TaxesCollected
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.message import Event
from tests.helpers.laws.laws import Laws
from tests.helpers.laws.twins import Bare


class TestCampaignLaws(Laws):
    ruleset = Campaign()
    board = builtin("conquest")
    seeds = (10, 1, 2, 3, 4)  # one for each number of players, 2 to 6; senators are stolen in these games
    commands = 20

    def setup(self, seed: int) -> Mapping[str, Any]:
        return {"seasons": 5 if seed % 2 else 4}

    def pieces(self, table: Table) -> Mapping[str, int]:
        """Count what each seat has on the board and in talents, and the cards and province tokens in the game."""
        count = Counter({f"talents of {seat}": player.talents for seat, player in table.players.items()})
        for province in table.provinces.values():
            for seat, army in province.armies.items():
                count.update(of(seat, army))
            count.update({f"influence of {seat}": number for seat, number in province.influence.items()})
            count["province tokens"] += province.tokens
        for fleet in table.fleets.values():
            count.update({f"galleys of {seat}": number for seat, number in fleet.items()})
        count["province tokens"] += sum(table.pool.values())
        owned = sum(sum(cards.values()) for cards in table.owned.values())
        held = sum(hand.count for hand in table.hands.values())
        spent = sum(table.prize.spent.values()) if table.prize is not None else 0
        count["cards"] = sum(table.deck.values()) + sum(table.display.values()) + owned + held + spent
        return count

    def changes(self, table: Table, event: Event[Any]) -> Mapping[str, int]:
        match event:
            case setup.InfluenceDrawn(_, drawn):
                influence_of = {f"influence of {seat}": len(areas) for seat, areas in drawn.items()}
                return {**influence_of, "province tokens": -sum(map(len, drawn.values()))}
            case AuctionWon(seat, amount):
                return {f"talents of {seat}": -amount}
            case deployment.ArmyDeployed(seat, _, army):
                return of(seat, army)
            case deployment.GalleyDeployed(seat):
                return {f"galleys of {seat}": 1}
            case CardAcquired(seat, card, talents):
                leaves = table.cards[card].kind == "immediate"
                return {f"talents of {seat}": -talents, "cards": -leaves}
            case recruiting.UnitsRecruited(seat, _, army, galleys, talents):
                return {**of(seat, army), f"galleys of {seat}": sum(galleys.values()), f"talents of {seat}": -talents}
            case influence.InfluenceBought(seat, _, tokens, others, talents):
                replaced = {f"influence of {owner}": -number for owner, number in others.items()}
                own = {f"influence of {seat}": tokens + sum(others.values()), f"talents of {seat}": -talents}
                return {**replaced, **own, "province tokens": -tokens}
            case SpecialTaxTaken(seat, talents):
                return {f"talents of {seat}": talents}
            case TaxesCollected(talents):
                return {f"talents of {seat}": number for seat, number in talents.items()}
            case battle.UnitsLost(_, lost):
                return fallen(lost)
            case effects.Gained(seat, _, talents):
                return {f"talents of {seat}": talents}
            case effects.UnitsLevied(seat, _, _, units, galleys):
                return {**of(seat, Army(units)), f"galleys of {seat}": galleys}
            case effects.TokensGained(seat, _, _, number):
                return {f"influence of {seat}": number}
            case uses.GeneralKilled(_, victim):
                return {f"generals of {victim}": -1}
            case uses.SenatorKilled():
                return {"cards": -1}
            case senate.SenatorsGone(_, drawn):
                assert table.prize is not None
                regained = len(drawn.drawn) if drawn is not None else 0
                return {"cards": regained - sum(table.prize.spent.values())}
            case _:
                return {}

    def faults(self, table: Table) -> Iterator[str]:
        for seat, player in table.players.items():
            yield from (f"{left} {kind} of {seat} left" for kind, left in table.supply(seat).items() if left < 0)
            if player.talents < 0 or player.talents % 5 or player.chaos < 0:
                yield f"{seat} has {player.talents} talents and {player.chaos} chaos"
            caesars = sum(table.army(area, seat).caesar for area in table.provinces)
            if caesars > 1 or (table.round and not caesars):
                yield f"{caesars} Caesars of {seat} are on the board"
            if any(table.used[seat][card] > table.owned[seat].get(card, 0) for card in table.used[seat]):
                yield f"{seat} has used {table.used[seat]} of {table.owned[seat]}"
        for stock in (table.pool, table.deck, table.display, *table.owned.values(), *table.used.values()):
            yield from (f"{number} {name}" for name, number in stock.items() if number < 0)
        for card in table.data.card:
            places = (table.deck, table.display, *table.owned.values())
            if sum(place.get(card.id, 0) for place in places) > card.copies:
                yield f"more than {card.copies} {card.id}"
        if set(table.alliance_a) & set(table.alliance_b) or len(table.order) != len(set(table.order)):
            yield f"the alliances are {table.alliance_a} and {table.alliance_b}"
        for area, province in table.provinces.items():
            yield from (f"{area}: {fault}" for fault in faults_of(table, area, province))
        for sea, fleet in table.fleets.items():
            if sea not in table.map.seas or min(fleet.values(), default=0) < 1:
                yield f"{sea}: {fleet}"

    def opened(self, game: Bare, viewer: Seat | None) -> Any:
        """Return what an Assassin shows of a hand; a theft shows others nothing."""
        return [event.senator for event in game.events if isinstance(event, uses.SenatorKilled)]

    def test_hands_hold_what_they_count_and_no_card_is_there_twice(self, seed: int) -> None:
        play = self.played(seed)
        for game in play.at_each_version.values():
            table = game.table
            if not isinstance(table, Table) or not table.season:
                continue
            everywhere = Counter(table.deck) + Counter(table.display)
            for seat in table.seats:
                held = hands.hand_of(table, seat, play.vault)
                assert min(held.values(), default=1) > 0
                assert sum(held.values()) == table.hands[seat].count
                everywhere.update(held)
            assert all(everywhere[card] <= table.cards[card].copies for card in hands.kinds(table))


def of(seat: Seat, army: Army) -> dict[str, int]:
    leaders = {f"generals of {seat}": army.generals, f"caesars of {seat}": int(army.caesar)}
    return leaders | {f"{kind} of {seat}": number for kind, number in army.units.by_type.items()}


def fallen(lost: Mapping[Group, int]) -> dict[str, int]:
    """Return what a side's losses take off the board; the units of cards and slaves were never on it."""
    count: Counter[str] = Counter()
    for name, number in lost.items():
        group = forces.parts_of(name)
        if group.owner not in (CARD, SLAVES):
            count[f"{group.kind} of {group.owner}"] -= number
    return dict(count)


def faults_of(table: Table, area: AreaId, province: Province) -> Iterator[str]:
    for seat, army in province.armies.items():
        if army == NO_ARMY or min(army.generals, *army.units.by_type.values()) < 0:
            yield f"{seat} has {army}"
    if (province.influence or province.tokens) and area not in table.keys:
        yield "influence, or a token for it, in no key province"
    if province.tokens < 0 or min(province.influence.values(), default=1) < 1:
        yield f"{province.tokens} tokens, influence {province.influence}"
    if province.city is not None and not any(area in places(card.effect) for card in table.data.card):
        yield "a city where none can be built"


def places(effect: Any) -> tuple[AreaId, ...]:
    return getattr(effect, "provinces", ())
