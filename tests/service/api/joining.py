"""Two accounts of one person, which they join."""

from typing import Any

import httpx

from tests.service.api.browsers import browser
from tests.service.api.serving import Player, Service


async def make_lasting(service: Service, player: Player) -> None:
    await service.post("/v1/recovery-codes", player)


async def asked(service: Service, kept: Player) -> str:
    """Return a code of the account that is to stay."""
    await make_lasting(service, kept)
    async with browser(service, kept) as page:
        answer = await page.post("/v1/joinings/code")
        assert answer.status_code == 201, answer.text
        return answer.json()["code"]


async def confirmed(service: Service, account: Player, code: str, confirm: str | None = None) -> httpx.Response:
    """Return what is answered to an account that is to be joined by a code."""
    async with browser(service, account) as page:
        return await page.post("/v1/joinings", json={"code": code, "confirm": confirm or account.id})


async def planned(service: Service, account: Player, code: str) -> httpx.Response:
    async with browser(service, account) as page:
        return await page.post("/v1/joinings/plan", json={"code": code})


async def joined(service: Service, account: Player, kept: Player) -> Any:
    """Join an account with the one that stays."""
    answer = await confirmed(service, account, await asked(service, kept))
    assert answer.status_code == 201, answer.text
    return answer.json()


def refusal(answer: httpx.Response) -> tuple[int, str]:
    told = answer.json()
    assert "" not in (told["rule_title"], told["allowed"]), "it says what would have been right"
    return answer.status_code, told["rule"]
