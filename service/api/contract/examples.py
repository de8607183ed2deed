"""The examples of all endpoints, from the folders of their resources."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.kernel.rules.ruleset import Library
from service.api.accounts import examples as accounts
from service.api.apps import examples as apps
from service.api.cases import examples as cases
from service.api.data import examples as data
from service.api.desk import examples as desk
from service.api.dumps import examples as dumps
from service.api.forks import examples as forks
from service.api.games import examples as games
from service.api.imports import examples as imports
from service.api.joining import examples as joining
from service.api.leagues import examples as leagues
from service.api.log import examples as log
from service.api.notifications import examples as notifications
from service.api.operations import examples as operations
from service.api.organizing import examples as organizing
from service.api.pictures import examples as pictures
from service.api.play import examples as play
from service.api.players import examples as players
from service.api.rulesets import examples as rulesets
from service.api.sandbox import examples as sandbox
from service.api.scene import BOTS, GAME, Example, Scene
from service.api.services import Boards
from service.api.statistics import examples as statistics
from service.api.tournaments import examples as tournaments
from service.api.transparency import examples as transparency
from service.api.tutorials import examples as tutorials
from service.api.webhooks import examples as webhooks

RESOURCES: Final = (
    *(rulesets, tutorials, players, data, joining, accounts, games, forks, play, cases, tournaments, leagues, desk),
    *(
        apps,
        notifications,
        log,
        pictures,
        organizing,
        webhooks,
        transparency,
        dumps,
        imports,
        statistics,
        operations,
        sandbox,
    ),
)


class Examples(Struct, frozen=True):
    """Examples by the name of their endpoint, values for parameters of paths and queries, and events of webhooks."""

    endpoints: Mapping[str, Example]
    parameters: Mapping[str, Any]
    events: Mapping[str, Any] = {}


def examples(library: Library, boards: Boards) -> Examples:
    """Return the examples of all endpoints. Raises `ValueError` when two resources have an endpoint of one name."""
    scene = Scene(library, boards)
    named_examples = [(name, each) for resource in RESOURCES for name, each in resource.examples(scene).items()]
    by_name = dict(named_examples)
    if twice := sorted({name for name, _ in named_examples if sum(name == other for other, _ in named_examples) > 1}):
        raise ValueError(f"two resources have an endpoint called {', '.join(twice)}; give each a name of its own")
    plain = {
        name: Example(msgspec.to_builtins(_plain(each.answer)), msgspec.to_builtins(_plain(each.body)))
        for name, each in by_name.items()
    }
    parameters = {
        "ruleset": scene.ruleset.id,
        "rule": scene.ruleset.catalogue.for_ruleset(scene.ruleset.id)[0].id,
        "player": scene.players[0].player,
        "game": GAME,
        "seat": next(iter(scene.now.players)),
        "token": BOTS.token,
        "passkey": "k5n2q8w4x7c3v6m9tp",
        "invitation": "i8w3c6k2p5t7v4nxqm",
        "secret": "inv_b4Xr8TqZ1uV5wY7cK0mN2pS6dF9hJ3gL4aQ8eR1tU5w",
        "case": cases.CASE,
        "tournament": tournaments.TOURNAMENT,
        "league": leagues.LEAGUE,
        "imported": imports.IMPORT,
        "season": "1",
        "round": "1",
        "table": "1",
        "draft": "1",
        "offer": "1",
        "webhook": webhooks.WEBHOOK,
        "delivery": webhooks.DELIVERY,
        "device": notifications.DEVICE,
        "bulk": organizing.BULK,
        "app": apps.APP,
        "client": apps.CLIENT,
        "number": "1",
        "left": str(scene.left.game.version),
        "asked": str(scene.asked.game.version),
        "proposed": str(scene.now.version + 1),
        "chart": "dice.svg",
        "document": "cards",
        "file": f"{scene.ruleset.id}-{dumps.MONTH}.jsonl.zst",
        "lesson": tutorials.LESSON,
        "level": "0",
        "tile": "000.p/1",
    }
    return Examples(plain, parameters, webhooks.events(scene))


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else msgspec.json.decode(msgspec.json.encode(value))
