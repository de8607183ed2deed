"""Games that are asked for together: each is opened once, whatever is killed, and starts when it can."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from domain.kernel.ids import PlayerId, Seat
from service.base.clock import stamp, stamped
from service.games.acts import Cancel, Start, TakeSeat
from service.games.creating import TableWish
from service.games.games import Games
from service.organizing import bulks as bulks_module
from service.organizing.bulks import BulkRefused, Bulks, Fault, GameWish, TooManyGames, UnknownBulk
from service.organizing.consents import Consents, TooManyConsents
from service.organizing.opening import KEPT, PAGE, PATIENCE, SOON, Opener
from service.store.accounts import PlayerRow
from service.store.organizing import NEVER, BulkGameRow, BulkRow
from service.store.protocol import KeyReused
from tests.service.rig import ANNA, BERT, BLUE, CARL, LIBRARY, RED, Hands, Rig, fixed_randomness, open_rig, own_board

NOON = "2026-11-20T12:00:00.000000Z"


class Killed(BaseException):
    """The process is killed here."""


class Held:
    """A lease that is always held: as if two processes took over from one another too early."""

    async def is_held(self) -> bool:
        return True

    async def give_back(self) -> None:
        pass


class Club(Struct, eq=False):
    """An organizer's evening: a store, a clock that is put on by hand, and what opens the games of bulks."""

    rig: Rig
    clock: Hands

    def games(self) -> Games:
        """Return the games of another process."""
        rig = self.rig
        return Games(rig.store, LIBRARY, rig.wake, self.clock, rig.settings, boards=own_board)

    @property
    def consents(self) -> Consents:
        return Consents(self.rig.store.organizing, self.rig.store.accounts, self.clock)

    def bulks(self, games: Games | None = None) -> Bulks:
        randomness = fixed_randomness(stamp(self.clock))
        return Bulks(self.rig.store.organizing, games or self.rig.games, self.consents, self.clock, randomness)

    def opener(self, games: Games | None = None) -> Opener:
        store = self.rig.store.organizing
        return Opener(store, games or self.rig.games, self.consents, self.clock, Held())  # type: ignore[reportArgumentType]

    async def make(self, *wishes: GameWish, key: str | None = None) -> BulkRow:
        return await self.bulks().make(ANNA, wishes, key)

    async def run(self) -> None:
        opener = self.opener()
        while await opener.turn():
            pass

    async def became(self, bulk: BulkRow) -> list[BulkGameRow]:
        return sorted(await self.rig.store.organizing.games(bulk.bulk), key=lambda each: each.number)

    async def statuses(self, bulk: BulkRow) -> list[str]:
        return [each.status for each in await self.became(bulk)]

    def at(self, wait: timedelta) -> str:
        return (self.clock.now + wait).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.fixture
async def club(tmp_path: Path, database_url: str) -> AsyncIterator[Club]:
    async with open_rig(tmp_path, database_url=database_url) as rig:
        clock = Hands()
        clock.now = datetime(2026, 11, 20, 12, tzinfo=UTC)
        for player in (ANNA, BERT, CARL):
            await rig.store.accounts.add(PlayerRow(player, player, NOON))
        club = Club(rig, clock)
        await club.consents.give(BERT, ANNA)
        await club.consents.give(CARL, ANNA)
        games = club.games()
        yield Club(Rig(games, rig.store, rig.wake, rig.accounts, rig.settings), clock)
        await games.close()


def table(starts_at: str = "", **wish: Any) -> GameWish:
    return GameWish(TableWish(**dict[str, Any](ruleset="tiny-auction", players=2) | wish), starts_at)


def seated(**wish: Any) -> GameWish:
    return table(seats={RED: BERT, BLUE: CARL}, **wish)


async def test_the_games_of_a_bulk_are_opened_with_their_seats_and_officials(club: Club) -> None:
    made = await club.make(seated(title="Table 1"), table(seats={BLUE: BERT}, officials=(CARL,), readers="invited"))
    assert await club.statuses(made) == ["queued", "queued"]
    await club.run()
    first, second = [await club.rig.games.game(each.game) for each in await club.became(made) if each.game]
    assert (first.players, first.organizer, first.around.assigned) == ({RED: BERT, BLUE: CARL}, ANNA, (RED, BLUE))
    assert (second.players, second.around.officials) == ({RED: None, BLUE: BERT}, {CARL: True})
    assert second.is_private
    assert (first.status, await club.statuses(made)) == ("gathering", ["open", "open"])
    assert (await club.rig.store.game(first.id)).title == "Table 1"  # type: ignore[reportOptionalMemberAccess]
    with pytest.raises(UnknownBulk):
        await club.bulks().one(BERT, made.bulk)


