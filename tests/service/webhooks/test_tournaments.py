"""What webhooks and devices are told of tournaments, and who is."""

from typing import Any

import pytest

from domain.kernel.ids import TournamentId
from domain.tournament import directing, entering, results
from service.base.scopes import EVERYBODYS
from service.store.protocol import Append
from service.tournaments.committee import row_of
from tests.helpers.tournaments import ORGANIZER, SEED, TOURNAMENT, Club
from tests.service.rig import ANNA, BERT, CARL
from tests.service.webhooks.receiving import Telling, registered
from tests.service.webhooks.test_pushing import device, pushed

ALL = ("tournament.*",)


class Evening(Club):
    """A tournament of Anna and Bert at tables of two, as it comes into the log."""

    def __init__(self, told: Telling, tournament: TournamentId = TOURNAMENT) -> None:
        super().__init__(tournament=tournament, sizes=(2,), points=((60, 0),))
        self.told, self.kept = told, 0
        for each in (ANNA, BERT):
            self.act(entering.enter, None, by=each)
            self.act(entering.check_in, "", by=each)

    async def store(self) -> None:
        """Append what has happened since the last time."""
        tournament, records = self.tournament, self.records[self.kept :]
        seed = SEED if self.kept == 0 else None
        row = row_of(tournament, "Cats & @everyone")
        append = Append(tournament.id, self.kept, records, tournament.status, tournament=row, seed=seed)
        await self.told.rig.store.append(append)
        self.kept = len(self.records)


@pytest.fixture
async def evening(told: Telling) -> Evening:
    await registered(told.rig, ORGANIZER)
    return Evening(told)


async def test_who_takes_part_hears_of_the_tournament_and_nobody_else(told: Telling, evening: Evening) -> None:
    await told.hook(ANNA, "/anna", events=ALL)
    await told.hook(ORGANIZER, "/organizer", events=ALL)
    await told.hook(CARL, "/carl", events=ALL)
    await evening.store()
    await told.tell()
    assert told.receiver.types("/organizer") == [
        *("tournament.announced", "tournament.player_entered", "tournament.player_checked_in"),
        *("tournament.player_entered", "tournament.player_checked_in"),
    ]
    # Of what was before she came, Anna hears nothing.
    assert told.receiver.types("/anna") == told.receiver.types("/organizer")[1:]
    evening.act(entering.withdraw, by=ANNA)
    evening.act(directing.tell_all, "We begin at noon.")
    await evening.store()
    await told.tell()
    assert told.receiver.types("/anna")[-1] == "tournament.player_withdrew"
    assert told.receiver.types("/organizer")[-1] == "tournament.announcement_made"
    assert told.receiver.types("/carl") == []
    last = told.receiver.got[-1].json
    assert last["data"] == {
        "tournament": evening.tournament.id,
        "version": evening.tournament.version,
        "address": f"https://games.example.org/v1/tournaments/{evening.tournament.id}",
    }


async def test_a_webhook_of_a_tournament_hears_of_that_one_alone_and_an_auditor_of_all(
    told: Telling, evening: Evening
) -> None:
    await told.rig.accounts.grant(CARL, (*EVERYBODYS, "audit"))
    await told.hook(CARL, "/one", about="tournament", game=evening.tournament.id)
    await told.hook(CARL, "/all", about="service", events=ALL)
    await told.hook(CARL, "/own", events=ALL)
    other = Evening(told, TournamentId("tother"))
    await evening.store()
    await other.store()
    await told.tell()
    assert len(told.receiver.types("/one")) == len(evening.records)
    assert len(told.receiver.types("/all")) == len(evening.records) + len(other.records)
    assert told.receiver.types("/own") == []


@pytest.mark.parametrize(("form", "field"), [("discord", "content"), ("slack", "text")])
async def test_the_channel_of_a_club_hears_what_people_want_to_know(
    told: Telling, evening: Evening, form: Any, field: str
) -> None:
    await told.hook(CARL, about="tournament", game=evening.tournament.id, form=form)
    evening.publish()
    evening.result(1)
    evening.act(results.confirm, 1, 1)
    await evening.store()
    await told.tell()
    said = [each.json[field] for each in told.receiver.got]
    cats = "Cats &amp; @everyone" if form == "slack" else "Cats & @everyone"
    page = f"https://games.example.org/tournaments/{evening.tournament.id}"
    assert said == [
        f"“{cats}”: tournament round published. {page}",
        f"“{cats}”: tournament result confirmed. {page}",
    ]


async def test_devices_are_told_what_the_inbox_lists(told: Telling, evening: Evening) -> None:
    anna, organizer = await device(told, ANNA, "/anna"), await device(told, ORGANIZER, "/organizer")
    carl = await device(told, CARL, "/carl")
    evening.act(directing.tell_all, "We begin at noon.")
    evening.publish()
    evening.result(1)
    await evening.store()
    await pushed(told)
    assert anna.bodies == ["The directors announced something.", "A round was drawn, with you in it."]
    assert organizer.bodies == ["A result waits to be confirmed."]
    assert carl.bodies == []
    assert (anna.shown[0]["title"], anna.shown[0]["url"]) == (
        "Cats & @everyone",
        f"/tournaments/{evening.tournament.id}",
    )


async def test_what_was_read_or_is_silenced_is_not_pushed(told: Telling, evening: Evening) -> None:
    anna, bert = await device(told, ANNA, "/anna"), await device(told, BERT, "/bert")
    evening.act(directing.tell_all, "We begin at noon.")
    await evening.store()
    accounts, tournament = told.rig.store.accounts, evening.tournament.id
    await accounts.mark_read(ANNA, {tournament: evening.tournament.version})
    await accounts.set_inbox(BERT, f'{{"games":{{"{tournament}":["announcement-made"]}}}}')
    await pushed(told)
    assert (anna.bodies, bert.bodies) == ([], [])
