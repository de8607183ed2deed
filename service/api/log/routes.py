"""The log of a game: its events, its history in sentences, its export."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

from litestar.response import Response, Stream

from domain.kernel.ids import GameId
from domain.kernel.log.event import GameEvent
from domain.kernel.log.fold import later
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_event, retraction
from domain.kernel.log.record import Record
from domain.kernel.proof import export
from domain.kernel.rules.message import in_words
from service.api.bodies import Nothing
from service.api.downloads import DOWNLOAD_HEADERS, download, downloaded, saved_as
from service.api.endpoint import UNCHANGED, Answer, endpoint
from service.api.log.bodies import EventPage, EventsPage, HistoryPage, Passage, Sentence
from service.api.problems.games import UNKNOWN_GAME
from service.api.problems.request import RANGE_NOT_SATISFIABLE
from service.api.request import Call
from service.api.response import answer, etag, unchanged
from service.games.games import Games
from service.games.views import viewer_of

NDJSON: Final = "application/x-ndjson"


@endpoint(
    "GET",
    "/v1/games/{game:str}/events",
    tag="Log",
    account="optional",
    query=EventsPage,
    headers=("If-None-Match",),
    answers=(Answer(200, "The events.", EventPage, headers=("ETag",)), UNCHANGED),
    problems=(UNKNOWN_GAME,),
)
async def list_events(request: Call, game: str) -> Response[bytes]:
    """List events.

    The log as you may see it. Hidden values are commitments, and `secrets` holds those that you may read. The hashes
    form a chain over the whole log.
    """
    page = request.read_query(EventsPage)
    games = request.services.games
    current = await games.game(GameId(game))
    if request.has(f'"{current.version}"'):
        return unchanged(current.version)
    events = await games.events(current, viewer_of(current, request.caller), page.after, page.limit)
    more = bool(events) and events[-1].version < current.version
    page = EventPage(tuple(events), events[-1].version if more else None)
    return answer(page, headers=etag(current.version))


@endpoint(
    "GET",
    "/v1/games/{game:str}/history",
    tag="Log",
    account="optional",
    query=EventsPage,
    headers=("If-None-Match",),
    answers=(Answer(200, "The history.", HistoryPage, headers=("ETag",)), UNCHANGED),
    problems=(UNKNOWN_GAME,),
)
async def tell_history(request: Call, game: str) -> Response[bytes]:
    """Tell the history.

    The log in sentences, by round and phase. It tells everybody the same, and nothing hidden.
    """
    page = request.read_query(EventsPage)
    games = request.services.games
    current = await games.game(GameId(game))
    if request.has(f'"{current.version}"'):
        return unchanged(current.version)
    records = await games.records(current.id, page.after, page.limit)
    base = await games.at(current.id, page.after) if records and page.after else None
    sentences = [item async for item in _sentences(games, base, records, current)]
    more = bool(records) and records[-1].version < current.version
    page = HistoryPage(tuple(passages(sentences)), records[-1].version if more else None)
    return answer(page, headers=etag(current.version))


async def _sentences(
    games: Games, base: Game | None, records: Sequence[Record], current: Game
) -> AsyncIterator[tuple[str, Sentence]]:
    """Yield each record in a sentence, with the heading under which it belongs."""
    game = base
    for record in records:
        event = read_event(current.ruleset, record)
        if game is None or retraction(record) is not None:
            game = await games.at(current.id, record.version)
        else:
            game = later(game, (record,))
        heading = "" if isinstance(event, GameEvent) else game.heading
        yield heading, Sentence(record.version, record.at, cause_of(record).seat, in_words(event, current.names))


def passages(sentences: Sequence[tuple[str, Sentence]]) -> Iterator[Passage]:
    """Yield sentences, grouped by heading."""
    gathered: list[Sentence] = []
    for index, (heading, sentence) in enumerate(sentences):
        gathered.append(sentence)
        if index + 1 == len(sentences) or sentences[index + 1][0] != heading:
            yield Passage(heading, tuple(gathered))
            gathered = []


@endpoint(
    "GET",
    "/v1/games/{game:str}/export",
    tag="Log",
    account="optional",
    headers=DOWNLOAD_HEADERS,
    answers=downloaded("The export.", NDJSON),
    problems=(UNKNOWN_GAME, RANGE_NOT_SATISFIABLE),
)
async def export_game(request: Call, game: str) -> Response[bytes] | Stream:
    """Export a game.

    The whole log as JSON Lines, with the board and the secrets that you may see. When the game is over, these are all
    of them: `tabularium verify` proves the game offline, from this file alone.

    The export of a finished game never changes. Its ETag depends on what you may see, and with it, `If-None-Match` gets
    304. Send `Accept-Encoding: gzip` for a compressed export, `Range` for a part, and also `If-Range` to resume a
    broken download.
    """
    request.read_query(Nothing)
    games = request.services.games
    current = await games.game(GameId(game))
    viewer = viewer_of(current, request.caller)
    vault, pasts = await games.vault(current.id), await games.pasts(current, request.caller)
    fingerprint = export.fingerprint(current, vault, viewer.seat, everything=viewer.everything, pasts=pasts)
    records = (await games.records(current.id))[: current.version]

    def make() -> Iterator[bytes]:
        return export.export(current, records, vault, viewer.seat, everything=viewer.everything, pasts=pasts)

    return await download(
        request, make, f'"{current.version}.{fingerprint[:16]}"', request.media(NDJSON), saved_as(request, current.id)
    )