async def test_a_key_asks_for_the_games_once(club: Club) -> None:
    first = await club.make(seated(), table(), key="k")
    await club.consents.withdraw(BERT, ANNA)
    assert await club.make(seated(), table(), key="k") == first, "though one of them has changed their mind since"
    with pytest.raises(KeyReused):
        await club.make(table(), key="k")
    assert (await club.make(table(), key="l")).bulk != first.bulk


async def test_one_account_that_does_not_agree_refuses_all_games_and_each_is_named(club: Club) -> None:
    accounts = club.rig.store.accounts
    dora, emil, bot = map(PlayerId, ("pdora", "pemil", "pbot"))
    await accounts.add(PlayerRow(dora, "Dora", NOON))
    await accounts.add(PlayerRow(emil, "Emil", NOON))
    await accounts.add(PlayerRow(bot, "Bot", NOON, bot="random"))
    await club.consents.give(emil, ANNA)
    await accounts.close(emil, NOON, "Somebody")
    with pytest.raises(BulkRefused) as caught:
        await club.make(
            table(),
            table(seats={RED: dora, BLUE: emil}),
            table(seats={RED: bot, BLUE: PlayerId("pnobody")}),
            table(seats={RED: BERT, BLUE: BERT}),
            table(seats={RED: BERT, Seat("mauve"): CARL}),
            table(seats={RED: BERT}, officials=(BERT, PlayerId("pnobody"))),
            table(players=9),
            table(ruleset="chess"),
            table(setup={"rounds": "two"}),
            table(starts_at=club.at(timedelta(days=31))),
            table(board=b"{}"),
            seated(),
        )
    found = [(each.number, each.seat, each.rule) for each in caught.value.faults]
    assert found == [
        (2, RED, None),
        (2, BLUE, None),
        (3, RED, None),
        (3, BLUE, None),
        (4, BLUE, "TAB-LIFE-03"),
        (5, "mauve", "TAB-LIFE-03"),
        (6, None, None),
        (6, RED, "TAB-RUL-01"),
        (7, None, "TAB-LIFE-02"),
        (8, None, None),
        (9, None, None),
        (10, None, None),
        (11, None, None),
    ]
    assert caught.value.faults[0] == Fault(2, "'pdora' does not let you seat them.", RED)
    assert await club.rig.store.organizing.due_games(NOON, 100) == []


async def test_games_start_at_their_time_and_those_with_free_seats_as_soon_as_they_are_full(club: Club) -> None:
    evening = club.at(timedelta(hours=1))
    made = await club.make(seated(starts_at=evening), table(starts_at=evening, seats={RED: BERT}), seated())
    await club.run()
    assert await club.statuses(made) == ["open", "open", "open"]
    club.clock.now += timedelta(hours=1)
    await club.run()
    assert await club.statuses(made) == ["started", "waiting", "open"]
    first, second, third = [each.game for each in await club.became(made) if each.game]
    assert (await club.rig.games.game(first)).status == "running"
    await club.rig.games.act(second, CARL, TakeSeat())
    club.clock.now += timedelta(seconds=6)
    await club.run()
    assert await club.statuses(made) == ["started", "started", "open"]
    assert (await club.rig.games.game(second)).status == "running"
    assert (await club.rig.games.game(third)).status == "gathering", "which nobody has asked to start"


async def test_a_game_that_its_players_started_or_that_never_fills_is_left_to_them(club: Club) -> None:
    evening = club.at(timedelta(hours=1))
    made = await club.make(seated(starts_at=evening), table(starts_at=evening))
    await club.run()
    first, second = [each.game for each in await club.became(made) if each.game]
    await club.rig.games.act(first, BERT, Start())
    club.clock.now += timedelta(hours=1)
    await club.run()
    assert await club.statuses(made) == ["started", "waiting"]
    club.clock.now += PATIENCE + timedelta(minutes=1)
    await club.run()
    assert await club.statuses(made) == ["started", "failed"]
    assert (await club.rig.games.game(second)).status == "gathering"
    assert not await club.rig.store.organizing.any()


async def test_a_game_that_others_start_is_followed_until_it_has_started_and_ever_more_rarely(club: Club) -> None:
    made = await club.make(seated(), seated(), table())
    store, looks, first = club.rig.store.organizing, 0, club.clock.now
    await club.run()
    one, other, never = [each.game for each in await club.became(made) if each.game]
    await club.rig.games.act(one, BERT, Start())
    await club.rig.games.act(other, ANNA, Cancel())
    while due := [stamped(row.due) for row, _ in await store.due_games(NEVER, 9)]:
        assert min(due) - club.clock.now <= max(SOON, (club.clock.now - first) / 9)
        club.clock.now, looks = min(due), looks + 1
        await club.run()
        assert await club.statuses(made) == ["started", "cancelled", "open"] or club.clock.now > first + KEPT
    assert 100 < looks < 140
    assert (await club.rig.games.game(never)).status == "gathering"


