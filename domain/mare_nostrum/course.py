"""The course of the game: the parts of a turn (MN-ROL-01), and the steps within them, in the order of the rule book.

Each step asks a player, or does what follows without a choice.
"""

from domain.kernel.rules.course import Step, always
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.combat import aftermath, battle, losses, military
from domain.mare_nostrum.economy import construction, discard, income, takes, trade
from domain.mare_nostrum.heroes import helen, ulysses
from domain.mare_nostrum.start import founding, setup
from domain.mare_nostrum.turn import order, roles


def step(table: Table) -> Step[Table]:
    """Return the step that the game is at."""
    match table.phase:
        case "setup":
            return founding.spend if table.order else always(setup.finish)
        case "roles":
            return roles.give
        case "income":
            return income.collect
        case "trade":
            return _trade(table)
        case "construction":
            return order.name_next if table.active is None else construction.build
        case "discard":
            return discard.lay_aside
        case "military":
            return _military(table)
        case "over":
            raise AssertionError("the game is over")


def _trade(table: Table) -> Step[Table]:
    """Return the step of a trade: a number, offers, takes that Ulysses may undo, a card for a player who is short."""
    under_way = table.trade
    if under_way is None:
        return trade.name_number
    if under_way.forced is not None:
        return ulysses.take_instead
    if ulysses.may_redirect(table, under_way):
        return ulysses.redirect
    if under_way.taker is not None:
        return takes.take
    if under_way.short is not None:
        return takes.compensate
    return trade.offer


def _military(table: Table) -> Step[Table]:
    """Return the step of the Military Phase: an entry, a battle and its aftermath come before further moves."""
    if table.entry is not None:
        return helen.seduce
    if table.battle is not None and table.battle.losses:
        return losses.lose
    if table.holding is not None:
        return aftermath.keep_posts
    if table.spoils is not None:
        return aftermath.exploit
    if table.battle is not None:
        return always(battle.end)
    return order.name_next if table.active is None else military.campaign
