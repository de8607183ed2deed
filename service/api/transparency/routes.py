"""The transparency log: its checkpoint, tiles and key; certificates of games, cases, tournaments and leagues."""

from typing import Final

from litestar.response import Response

from domain.kernel.ids import (
    CaseId,
    GameId,
    LeagueId,
    StreamId,
    TournamentId,
    Version,
    as_game,
    is_case,
    is_league,
    is_tournament,
)
from domain.transparency.note import Key
from domain.transparency.tiles import Tile, read_number
from service.api.bodies import Nothing
from service.api.downloads import STILL_THE_SAME, cacheable
from service.api.endpoint import Answer, endpoint
from service.api.problems.cases import UNKNOWN_CASE
from service.api.problems.games import UNKNOWN_GAME, UNKNOWN_VERSION
from service.api.problems.leagues import UNKNOWN_LEAGUE
from service.api.problems.problem import Problem
from service.api.problems.tournaments import UNKNOWN_TOURNAMENT
from service.api.problems.transparency import NOT_LOGGED_YET, UNKNOWN_TILE
from service.api.request import OCTETS, Call
from service.api.response import answer
from service.api.transparency.bodies import Certified, LogKeyView
from service.games.cache import UnknownGame, UnknownVersion
from service.judging.desk import UnknownCase
from service.leagues.leagues import UnknownLeague
from service.tournaments.committee import UnknownTournament

TEXT: Final = "text/plain"

_UTF8: Final = f"{TEXT}; charset=utf-8"
_LASTING: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
"""The cache header of tiles and bundles: with the same width, they never change."""


def not_logged_yet(what: str) -> Problem:
    """Return the problem of something that the log may have in a moment."""
    return Problem(NOT_LOGGED_YET, what, "Ask again in a second.", headers={"Retry-After": "1"})


@endpoint(
    "GET",
    "/transparency/checkpoint",
    tag="Transparency",
    headers=("If-None-Match",),
    answers=(Answer(200, "The checkpoint, a signed note.", str, TEXT, headers=("ETag",)), STILL_THE_SAME),
    problems=(NOT_LOGGED_YET,),
)
async def show_checkpoint(request: Call) -> Response[bytes]:
    """Show the newest checkpoint.

    The signed head of the transparency log (C2SP `tlog-checkpoint`): its name, its size and its root hash, with the
    cosignatures of witnesses. Once a second, the log gets an entry for every game, case, tournament and league that has
    moved. Of private games, cases about these, and withheld forks, it does not get every version.
    """
    request.read_query(Nothing)
    note = await request.services.transparency.checkpoint()
    if note is None:
        raise not_logged_yet("Nothing has been signed yet.")
    return cacheable(request, str(note).encode(), request.media(_UTF8), {"Vary": "Accept"})


