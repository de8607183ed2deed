"""A list asks as many statements of the database for many rows as for few, whichever list it is."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from domain.kernel.log.rematching import MOST_OFFERS
from service.accounts.apps.apps import MOST_CLIENTS
from service.api.contract.document import endpoints
from service.base.scopes import EVERYBODYS, SCOPES
from service.imports.imports import MOST_IMPORTS
from service.joining import MOST_JOINED
from service.leagues.leagues import MOST_LEAGUES
from service.store.accounts import PasskeyId, PasskeyRow, TokenId
from service.store.apps import AppId, AppRow, ClientId
from service.store.imports import ImportId
from service.store.sqlite.connections import Connections
from service.store.webhooks import DeliveryId, DeliveryRow, HookId
from service.webhooks.devices import MOST_DEVICES
from service.webhooks.registry import MOST_WEBHOOKS
from tests.helpers.browsers import Subscriber
from tests.helpers.results import League, result
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed
from tests.service.api.test_imports import bring, here
from tests.service.api.test_mine import eventually

FEW, MANY = 2, 20
AT_WORK: Final = "/v1/rulesets/tiny-auction/rules/TAB-LIFE-02/games"
"""Of projections, which follow a moment later."""

HOOK: Final = {"url": "https://hooks.example/", "about": "account"}

QUERIES: Final = {
    "/v1/games": ("", "player={anna}", "waiting_for={anna}", "text=auction"),
    "/v1/players/me/games": ("", "waiting=true"),
    "/v1/cases": ("", "for=me", "game={game}"),
    "/v1/players/search": ("name=guest&match=prefix",),
    "/v1/ratings": ("ruleset=tiny-auction",),
}
"""How a list is asked for, where that is not by its address alone."""

TOURNAMENT: Final = {
    "regulations": {
        "ruleset": "tiny-auction",
        "stages": [{"type": "swiss", "rounds": 1}],
        "sizes": [2],
        "points": [[60, 0]],
    }
}

OF_FEW: Final = "/v1/games/{game}/rematches"
"""Has five rows at most, and each is a game that is folded."""

LEAGUE: Final = {"regulations": {"points": [3, 1], "best": 2}}

NOBODYS: Final = (
    "/v1/rulesets",
    "/v1/rulesets/{ruleset}/rules",
    "/v1/rulesets/{ruleset}/rules/{rule}/scenarios",
    "/v1/rulesets/{ruleset}/tournament-presets",
    "/v1/statistics/dice",
    "/v1/statistics/rules",
    "/v1/dumps",
)
"""Lists that no account makes longer: their rows are those of rulesets, or files."""


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    # So few games in memory that a row of a list is not found there.
    async with serving(tmp_path, durable=False, cache_games=2, webhooks=False) as running:
        yield running


class World(Struct):
    """Something of everything that can be listed, and who may list it.

    Attributes:
        game: a game that is over, with cases.
        hiding: a game that runs and hides something, with forks that only its official is shown.
        gathering: a game to which there are invitations.
        case: a case with statements.
        webhook: a webhook with deliveries.
        tournament: a tournament with players.
        league: a league, between seasons.
        imported: an import.
    """

    service: Service
    anna: Player
    bert: Player
    game: str
    hiding: str
    gathering: str
    case: str
    webhook: str
    tournament: str
    league: str
    imported: str
    made: int = 0

    @staticmethod
    async def begun(service: Service) -> "World":
        anna, bert = await appointed(service, "audit", "admin"), await service.register("Bert")
        game, carl = await service.begun(anna, bert, rounds=3), await service.register("Carl")
        await service.play_out(game, anna, bert)
        hiding = await service.begun(bert, carl)
        await service.ask("PUT", f"/v1/games/{hiding}/officials/{anna.id}", bert)
        await service.give(hiding, bert, "put-up", coins=1)
        await service.give(hiding, bert, "open-bidding")
        gathering = await service.gathering(organizer=anna)
        complaint = {"kind": "slip", "version": 2, "statement": "?"}
        case = (await service.post(f"/v1/games/{game}/cases", bert, complaint))["summary"]["case"]
        webhook = (await service.post("/v1/webhooks", anna, HOOK))["webhook"]["id"]
        tournament = (await service.post("/v1/tournaments", anna, TOURNAMENT))["summary"]["tournament"]
        league = (await service.post("/v1/leagues", bert, LEAGUE))["summary"]["league"]
        service.services.imports.examine = here
        imported = (await bring(service, anna)).json()["id"]
        return World(service, anna, bert, game, hiding, gathering, case, webhook, tournament, league, imported)

    async def join(self, twin: PlayerId, code: bytes) -> None:
        store, anna = self.service.services.store, PlayerId(self.anna.id)
        joinings = store.joinings
        await store.accounts.grant(anna, EVERYBODYS)  # who runs the service is not joined
        await joinings.ask(anna, code, TokenId("s1"), "2999", "2026")
        await joinings.claim(code, twin, "2026")
        await joinings.join(code, twin, TokenId("s2"), "2026", MOST_JOINED)
        await store.accounts.grant(anna, SCOPES)

    async def grow(self, to: int) -> None:
        """Make whatever accounts can list as long as this."""
        service, anna, bert = self.service, self.anna, self.bert
        version = (await service.get(f"/v1/games/{self.hiding}"))["version"]
        league = League(service.services.rows)
        for number in range(self.made, to):
            guest = await service.register(f"Guest {number}")
            await service.ask("PATCH", "/v1/players/me", guest, {"findable": True})
            await service.begun(anna, guest)
            await service.post(f"/v1/games/{self.hiding}/forks", anna, {"version": version})
            await service.post(f"/v1/tournaments/{self.tournament}/entries", await service.register("Nemo"), {})
            told = await service.post("/v1/tournaments", anna, TOURNAMENT)
            again = f"/v1/tournaments/{told['summary']['tournament']}"
            await service.post(f"{again}/cancellation", anna, {"reason": "It was one too many."})
            complaint = {"kind": "slip", "version": 3 + number, "statement": "?"}
            case = (await service.post(f"/v1/games/{self.game}/cases", anna, complaint))["summary"]["case"]
            await service.post(f"/v1/cases/{case}/withdrawal", anna)
            await service.post(f"/v1/cases/{self.case}/statements", (anna, bert)[number % 2], {"statement": "?"})
            await service.post(f"/v1/games/{self.gathering}/invitations", anna)
            await service.post("/v1/tokens", anna, {"name": "another", "scopes": ["play"]})
            await service.ask("PUT", f"/v1/players/me/consents/{guest.id}", anna)
            await league.counted(*result(f"t{number}", number, f"g{number}", "table", [[guest.id], [anna.id]]))
            await service.post(f"/v1/leagues/{self.league}/placements", bert, placed(anna, number))
            app = AppRow(
                AppId(f"a{number}"), PlayerId(anna.id), ClientId("app"), f"{number}.example", "App", (), "2026"
            )
            await service.services.store.apps.let_in(app)
            brought = await service.services.imports.get(ImportId(self.imported))
            copied = replace(brought, import_id=ImportId(f"x{number}"))
            await service.services.store.imports.add(copied, b"", MOST_IMPORTS)
            if number < MOST_LEAGUES:
                await service.post("/v1/leagues", anna, LEAGUE)
            if number < MOST_CLIENTS:
                await service.post("/v1/clients", anna, {"name": "App", "redirects": ["https://app.example/"]})
            if number < MOST_JOINED:
                await self.join(PlayerId((await service.register("Twin")).id), bytes([number]))
            if number < MOST_OFFERS:
                await service.ask("PUT", f"/v1/games/{self.game}/rematches/{number + 1}", anna, {})
                await service.ask("DELETE", f"/v1/games/{self.game}/rematches/{number + 1}", anna)
            if number < MOST_WEBHOOKS - 1:
                await service.post("/v1/webhooks", anna, HOOK)
            if number < MOST_DEVICES:
                browser = Subscriber(f"https://push.example/{number}")
                await service.post("/v1/notifications/push", anna, browser.subscription())
            sent = DeliveryRow(DeliveryId(f"d{number}"), HookId(self.webhook), "ping", "{}", "2026", "2999")
            await service.services.store.webhooks.ask(sent)
            name = f"k{number}"
            key = PasskeyRow(PasskeyId(name), PlayerId(anna.id), name.encode(), b"", 0, "a device", "2026-11-28")
            await service.services.store.accounts.add_passkey(key)
        self.made = max(self.made, to)

    async def counted(self, path: str) -> tuple[int, int]:
        """Return how many rows a list has, and how many statements it takes, without those of the background."""
        asked, shown = list[int](), dict[str, Any]()
        for _ in range(4):  # the first finds out what is remembered
            with counting() as statements:
                shown = await self.service.get(path, self.anna)
            asked.append(len(statements))
            await asyncio.sleep(0.01)
        return max(len(rows) for rows in shown.values() if isinstance(rows, list)), min(asked)


def placed(player: Player, number: int) -> dict[str, Any]:
    return {"player": player.id, "division": 1, "reason": f"For the {number}. time."}


@contextlib.contextmanager
def counting() -> Iterator[list[None]]:
    """Count what is read of all databases."""
    read, statements = Connections.read, list[None]()

    async def counted(self: Connections, work: Any) -> Any:
        statements.append(None)
        return await read(self, work)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connections, "read", counted)
        yield statements


def lists() -> Iterator[tuple[str, bool]]:
    """Yield the address of every list of the contract, and whether it is given page by page."""
    for path, method, said in endpoints():
        shapes = [each.shape for each in said.answers if isinstance(each.shape, type)]
        fields = {
            field.name for shape in shapes if issubclass(shape, Struct) for field in msgspec.structs.fields(shape)
        }
        limited = any(field.name == "limit" for field in msgspec.structs.fields(said.query))
        if method == "GET" and (limited or "items" in fields):
            yield path, limited


async def test_a_list_asks_no_more_for_many_rows_than_for_few(service: Service) -> None:
    world, found = await World.begun(service), dict[str, list[tuple[int, int]]]()
    for size in (FEW, MANY):
        await world.grow(size)
        await eventually(service, AT_WORK, lambda page, size=size: len(page["items"]) >= size)
        for path, limited in lists():
            for query in QUERIES.get(path, ("",)):
                of = world.hiding if path.endswith("/forks") else world.gathering if "invit" in path else world.game
                words = {"anna": world.anna.id, "player": world.anna.id, "game": of, "case": world.case}
                words |= {"webhook": world.webhook, "tournament": world.tournament, "league": world.league}
                words |= {"ruleset": "tiny-auction", "rule": "TAB-LIFE-02", "imported": world.imported}
                wish = "&".join(filter(None, (query, f"limit={size}" if limited else "")))
                address = f"{path}?{wish}".rstrip("?")
                found.setdefault(f"{path}?{query}", []).append(await world.counted(address.format(**words)))
    del found[f"{OF_FEW}?"]
    for path, ((few, before), (many, after)) in found.items():
        assert few < many or path.rstrip("?") in NOBODYS, f"{path} has {few} rows, and then {many}"
        assert after == before, f"{path}: {before} statements for {few} rows, {after} for {many}"
    assert len(found) > 20
