"""A tournament: the aggregate whose events make one stream, from its announcement to its close."""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec import field as a_field
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, TournamentId, Version
from domain.kernel.log.around import LONGEST_REASON, is_reason
from domain.kernel.log.record import Cause, Record, inscribe
from domain.kernel.rules.message import enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless
from domain.tournament.events import (
    AnnouncementMade,
    DirectorNamed,
    DirectorReleased,
    LotsDrawn,
    Order,
    PenaltyGiven,
    PlayerCheckedIn,
    PlayerDropped,
    PlayerEntered,
    PlayerWithdrew,
    RegulationsChanged,
    ResultConfirmed,
    ResultOverruled,
    ResultTaken,
    RoundCancelled,
    RoundDrafted,
    RoundPublished,
    Status,
    SubstituteSeated,
    TableOpened,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentClosed,
    TournamentEvent,
    TournamentPassedOn,
)
from domain.tournament.field import Entrant, Field, Penalty, Result, Round, Table
from domain.tournament.regulations import Regulations


class Inscribed(Struct, frozen=True):
    """What an accepted act adds to a tournament, and the tournament after it."""

    tournament: "Tournament"
    records: tuple[Record, ...]

    def then(self, after: "Inscribed") -> "Inscribed":
        """Return both acts as one: the records of this one, then those of `after`."""
        return Inscribed(after.tournament, (*self.records, *after.records))


