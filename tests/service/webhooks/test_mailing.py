"""What is told by e-mail: after the address was confirmed, rarely, and until somebody stops it."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import GameId, PlayerId, StreamId, Version
from service.base.settings import Settings, SettingsError
from service.games.acts import Start, TakeSeat
from service.games.creating import create_game
from service.readmodels import runner
from service.webhooks.mail import AGAIN, CONFIRM, LEAVE, Server
from service.webhooks.mailboxes import MOST_CONFIRMATIONS, TooManyConfirmations
from service.webhooks.personal import MOST_MAILED
from tests.helpers.mailing import Post, posting, text_of
from tests.service.rig import ANNA, BERT, CARL, LIBRARY, open_rig
from tests.service.webhooks.receiving import Telling, receiving, registered, telling

ADDRESSES = {ANNA: "anna@example.org", BERT: "bert@example.org"}
HERE = "https://games.example.org"


class Mailing:
    """Games, and a mail server that is told of them."""

    def __init__(self, told: Telling, post: Post) -> None:
        self.told, self.post = told, post

    async def ask(self, player: PlayerId, *, turns: bool = True, daily: bool = False, address: str = "") -> str:
        """Enter the address of somebody; return what the link in the e-mail has after its path."""
        address = address or ADDRESSES[player]
        await self.told.mailboxes.change(player, address, turns=turns, daily=daily)
        await self.told.send()
        return self.link(address, CONFIRM)

    def link(self, address: str, path: str) -> str:
        """Return the last link of a kind that came to an address."""
        found = re.findall(re.escape(HERE + path) + r"(\S+)", text_of(self.post.to(address)[-1]))
        return found[-1]

    async def confirmed(self, player: PlayerId, *, turns: bool = True, daily: bool = False) -> None:
        assert await self.told.mailboxes.confirm(await self.ask(player, turns=turns, daily=daily))
        self.post.got.clear()

    async def status(self, player: PlayerId) -> str:
        told = await self.told.mailboxes.of(player)
        return told.row.status if told is not None else ""

    async def tell(self, **span: float) -> None:
        await self.told.follow()
        self.told.later(**(span or {"minutes": 11}))
        await self.told.send()

    async def awaited(self, game: GameId) -> PlayerId:
        now = await self.told.rig.games.game(game)
        player = now.players[now.decisions[0].seats[0]]
        assert player is not None
        return player

    async def asking(self, player: PlayerId) -> GameId:
        """Return a new game that waits for somebody."""
        while await self.awaited(game := await self.told.rig.begun()) != player:
            pass
        return game


@pytest.fixture
async def mailing(tmp_path: Path, database_url: str) -> AsyncIterator[Mailing]:
    async with (
        open_rig(tmp_path, database_url=database_url) as rig,
        receiving() as receiver,
        posting() as post,
        telling(rig, receiver, mail_server=post.server, per_hour=50) as told,
    ):
        await registered(rig, ANNA, BERT, CARL)
        yield Mailing(told, post)


async def test_an_address_is_told_nothing_before_it_is_confirmed(mailing: Mailing) -> None:
    link = await mailing.ask(ANNA)
    await mailing.asking(ANNA)
    await mailing.tell()
    (asking,) = mailing.post.got
    assert asking["To"] == ADDRESSES[ANNA]
    assert asking["List-Unsubscribe"] is None
    assert not await mailing.told.mailboxes.confirm(link[:-1])
    assert not await mailing.told.mailboxes.confirm("mgone.x")
    assert not await mailing.told.mailboxes.confirm("")
    assert await mailing.status(ANNA) == "new"
    for _ in range(2):  # a second click does no harm
        assert await mailing.told.mailboxes.confirm(link)
    assert await mailing.status(ANNA) == "on"
    await mailing.tell()
    assert len(mailing.post.got) == 1, "what was before is not told"


async def test_the_player_whose_turn_it_is_gets_an_e_mail(mailing: Mailing) -> None:
    for player in (ANNA, BERT):
        await mailing.confirmed(player)
    game = (await create_game(mailing.told.rig.games, CARL, "tiny-auction", 2, {}, title="Evening\r\nBcc: x")).game
    for player in (ANNA, BERT):
        await mailing.told.rig.games.act(game, player, TakeSeat())
    await mailing.told.rig.games.act(game, CARL, Start())
    await mailing.told.follow()
    await mailing.told.send()
    assert mailing.post.got == [], "not at once"
    await mailing.tell()
    (got,) = mailing.post.got
    player = await mailing.awaited(game)
    seat = next(seat for seat, holder in (await mailing.told.rig.games.game(game)).players.items() if holder == player)
    assert (got["To"], got["From"]) == (ADDRESSES[player], "Tabularium <games@example.org>")
    assert got["Subject"] == "Your turn: Evening Bcc: x"
    assert got["Bcc"] is None
    assert mailing.post.senders[-1] == "games@example.org"
    assert f"It is your turn, {seat.capitalize()}." in text_of(got)
    assert f"{HERE}/games/{game}\n" in text_of(got)
    leave = mailing.link(ADDRESSES[player], LEAVE)
    assert got["List-Unsubscribe"] == f"<{HERE}{LEAVE}{leave}>"
    assert got["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert got["Auto-Submitted"] == "auto-generated"
    assert got.get_content_type() == "text/plain"
    vault = (await mailing.told.rig.games.vault(game)).all()
    assert not any(str(secret.salt) in got.as_string() for secret in vault.values())


async def test_a_click_stops_all_further_e_mails_and_the_address_is_forgotten(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA)
    await mailing.asking(ANNA)
    await mailing.tell()
    leave = mailing.link(ADDRESSES[ANNA], LEAVE)
    (row,) = await mailing.told.rig.store.webhooks.webhooks(ANNA, ("mail",))
    assert not await mailing.told.mailboxes.leave(f"{row.webhook}.guessed")
    assert await mailing.told.mailboxes.leave(leave)
    assert not await mailing.told.mailboxes.leave(leave)
    assert await mailing.told.mailboxes.of(ANNA) is None
    mailing.post.got.clear()
    await mailing.asking(ANNA)
    await mailing.tell()
    assert mailing.post.got == []


async def test_there_is_one_e_mail_in_an_hour_for_each_game_and_few_in_a_day(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA)
    game = await mailing.asking(ANNA)
    await mailing.tell()
    assert len(mailing.post.got) == 1
    while True:  # until it is Anna's turn anew
        await mailing.told.rig.play_round(game)
        if await mailing.awaited(game) == ANNA:
            break
    await mailing.tell()
    assert len(mailing.post.got) == 1, "of this game within an hour"
    await mailing.asking(ANNA)
    await mailing.tell()
    assert len(mailing.post.got) == 2, "of another one"
    for _ in range(MOST_MAILED):
        await mailing.asking(ANNA)
    await mailing.tell()
    assert len(mailing.post.got) == MOST_MAILED


async def test_nothing_is_sent_of_what_was_read_or_is_over_or_unwanted(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA)
    read, over, unwanted = [await mailing.asking(ANNA) for _ in range(3)]
    accounts = mailing.told.rig.store.accounts
    await accounts.mark_read(ANNA, {read: (await mailing.told.rig.games.game(read)).version})
    while (await mailing.told.rig.games.game(over)).status == "running":
        await mailing.told.rig.play_round(over)
    await accounts.set_inbox(ANNA, f'{{"games":{{"{unwanted}":["your-turn"]}}}}')
    await mailing.tell()
    assert mailing.post.got == []


async def test_a_mailbox_that_does_not_exist_is_switched_off_and_the_inbox_says_so(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA)
    assert not await mailing.told.mailboxes.is_refused(ANNA)
    mailing.post.answers[ADDRESSES[ANNA]] = f"550 No mailbox {ADDRESSES[ANNA]} here"
    await mailing.asking(ANNA)
    await mailing.tell()
    assert await mailing.status(ANNA) == "off"
    assert await mailing.told.mailboxes.is_refused(ANNA)
    (row,) = await mailing.told.rig.store.webhooks.webhooks(ANNA, ("mail",))
    deliveries = await mailing.told.webhooks.deliveries(row, None, None, 9)
    assert ADDRESSES[ANNA] not in repr(deliveries), "also not as the mail server repeats it"
    mailing.post.answers.clear()
    await mailing.asking(ANNA)
    await mailing.tell()
    assert mailing.post.got == []
    await mailing.told.mailboxes.change(ANNA, ADDRESSES[ANNA], turns=True, daily=False)
    assert await mailing.status(ANNA) == "new", "and may be entered again"


@pytest.mark.parametrize("refused", [ADDRESSES[ANNA], "data"])
async def test_an_address_that_is_refused_for_good_is_not_asked_twice(mailing: Mailing, refused: str) -> None:
    mailing.post.answers[refused] = "500 No such mailbox"
    await mailing.told.mailboxes.change(ANNA, ADDRESSES[ANNA], turns=True, daily=False)
    await mailing.told.send()
    assert await mailing.status(ANNA) == "off"


async def test_a_message_that_is_refused_for_good_is_not_sent_again_and_costs_nobody_their_mailbox(
    mailing: Mailing,
) -> None:
    await mailing.confirmed(ANNA)
    mailing.post.answers["data"] = "554 This looks like spam"
    await mailing.asking(ANNA)
    await mailing.tell()
    mailing.post.answers.clear()
    mailing.told.later(days=1)
    await mailing.told.send()
    assert (mailing.post.got, await mailing.status(ANNA)) == ([], "on")


async def test_a_mail_server_that_asks_for_patience_is_asked_again(mailing: Mailing) -> None:
    mailing.post.answers[ADDRESSES[ANNA]] = "451 Come again"
    await mailing.told.mailboxes.change(ANNA, ADDRESSES[ANNA], turns=True, daily=False)
    await mailing.told.send()
    mailing.post.answers.clear()
    mailing.told.later(seconds=6)
    await mailing.told.send()
    assert await mailing.told.mailboxes.confirm(mailing.link(ADDRESSES[ANNA], CONFIRM))


async def test_a_mail_server_that_is_away_or_lets_nobody_in_costs_nobody_their_mailbox(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA)
    await mailing.asking(ANNA)
    (row,) = await mailing.told.rig.store.webhooks.webhooks(ANNA, ("mail",))
    sender = mailing.told.sender()
    carrier: Any = mailing.told.carriers["mail"]
    working = carrier._server
    carrier._server = Server("127.0.0.1", 1, None, None, tls=False, sender="games@example.org")
    await mailing.told.follow()
    mailing.told.later(minutes=11)
    await sender.turn()
    await sender.settle()
    assert await sender.turn() == 0, "it is not asked again at once"
    (delivery,) = [
        each for each, _ in await mailing.told.webhooks.deliveries(row, None, None, 9) if each.type != "ping"
    ]
    assert (delivery.status, delivery.attempts) == ("waiting", 0)
    carrier._server = working
    sender._monotonic = lambda began=sender._monotonic: began() + AGAIN + 1
    await sender.turn()
    await sender.settle()
    assert [each["To"] for each in mailing.post.got] == [ADDRESSES[ANNA]]


async def test_the_whole_service_sends_no_more_in_an_hour_than_its_operators_want(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA)
    carrier: Any = mailing.told.carriers["mail"]
    carrier._per_hour = 3
    for _ in range(3):
        await mailing.asking(ANNA)
    await mailing.tell()
    assert len(mailing.post.got) == 2, "with the e-mail that asked for confirmation"
    await mailing.tell(minutes=61)
    assert len(mailing.post.got) == 3


async def test_few_e_mails_ask_for_confirmation(mailing: Mailing) -> None:
    mailboxes = mailing.told.mailboxes
    for number in range(MOST_CONFIRMATIONS):
        await mailing.ask(ANNA, address=f"a{number}@example.org")
        await mailboxes.remove(ANNA)
    with pytest.raises(TooManyConfirmations):
        await mailing.ask(ANNA, address="another@example.org")
    for player, sent in ((BERT, 2), (CARL, 1)):
        for _ in range(sent):
            await mailing.ask(player, address="victim@example.org")
            await mailboxes.remove(player)
    with pytest.raises(TooManyConfirmations):
        await mailing.ask(CARL, address="Victim@Example.org")
    assert len(mailing.post.to("victim@example.org")) == MOST_CONFIRMATIONS
    mailing.told.later(days=1)
    await mailing.ask(CARL, address="victim@example.org")


async def test_the_same_wish_again_changes_nothing(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA)
    for _ in range(2):
        told = await mailing.told.mailboxes.change(ANNA, ADDRESSES[ANNA], turns=False, daily=True)
        assert told is not None
        assert (told.turns, told.daily, told.row.status, told.hint) == (False, True, "on", "a…@example.org")
    await mailing.told.send()
    assert mailing.post.got == []
    assert await mailing.told.mailboxes.change(BERT, None, turns=True, daily=True) is None


async def test_an_address_that_nobody_confirms_is_forgotten(mailing: Mailing) -> None:
    link = await mailing.ask(ANNA)
    mailing.told.later(days=8)
    await mailing.told.send()
    assert await mailing.told.mailboxes.of(ANNA) is None
    assert not await mailing.told.mailboxes.confirm(link)


async def test_a_digest_says_once_a_day_what_waits(mailing: Mailing) -> None:
    await mailing.confirmed(ANNA, turns=False, daily=True)
    await mailing.confirmed(BERT, turns=False, daily=True)
    games = [await mailing.asking(ANNA) for _ in range(2)]
    await runner(mailing.told.rig.store, mailing.told.rows, LIBRARY).catch_up()
    clock = mailing.told.clock
    clock.now = clock.now.replace(hour=6, minute=59)
    assert await mailing.told.digests.turn() == 0
    clock.now += timedelta(minutes=2)
    assert await mailing.told.digests.turn() == 2
    mailing.told.digests._done = ""  # as another process would begin
    await mailing.told.digests.turn()
    await mailing.tell()
    (got,) = mailing.post.to(ADDRESSES[ANNA])
    assert got["Subject"] == "2 games wait for you"
    assert all(f"{HERE}/games/{game}\n" in text_of(got) for game in games)
    assert got["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    (other,) = mailing.post.to(ADDRESSES[BERT])
    assert "You have 2 notifications that you have not read" in text_of(other)
    assert "/games/" not in text_of(other)
    seen: dict[StreamId, Version] = {game: (await mailing.told.rig.games.game(game)).version for game in games}
    await mailing.told.rig.store.accounts.mark_read(BERT, seen)
    clock.now += timedelta(days=1)
    await mailing.told.digests.turn()
    await mailing.tell()
    assert len(mailing.post.to(ADDRESSES[BERT])) == 1, "when nothing waits, nothing comes"
    assert len(mailing.post.to(ADDRESSES[ANNA])) == 2


async def test_an_address_is_encrypted_and_goes_with_its_account(
    mailing: Mailing, capsys: pytest.CaptureFixture[str]
) -> None:
    await mailing.confirmed(ANNA)
    (row,) = await mailing.told.rig.store.webhooks.webhooks(ANNA, ("mail",))
    deliveries = await mailing.told.webhooks.deliveries(row, None, None, 9)
    assert "anna@" not in repr(row) + repr(deliveries)
    await mailing.told.rig.accounts.close(ANNA)
    assert await mailing.told.mailboxes.of(ANNA) is None
    assert await mailing.told.rig.store.webhooks.sealed() == []
    said = capsys.readouterr()
    assert "mailbox is confirmed" in said.out + said.err
    assert "anna@" not in said.out + said.err


def test_a_mail_server_is_named_by_an_address() -> None:
    sender: dict[str, Any] = {"smtp_from": "games@example.org"}
    public: dict[str, Any] = {"public_url": HERE}
    assert Server.of(Settings()) is None
    server = Server.of(Settings(smtp_url="smtps://me:p%40ss@mail.example.org", **sender, **public))
    assert server == Server("mail.example.org", 465, "me", "p@ss", tls=True, sender="games@example.org")
    plain = Server.of(Settings(smtp_url="smtp://mail.example.org", **sender, **public))
    assert plain is not None
    assert (plain.port, plain.tls, plain.user) == (587, False, None)
    for given in (sender, public):
        with pytest.raises(SettingsError, match="TABULARIUM_SMTP_URL needs"):
            Settings(smtp_url="smtp://mail.example.org", **given)
    assert "p%40ss" not in repr(Settings(smtp_url="smtp://me:p%40ss@mail.example.org", **sender, **public))