@endpoint(
    "GET",
    "/transparency/tile/{level:str}/{tile:path}",
    tag="Transparency",
    headers=("If-None-Match",),
    answers=(Answer(200, "The hashes, 32 bytes each.", bytes, OCTETS, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_TILE,),
)
async def show_tile(request: Call, level: str, tile: str) -> Response[bytes]:
    """Show a tile of the log's tree.

    Has 256 hashes, or as many as the address says after `.p/` (C2SP `tlog-tiles`). From tiles, anybody can compute
    every proof. A tile never changes.
    """
    request.read_query(Nothing)
    number = int(level) if level in _LEVELS else None
    place = _tile(number, tile)
    body = await request.services.transparency.tile(place) if place is not None else None
    return _lasting(request, body, f"{level}/{_path(tile)}")


@endpoint(
    "GET",
    "/transparency/tile/entries/{tile:path}",
    tag="Transparency",
    headers=("If-None-Match",),
    answers=(
        Answer(200, "The entries, each after its length in two bytes.", bytes, OCTETS, headers=("ETag",)),
        STILL_THE_SAME,
    ),
    problems=(UNKNOWN_TILE,),
)
async def show_entries(request: Call, tile: str) -> Response[bytes]:
    """Show a bundle of the log's entries.

    Has the 256 entries whose hashes are in the tile of the same number at level 0, or as many as the address says. An
    entry is the RFC 8785 form of `{kind, id, version, hash, status, at}`: the head of one game, case, tournament or
    league. A bundle never changes.
    """
    request.read_query(Nothing)
    place = _tile(0, tile)
    body = await request.services.transparency.bundle(place) if place is not None else None
    return _lasting(request, body, f"entries/{_path(tile)}", packs=True)


@endpoint(
    "GET",
    "/v1/transparency/key",
    tag="Transparency",
    answers=(Answer(200, "The key.", LogKeyView),),
    problems=(NOT_LOGGED_YET,),
)
async def show_log_key(request: Call) -> Response[bytes]:
    """Show the key of the transparency log.

    Has what `tabularium verify --policy` and `tabularium audit follow --policy` need. Get it once and keep it: a
    service that lies could show you another key than it shows others.
    """
    request.read_query(Nothing)
    key = request.services.log_key
    if key is None:
        raise not_logged_yet("This process signs no transparency log.")
    return answer(log_key_view([signer.key for signer in key.signers]))


def log_key_view(keys: list[Key]) -> LogKeyView:
    """Return the keys of a log as they are shown."""
    written = tuple(map(str, keys))
    policy = "".join(f"log {key}\n" for key in written) + "quorum none\n"
    return LogKeyView(keys[0].name, written, policy)


@endpoint(
    "GET",
    "/v1/games/{game:str}/certificate",
    tag="Transparency",
    query=Certified,
    headers=("If-None-Match",),
    answers=(Answer(200, "The certificate, a `.tlog-proof`.", str, TEXT, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION, NOT_LOGGED_YET),
)
async def show_certificate(request: Call, game: str) -> Response[bytes]:
    """Get a certificate of a game.

    Returns a proof that the transparency log has the head of the game (C2SP `tlog-proof`). With an export,
    `tabularium verify FILE --certificate CERTIFICATE --policy POLICY` checks it offline: that the service signed this
    log, and which witnesses saw it by when.
    """
    query = request.read_query(Certified)
    return await certificate_of(request, GameId(game), query.version)


@endpoint(
    "GET",
    "/v1/cases/{case:str}/certificate",
    tag="Transparency",
    query=Certified,
    headers=("If-None-Match",),
    answers=(Answer(200, "The certificate, a `.tlog-proof`.", str, TEXT, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_CASE, UNKNOWN_VERSION, NOT_LOGGED_YET),
)
async def show_certificate_of_case(request: Call, case: str) -> Response[bytes]:
    """Get a certificate of a case.

    Like the certificate of a game: a proof that the transparency log has the head of the case.
    """
    query = request.read_query(Certified)
    return await certificate_of(request, CaseId(case), query.version)


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/certificate",
    tag="Transparency",
    query=Certified,
    headers=("If-None-Match",),
    answers=(Answer(200, "The certificate, a `.tlog-proof`.", str, TEXT, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_TOURNAMENT, UNKNOWN_VERSION, NOT_LOGGED_YET),
)
async def show_certificate_of_tournament(request: Call, tournament: str) -> Response[bytes]:
    """Get a certificate of a tournament.

    Like the certificate of a game: a proof that the transparency log has the head of the tournament.
    """
    query = request.read_query(Certified)
    if not is_tournament(TournamentId(tournament)):
        raise UnknownTournament(f"There is no tournament {tournament!r}.")
    return await certificate_of(request, TournamentId(tournament), query.version)


@endpoint(
    "GET",
    "/v1/leagues/{league:str}/certificate",
    tag="Transparency",
    query=Certified,
    headers=("If-None-Match",),
    answers=(Answer(200, "The certificate, a `.tlog-proof`.", str, TEXT, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_LEAGUE, UNKNOWN_VERSION, NOT_LOGGED_YET),
)
async def show_certificate_of_league(request: Call, league: str) -> Response[bytes]:
    """Get a certificate of a league.

    Like the certificate of a game: a proof that the transparency log has the head of the league.
    """
    query = request.read_query(Certified)
    if not is_league(LeagueId(league)):
        raise UnknownLeague(f"There is no league {league!r}.")
    return await certificate_of(request, LeagueId(league), query.version)


async def certificate_of(request: Call, stream: StreamId, version: Version | None) -> Response[bytes]:
    """Answer with the certificate of a stream.

    Raises `Problem`, `UnknownGame`, `UnknownCase`, `UnknownTournament`, `UnknownLeague` or `UnknownVersion`.
    """
    head = (await request.services.store.heads((stream,))).get(stream)
    if head is None and is_tournament(stream):
        raise UnknownTournament(f"There is no tournament {stream!r}.")
    if head is None and is_league(stream):
        raise UnknownLeague(f"There is no league {stream!r}.")
    if head is None:
        raise (
            UnknownCase(f"There is no case {stream!r}.")
            if is_case(stream)
            else UnknownGame(f"There is no game {stream!r}.")
        )
    if version is not None and version > head:
        raise UnknownVersion(version, head)
    proof = await request.services.transparency.certificate(stream, head if version is None else version)
    if proof is None and (until := await _withheld_until(request, stream)) is not None:
        raise Problem(
            NOT_LOGGED_YET,
            f"Until game {until} is over, the transparency log has only version 1 of the fork {stream}.",
            f"Ask with ?version=1, or again when {until} is over.",
        )
    is_open = is_tournament(stream) or is_league(stream)
    if proof is None and not is_open and await request.services.games.is_private(await _game_of(request, stream)):
        raise Problem(
            NOT_LOGGED_YET,
            f"{stream} is private: the transparency log has only its version 1, and of a game also its end.",
            "Ask with ?version=1, or again when the game is over.",
        )
    if proof is None:
        raise not_logged_yet(f"Version {head if version is None else version} is not in the transparency log yet.")
    headers = {
        "Content-Disposition": f'attachment; filename="{stream}.tlog-proof"',
        "Vary": "Accept",
    }
    return cacheable(request, str(proof).encode(), request.media(_UTF8), headers)


async def _withheld_until(request: Call, stream: StreamId) -> GameId | None:
    game = as_game(stream)
    return (await request.services.store.withheld((game,))).get(game) if game is not None else None


async def _game_of(request: Call, stream: StreamId) -> GameId:
    """Return the game that a stream is, or that a case is about."""
    return as_game(stream) or (await request.services.desk.row(CaseId(stream))).game


_LEVELS: Final = frozenset(map(str, range(64)))


def _path(tile: object) -> str:
    # Litestar gives the rest of an address as a path that begins with a slash.
    return str(tile).removeprefix("/")


def _tile(level: int | None, tile: object) -> Tile | None:
    numbers = read_number(_path(tile))
    return Tile(level, *numbers) if level is not None and numbers is not None else None


def _lasting(request: Call, body: bytes | None, path: str, *, packs: bool = False) -> Response[bytes]:
    if body is None:
        raise Problem(
            UNKNOWN_TILE,
            f"The tree of the newest checkpoint has no tile {path!r}.",
            "Fetch /transparency/checkpoint, and the tiles of a tree of that size.",
        )
    return cacheable(request, body, OCTETS, _LASTING, packs=packs)