async def test_what_has_not_started_is_cancelled(club: Club) -> None:
    evening = club.at(timedelta(hours=1))
    made = await club.make(*[table() for _ in range(PAGE - 2)], seated(), seated(), table(), table(starts_at=evening))
    await club.opener().turn()
    begun, given = [each.game for each in await club.became(made) if each.game][PAGE - 2 : PAGE]
    await club.rig.games.act(begun, BERT, Start())
    await club.bulks().cancel(made)
    await club.run()
    assert await club.statuses(made) == [*["cancelled"] * (PAGE - 2), "started", *["cancelled"] * 3]
    after = await club.became(made)
    assert [each.game for each in after[PAGE:]] == ["", ""], "which were never opened"
    assert (await club.rig.games.game(given)).status == "cancelled"


async def test_who_changes_their_mind_before_the_game_is_open_is_not_seated(club: Club) -> None:
    made = await club.make(seated(), table())
    await club.consents.withdraw(CARL, ANNA)
    await club.run()
    first, second = await club.became(made)
    assert (first.status, first.why, first.game) == ("failed", "'pcarl' does not let you seat them.", "")
    assert second.status == "open"


async def test_an_organizer_whose_account_is_closed_opens_no_more_games(club: Club) -> None:
    made = await club.make(table())
    await club.rig.store.accounts.close(ANNA, NOON, "Somebody")
    await club.run()
    assert [each.why for each in await club.became(made)] == ["The organizer's account was closed."]


async def test_an_account_asks_for_so_many_games_a_day_and_is_seated_by_so_many(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulks_module, "MOST_A_DAY", 3)
    monkeypatch.setattr("service.organizing.consents.MOST_CONSENTS", 2)
    await club.make(table(), table())
    with pytest.raises(TooManyGames):
        await club.make(table(), table())
    await club.make(table())
    club.clock.now += timedelta(days=1, minutes=1)
    await club.make(table(), table())
    await club.consents.give(ANNA, BERT)
    await club.consents.give(ANNA, CARL)
    await club.rig.store.accounts.add(PlayerRow(PlayerId("pdora"), "Dora", NOON))
    with pytest.raises(TooManyConsents):
        await club.consents.give(ANNA, PlayerId("pdora"))


async def opened(club: Club) -> list[str]:
    return [row.game for row in await club.rig.store.games(mine=ANNA, limit=100)]


class Death:
    """Lets a process die at a step: before or after it appends to a log, or writes down what became of a game."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.steps = 0
        self.came = False

    def step(self) -> None:
        self.came = self.steps == self.at
        self.steps += 1
        if self.came:
            raise Killed

    def waits_in(self, work: Any) -> Any:
        async def mortal(*arguments: Any, **options: Any) -> Any:
            self.step()
            done = await work(*arguments, **options)
            self.step()
            return done

        return mortal

    async def run(self, club: Club) -> None:
        """Let a new process do what is due, until it dies."""
        games = club.games()
        opener = club.opener(games)
        appender, store = games._appender, opener._store
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Killed):
            patch.setattr(appender, "append", self.waits_in(appender.append))
            patch.setattr(store, "record", self.waits_in(store.record))
            while await opener.turn():
                pass
        await games.close()


async def test_a_process_that_dies_at_any_step_leaves_as_many_games_as_were_asked_for(club: Club) -> None:
    at, death = 0, Death(0)
    for at in itertools.count():
        evening, death = club.at(timedelta(minutes=1)), Death(at)
        before = len(await opened(club))
        made = await club.make(seated(starts_at=evening), table(), seated(starts_at=evening))
        for _ in range(2):  # at first the games are opened, then two of them start
            if not death.came:
                await death.run(club)
            await club.run()  # by the next process
            club.clock.now += timedelta(minutes=2)
        assert len(await opened(club)) == before + 3
        assert len({each.game for each in await club.became(made)}) == 3
        assert await club.statuses(made) == ["started", "open", "started"]
        if not death.came:
            break
    assert death.steps == at == 20, "each append and each row was a place to die at, before and after it"


async def test_two_processes_that_open_games_at_once_open_none_twice(club: Club) -> None:
    made = await club.make(*[seated() for _ in range(10)])
    others = [club.games() for _ in range(3)]
    await asyncio.gather(*(club.opener(games).turn() for games in others))
    for games in others:
        await games.close()
    assert len(await opened(club)) == 10
    assert await club.statuses(made) == ["open"] * 10


async def test_a_key_that_was_forgotten_meanwhile_opens_no_second_game(club: Club) -> None:
    made = await club.make(table())
    await Death(1).run(club)  # the game is open, and nobody has said so
    assert len(await opened(club)) == 1
    await club.rig.store.forget_keys("2027-01-01T00:00:00.000000Z", 100)
    await club.run()
    assert len(await opened(club)) == 1
    assert await club.statuses(made) == ["open"]