class Tournament(Struct, kw_only=True):
    """A tournament at one version. Treat it as immutable outside this package: every act returns an `Inscribed`.

    An act gets its `cause`, with the account or `by: house`, and its time `at`. Every act raises `Refusal` when it is
    not possible.
    """

    id: TournamentId
    organizer: PlayerId
    announced: str
    commitment: str
    field: Field
    version: Version = 0
    head: bytes = b""
    changed: str = ""
    status: Status = "open"
    directors: tuple[PlayerId, ...] = ()
    """The accounts that direct it, the organizer first."""
    announcements: tuple[tuple[str, str], ...] = ()
    """What directors told all players, with the times, the first first."""
    order: Order = ()
    """How all players finished; empty until it is closed."""
    games: dict[GameId, tuple[int, int]] = a_field(default_factory=dict[GameId, tuple[int, int]])
    """The round and the table of each game."""

    @property
    def regulations(self) -> Regulations:
        return self.field.regulations

    @property
    def last_secret(self) -> str:
        """The secret that was published last, in hex; the commitment before the first round."""
        last = self.field.rounds.get(len(self.field.rounds))
        return last.secret if last is not None else self.commitment

    @property
    def next_round(self) -> int:
        """The number of the round whose lots are drawn next."""
        return len(self.field.rounds) + 1

    # --- what acts require ---

    def require_going_on(self, rule: str) -> None:
        """Raise `Refusal` when the tournament is over."""
        if self.status in ("closed", "cancelled"):
            wrong = f"The tournament is {self.status}."
            raise Refusal(rule, wrong, "Nothing is changed in it any more.", untimely=True)

    def require_director(self, cause: Cause, rule: str) -> None:
        """Raise `Refusal` unless the account directs the tournament, and it is not over."""
        wrong, right = "You do not direct this tournament.", f"Its directors are {enumerated(self.directors)}."
        refuse_unless(cause.player in self.directors, rule, wrong, right)
        self.require_going_on(rule)

    def require_organizer(self, cause: Cause, rule: str) -> None:
        """Raise `Refusal` unless the account organizes the tournament, and it is not over."""
        wrong = "You do not organize this tournament."
        refuse_unless(cause.player == self.organizer, rule, wrong, f"Its organizer is {self.organizer}.")
        self.require_going_on(rule)

    def require_impartial(self, table: Table, cause: Cause) -> None:
        """Raise `Refusal` when the account plays or played at the table (TAB-TRN-22)."""
        wrong = "You play or played at this table."
        is_party = cause.player in table.players or cause.player in table.away
        refuse_unless(not is_party, "TAB-TRN-22", wrong, "Another director decides it.")

    def require_in(self, player: PlayerId, rule: str) -> Entrant:
        """Return the entry of a player; raise `Refusal` unless they take part and the tournament is not over."""
        self.require_going_on(rule)
        entrant = self.field.entrants.get(player)
        if entrant is None or entrant.out:
            wrong = f"{player} has not entered." if entrant is None else f"{player} takes no part any more."
            raise Refusal(rule, wrong, "Name a player who takes part.")
        return entrant

    def require_drawn(self, rule: str) -> Round:
        """Return the round whose lots were drawn and whose tables are not published; raise `Refusal` without one."""
        current = self.field.current
        if current is None or current.status != "drawn":
            wrong = "No round is being drawn."
            raise Refusal(rule, wrong, "Close the check-in of the next round first.", untimely=True)
        return current

    def table(self, number: int, table: int, rule: str) -> Table:
        """Return a table of a published round; raise `Refusal` when there is none, or the tournament is over."""
        self.require_going_on(rule)
        round_ = self.field.rounds.get(number)
        if round_ is None or round_.status != "published":
            right = enumerated([str(each.number) for each in self.field.played]) or "none"
            raise Refusal(rule, f"There is no published round {number}.", f"Published are: {right}.")
        at = round_.table(table)
        if at is None:
            raise Refusal(rule, f"Round {number} has no table {table}.", f"Its tables are 1 to {len(round_.tables)}.")
        return at

    # --- the stream ---

    def add(self, events: Sequence[TournamentEvent], cause: Cause, at: str) -> Inscribed:
        """Return what events add to the tournament, and the tournament after them."""
        at = max(at, self.changed)
        after, records = copied(self), list[Record]()
        for event in events:
            first = cause if not records else None
            record = inscribe(
                after.id, after.head, after.version + 1, event, schema=event.schema, draws=0, at=at, cause=first
            )
            after.happen(event, record)
            records.append(record)
        return Inscribed(after, tuple(records))

    def happen(self, event: TournamentEvent, record: Record) -> None:
        """Change, in place, what an event changes. For this package's own folds."""
        self.version, self.head, self.changed = record.version, record.hash, record.at
        match event:
            case TournamentAnnounced():
                pass
            case RegulationsChanged(regulations):
                self.field = replace(self.field, regulations=regulations)
            case DirectorNamed(player):
                self.directors = (*self.directors, player)
            case DirectorReleased(player):
                self.directors = tuple(each for each in self.directors if each != player)
            case TournamentPassedOn(player):
                self.organizer = player
                self.directors = (player, *(each for each in self.directors if each != player))
            case AnnouncementMade(text):
                self.announcements = (*self.announcements, (text, record.at))
            case PenaltyGiven(player, sort, points, reason):
                penalty = Penalty(player, sort, points, reason, len(self.field.rounds), record.at)
                self.field = replace(self.field, penalties=(*self.field.penalties, penalty))
                if sort == "exclusion":
                    self._change_entrant(player, out=True)
            case TournamentClosed(order):
                self.status, self.order = "closed", order
            case TournamentCancelled():
                self.status = "cancelled"
            case PlayerEntered() | PlayerWithdrew() | PlayerDropped() | PlayerCheckedIn():
                self._happen_to_player(event)
            case _:
                self._happen_in_round(event, record.at)

    def _happen_to_player(self, event: TournamentEvent) -> None:
        match event:
            case PlayerEntered(player, club):
                new_club = None if club is UNSET else club
                entrant = self.field.entrants.get(player) or Entrant(player)
                self.field.entrants[player] = replace(entrant, club=new_club, out=False)
            case PlayerWithdrew(player) | PlayerDropped(player):
                self._change_entrant(player, out=True)
            case PlayerCheckedIn(number, player, entropy):
                self._change_entrant(player, checked_in=number, entropy=entropy)
            case _:
                raise TypeError(f"{type(event).__name__} does not happen to a player")

    def _change_entrant(self, player: PlayerId, **changes: object) -> None:
        self.field.entrants[player] = replace(self.field.entrants[player], **changes)

    def _happen_in_round(self, event: TournamentEvent, at: str) -> None:
        rounds = self.field.rounds
        match event:
            case LotsDrawn(number, secret, present):
                rounds[number] = Round(number, secret, present)
            case RoundDrafted(number, _, draw):
                rounds[number] = replace(rounds[number], drafts=(*rounds[number].drafts, draw))
            case RoundPublished(number, _, draw):
                tables = tuple(Table(place, players) for place, players in enumerate(draw.tables, start=1))
                rounds[number] = replace(rounds[number], status="published", tables=tables, byes=draw.byes)
                self.status = "running"
            case RoundCancelled(number):
                rounds[number] = replace(rounds[number], status="cancelled")
            case TableOpened(number, table, game):
                self._change_table(number, table, game=game, opened=at)
                self.games[game] = (number, table)
            case SubstituteSeated(number, table, player, to):
                current = rounds[number].tables[table - 1]
                players = tuple(to if each == player else each for each in current.players)
                self._change_table(number, table, players=players, substitutes=(*current.substitutes, (player, to)))
                if self.regulations.points_of_substitutes != "replaced":  # with `replaced`, they keep the bye
                    byes = tuple(each for each in rounds[number].byes if each != to)
                    rounds[number] = replace(rounds[number], byes=byes)
            case ResultTaken(number, table, order, how, _, _, _, leavers):
                self._change_table(number, table, result=Result(order, how, leavers, at))
            case ResultConfirmed(number, table):
                result = rounds[number].tables[table - 1].result
                assert result is not None
                self._change_table(number, table, result=replace(result, confirmed=True))
            case ResultOverruled(number, table, order):
                self._change_table(number, table, result=Result(order, "overruled", (), at, confirmed=True))
            case _:
                raise TypeError(f"{type(event).__name__} is not an event of a tournament")

    def _change_table(self, number: int, table: int, **changes: object) -> None:
        current = self.field.rounds[number].tables[table - 1]
        self.field.rounds[number] = self.field.rounds[number].with_table(replace(current, **changes))


