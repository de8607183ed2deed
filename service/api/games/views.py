"""The views of a game: at a glance, in full, its seats, its papers."""

from collections.abc import Container, Iterable, Mapping

from msgspec import to_builtins

from domain.kernel.ids import PlayerId, Seat
from domain.kernel.log.clock import Clock
from domain.kernel.log.ending import abandoned_at, finish
from domain.kernel.log.game import Game
from domain.kernel.rules.board import Map
from domain.kernel.rules.documents import digests_of, documents_of, remarks_of
from domain.kernel.rules.papers import Papers
from projections.lobby import GameRow
from service.accounts.lookalikes import looking_alike
from service.api.games.bodies import (
    GameDetail,
    GameSummary,
    Invitation,
    Official,
    PapersView,
    SeatOffer,
    SeatView,
    TakeBack,
)
from service.games.clocks import clocks_view
from service.games.ends import open_proposals
from service.games.views import Viewer
from service.judging.desk import Outcome
from service.store.accounts import InvitationRow, PlayerRow


def seat_views(
    seats: Mapping[Seat, PlayerId | None], players: Mapping[PlayerId, PlayerRow], officials: Iterable[PlayerId] = ()
) -> tuple[SeatView, ...]:
    """Return the seats, and who holds them."""
    rows = {seat: players.get(holder) if holder else None for seat, holder in seats.items()}
    alike = _looking_alike((*seats.values(), *officials), players)
    return tuple(_seat_view(seat, seats[seat], row, alike) for seat, row in rows.items())


def _officials(
    officials: Iterable[PlayerId], game: Game, players: Mapping[PlayerId, PlayerRow]
) -> tuple[Official, ...]:
    rows = {player: players.get(player) for player in officials}
    alike = _looking_alike((*game.players.values(), *rows), players)
    return tuple(
        Official(player, None if row is None else row.name, row is not None and row.name in alike)
        for player, row in rows.items()
    )


def _looking_alike(visible_players: Iterable[PlayerId | None], players: Mapping[PlayerId, PlayerRow]) -> frozenset[str]:
    """Return the names that look like another of these names."""
    return looking_alike(
        players[player].name for player in {*visible_players} if player is not None and player in players
    )


def _seat_view(seat: Seat, holder: PlayerId | None, row: PlayerRow | None, alike: Container[str]) -> SeatView:
    if row is None:
        return SeatView(seat, holder, None, False, False, None)
    return SeatView(seat, holder, row.name, row.name in alike, row.is_bot, row.bot)


def invitation_view(row: InvitationRow) -> Invitation:
    """Return an invitation for the organizer of the game."""
    return Invitation(row.invitation, row.game, row.created, row.revoked)


def game_summary(
    row: GameRow, players: Mapping[PlayerId, PlayerRow], clock: Clock | None, *, listed: bool = True
) -> GameSummary:
    """Return the summary of a game."""
    return GameSummary(
        id=row.game,
        title=row.title,
        ruleset=row.ruleset,
        ruleset_version=row.ruleset_version,
        status=row.status,
        organizer=row.organizer,
        seats=seat_views(row.seats, players),
        version=row.version,
        created=row.created,
        changed=row.changed,
        fork=row.fork,
        listed=listed,
        clock=clock,
    )


def game_detail(
    row: GameRow,
    game: Game,
    players: Mapping[PlayerId, PlayerRow],
    viewer: Viewer,
    outcome: Outcome | None = None,
    *,
    now: str | None = None,
    listed: bool = True,
) -> GameDetail:
    """Return a game, with what the index alone knows of it (its title and times) from `row`.

    `outcome` is how it ended after rulings; its own end when absent. `now` is the time.
    """
    outcome = outcome or Outcome(finish(game))
    officials = [player for player, holds in game.around.officials.items() if holds]
    clocks = clocks_view(game)
    return GameDetail(
        id=game.id,
        title=row.title,
        ruleset=game.ruleset.id,
        ruleset_version=game.began_with,
        upgraded_to=game.ruleset.version if game.ruleset.version != game.began_with else None,
        status=game.status,
        organizer=game.organizer,
        organizer_sees=game.organizer_sees,
        seats=seat_views(game.players, players, officials),
        version=game.version,
        created=row.created,
        changed=row.changed,
        fork=row.fork,
        forks=game.forks,
        readers=game.readers,
        listed=listed,
        setup=to_builtins(game.setup),
        board=Map.of(game.board).digest,
        documents=digests_of(game.board),
        remarks=remarks_of(documents_of(game.board)),
        words=dict(game.ruleset.words_on(game.board)),
        mass_nouns=game.ruleset.mass_nouns,
        commitment=game.commitment,
        head=game.head.hex(),
        heading=game.heading,
        decisions=tuple(game.decisions),
        result=outcome.result,
        ruled_by=outcome.ruled_by,
        continued_in=outcome.continued_in,
        assigned=game.around.assigned,
        given_up=game.around.given_up,
        resigned=game.around.resigned,
        offers=tuple(SeatOffer(seat, offer.to, offer.version) for seat, offer in game.around.offers.items()),
        officials=_officials(officials, game, players),
        paused=game.around.paused,
        take_backs=open_take_backs(game),
        clock=clock_of(game),
        end_proposals=open_proposals(game),
        rematch_of=game.rematch_of,
        abandoned_after=game.abandoned_after,
        abandoned_at=abandoned_at(game, row.changed),
        clocks=clocks,
        now=now if clocks is not None else None,
        you=viewer.seat,
    )


def clock_of(game: Game) -> Clock | None:
    """Return the clock that was chosen for a game; None for a game without one."""
    return game.clocks.clock if game.clocks is not None else None


def open_take_backs(game: Game) -> tuple[TakeBack, ...]:
    """Return the open requests of seats to take moves back."""
    return tuple(
        TakeBack(version, each.seat, each.to, game.asked_by(each))
        for version, each in game.around.asked.items()
        if not each.is_closed
    )


def papers_view(game: Game) -> PapersView:
    """Return the papers of a game."""
    papers: Papers = game.ruleset.papers(game.board, game.names)
    return PapersView(game.id, dict(papers.origins), dict(papers.sources), papers.papers)
