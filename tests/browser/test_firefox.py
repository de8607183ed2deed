"""A real push in a real browser: from an event of a game to the notification that Firefox shows."""

from pathlib import Path

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.browser.firefox import firefox
from tests.browser.games import token_of
from tests.browser.test_inbox import begun
from tests.helpers.push_service import push_service
from tests.service.api.serving import serving
from tests.service.api.test_webhooks import eventually

BUTTON = "[...document.querySelectorAll('button')].find((each) => each.textContent === '{}')"
SHOWN = """navigator.serviceWorker.ready.then(async (registration) => (await registration.getNotifications())
    .map(({ title, body, tag, data }) => ({ title, body, tag, data })).filter(({ tag }) => tag !== "ping"))"""


async def test_firefox_shows_what_a_push_service_of_this_machine_brings_to_it(tmp_path: Path) -> None:
    async with (
        push_service() as pushing,
        serving(tmp_path / "data", LIBRARY, builtin, clock=utc_now, durable=False, outward="anywhere") as service,
        firefox(tmp_path / "profile", pushing.address) as tab,
    ):
        anna, bert = await service.register("Anna"), await service.register("Bert")
        here = str(service.client.base_url).rstrip("/")
        await tab.open(f"{here}/#token={token_of(anna)}")
        await tab.until("sessionStorage.getItem('tabularium-token') !== null || localStorage.length > 0")
        await tab.open(f"{here}/account/notices")
        await tab.until(f"Boolean({BUTTON.format('Switch on')})")
        await tab.evaluate(f"{BUTTON.format('Switch on')}.click()")
        await tab.until(f"Boolean({BUTTON.format('Switch off')})")

        async def active() -> bool:
            return any(each["active"] for each in (await service.get("/v1/notifications/push", anna))["items"])

        await eventually(active)
        game = await begun(service, "An evening", anna, bert)
        (shown,) = await tab.until(f"({SHOWN}).then((found) => found.length && found)")
        assert (shown["title"], shown["tag"], shown["data"]) == ("An evening", game, f"/games/{game}")
        # Bert started the game, and who begins is chance.
        assert shown["body"] == "The game has begun." or shown["body"].startswith("It is your turn, ")
        assert pushing.shown >= 2, "Firefox read them"
        assert all(b"evening" not in body for _, body in pushing.sent), "the push service reads nothing"
        await tab.evaluate(f"{BUTTON.format('Switch off')}.click()")
        await tab.until(f"Boolean({BUTTON.format('Switch on')})")
        assert pushing.browsers == {}
        assert (await service.get("/v1/notifications/push", anna))["items"] == []
