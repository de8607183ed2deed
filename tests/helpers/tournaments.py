"""A club that plays a tournament, act by act, without a service."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from domain.kernel.ids import GameId, PlayerId, RuleId, TournamentId
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules import loading
from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing, entering, results, rounds
from domain.tournament.chain import commitment_of, secret_of
from domain.tournament.draw import Draw
from domain.tournament.events import Order
from domain.tournament.field import Field, Round
from domain.tournament.regulations import Regulations, Swiss
from domain.tournament.tournament import Inscribed, Tournament

ORGANIZER: Final = PlayerId("organizer")
DIRECTOR: Final = PlayerId("director")
SEED: Final = bytes(range(32))
SEATS: Final = (2, 3, 4, 5, 6)
TOURNAMENT: Final = TournamentId("t-club")
HOUSE: Final = Cause(by="house")


def regulations(**changes: Any) -> Regulations:
    """Return regulations of two rounds of Swiss, at tables of four or three."""
    usual: dict[str, Any] = {
        "ruleset": "tiny",
        "stages": (Swiss(2),),
        "sizes": (4, 3),
        "points": ((60, 36, 12), (60, 42, 24, 6)),
        "bye": 30,
    }
    return Regulations(**{**usual, **changes})


def player(number: int) -> PlayerId:
    return PlayerId(f"player-{number:03}")


ANNA, BERT = player(1), player(2)
STRANGER: Final = PlayerId("stranger")


class Club:
    """A tournament that goes on by acts. Each act is a minute after the one before."""

    def __init__(
        self,
        players: int = 0,
        *,
        seed: bytes = SEED,
        tournament: TournamentId = TOURNAMENT,
        **changes: Any,
    ) -> None:
        self.seed = seed
        self.records: list[Record] = []
        self.now = datetime(2026, 1, 31, 18, tzinfo=UTC)
        self.tournament: Tournament
        given = (tournament, regulations(**changes), commitment_of(seed), SEATS)
        self.take(directing.announce(*given, Cause(ORGANIZER), self.at))
        for number in range(1, players + 1):
            self.enter(player(number))

    def enter(self, player: PlayerId) -> None:
        """Let a player enter and check in."""
        self.act(entering.enter, None, by=player)
        self.act(entering.check_in, f"luck {int(player[-3:])}", by=player)

    @property
    def at(self) -> str:
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def act(self, act: Callable[..., Inscribed], *given: Any, by: PlayerId | None = ORGANIZER) -> Tournament:
        """Do something, as an account, or as the service with None."""
        return self.take(act(self.tournament, *given, HOUSE if by is None else Cause(by), self.at))

    def take(self, inscribed: Inscribed) -> Tournament:
        self.now += timedelta(minutes=1)
        self.records.extend(inscribed.records)
        self.tournament = inscribed.tournament
        return self.tournament

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)

    @property
    def round(self) -> Round:
        current = self.tournament.field.current
        assert current is not None
        return current

    @property
    def field(self) -> Field:
        return self.tournament.field

    # --- a round ---

    def lots(self) -> Round:
        number = self.tournament.next_round
        self.act(rounds.close_check_in, secret_of(self.seed, number).hex())
        return self.round

    def draft(self, drawn: Draw | None = None) -> Draw:
        drawn = drawn or rounds.tables_for(self.tournament)
        self.act(rounds.draft, drawn, "slices", None)
        return drawn

    def publish(self) -> Round:
        """Draw a round and publish it, and open its tables."""
        self.lots()
        self.draft()
        self.act(rounds.publish, 1, None, None)
        for table in self.round.tables:
            game = GameId(f"g-{self.round.number}-{table.number}")
            self.act(rounds.open_table, self.round.number, table.number, game, by=None)
        return self.round

    def result(self, table: int, order: Order | None = None, how: str = "won", left: Sequence[PlayerId] = ()) -> None:
        """Let the game of a table end: in the order of its seats, unless another is given."""
        order = order or tuple((each,) for each in self.round.tables[table - 1].players)
        given = (self.round.number, table, order, how, "TAB-END-03", 7, "00" * 32, tuple(left))
        self.act(results.take_result, *given, by=None)

    def play(self, *, confirm: bool = True) -> None:
        """Play a round to its end: everywhere the first seat is first, and so on."""
        self.publish()
        for table in self.round.tables:
            self.result(table.number)
            if confirm:
                self.act(results.confirm, self.round.number, table.number)


def refused(club: Club, act: Callable[..., Any], *given: Any, by: PlayerId | None = ORGANIZER) -> RuleId:
    """Return the rule by which an act is refused; the tournament stays as it is."""
    before = club.tournament
    with pytest.raises(Refusal) as refusal:
        club.act(act, *given, by=by)
    assert refusal.value.rule in {rule.id for rule in loading.common_rules().rules}
    assert club.tournament is before
    return refusal.value.rule