def copied(tournament: Tournament) -> Tournament:
    """Return a copy that can be changed in place. For this package's own folds."""
    field = tournament.field
    field = replace(field, entrants=dict(field.entrants), rounds=dict(field.rounds))
    return replace(tournament, field=field, games=dict(tournament.games))


def require_reason(reason: str, rule: str, what: str = "A reason") -> None:
    """Raise `Refusal` unless a text is a line of 1 to 2,000 printable characters. `what` names the text."""
    right = f"{what} is a line of 1 to {LONGEST_REASON:,} printable characters."
    refuse_unless(is_reason(reason), rule, f"{what} is missing, too long, or cannot be printed.", right)


def require_order(table: Table, order: Order, rule: str) -> None:
    """Raise `Refusal` unless an order has each player of a table once."""
    players = [player for tied in order for player in tied]
    right = f"Name each of its players once: {enumerated(table.players)}."
    refuse_unless(
        sorted(players) == sorted(table.players) and all(order), rule, "The order is not one of the table.", right
    )


def tournament_from(
    tournament_id: TournamentId, event: TournamentAnnounced, record: Record, cause: Cause
) -> Tournament:
    """Return the tournament that its first event makes."""
    tournament = Tournament(
        id=tournament_id,
        organizer=cause.account,
        announced=record.at,
        commitment=event.commitment,
        field=Field(event.regulations, {}, {}, ()),
        directors=(cause.account,),
    )
    tournament.happen(event, record)
    return tournament
