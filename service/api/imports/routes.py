"""Games that other services recorded: importing what verifies, showing it, deleting it. Nothing changes an import."""

from collections.abc import Mapping
from typing import Final

import msgspec
from litestar.response import Response, Stream
from msgspec import UNSET, Raw

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.rules.loading import common_rules
from domain.kernel.rules.refusal import Refusal
from projections.cursor import UnknownCursor
from service.api.bodies import Nothing
from service.api.downloads import DOWNLOAD_HEADERS, PIECE, STILL_THE_SAME, cacheable, download, downloaded, saved_as
from service.api.endpoint import Answer, endpoint
from service.api.imports.bodies import (
    ImportDetail,
    Imported,
    ImportPage,
    ImportsPage,
    NewImport,
    import_detail,
    import_summary,
)
from service.api.log.bodies import EventPage, EventsPage
from service.api.log.routes import NDJSON
from service.api.paging import first, read_cursor
from service.api.pictures.bodies import FramePage, FramesPage
from service.api.pictures.routes import SVG
from service.api.play.bodies import AtVersion, StateView
from service.api.play.routes import state_view
from service.api.problems.games import UNKNOWN_VERSION
from service.api.problems.imports import NOT_IMPORTED, NOT_IMPORTER, TOO_MANY_IMPORTS, UNKNOWN_IMPORT
from service.api.problems.play import refused
from service.api.problems.problem import Problem
from service.api.problems.request import RANGE_NOT_SATISFIABLE
from service.api.problems.rulesets import NO_MAP
from service.api.request import Call
from service.api.response import answer, encode
from service.games.views import Viewer, event_view
from service.pictures.frames import frames
from service.pictures.picture import picture
from service.pictures.scenes import frame_sheet_of, marks_of, sheet_of
from service.store.imports import ImportId

_new_import: Final = msgspec.json.Decoder(NewImport)
_ALL: Final = Viewer(everything=True)
"""An imported game is over: everybody may see what it hid."""

_REVALIDATED: Final = {"Cache-Control": "no-cache", "Vary": "Accept"}
_OF_IMPORTS: Final = (UNKNOWN_IMPORT, UNKNOWN_VERSION)


@endpoint(
    "POST",
    "/v1/games/import",
    tag="Imports",
    account="required",
    scopes=("organize",),
    body=NewImport,
    answers=(
        Answer(201, "It was verified and stored.", Imported, headers=("Location",)),
        Answer(200, "It had been imported before.", Imported, headers=("Location",)),
    ),
    problems=(NOT_IMPORTED, TOO_MANY_IMPORTS),
)
async def import_game(request: Call) -> Response[bytes]:
    """Import a game.

    Takes the export of a finished game from another service, verifies it as `tabularium verify` does (TAB-IMP-01), and
    stores it unchanged, for everybody to see. It is no game of this service, and counts nowhere (TAB-IMP-06). With its
    certificate, the import also says which log vouches for it. Verifying takes some seconds. One export of yours is
    verified at a time, and 20 a day. Repeating the request changes nothing, also from another account: you get the
    import that is there.
    """
    request.read_query(Nothing)
    player, imports = request.signed_in.player, request.services.imports
    with imports.turn(player):
        wish = await request.read_body(_new_import)
        certificate = wish.certificate if wish.certificate is not UNSET else None
        policy = wish.policy if wish.policy is not UNSET else None
        try:
            row, is_new = await imports.bring(player, wish.export.encode(), certificate, policy)
        except Refusal as refusal:
            problem = refused(refusal, (common_rules(),))
            problem.kind = NOT_IMPORTED
            raise problem from None
    headers = {"Location": f"/v1/imports/{row.import_id}"}
    summary = import_summary(row, request.services.log_key)
    return answer(Imported(summary.id, summary.game, summary.provenance), 201 if is_new else 200, headers)


@endpoint("GET", "/v1/imports", tag="Imports", query=ImportsPage, answers=(Answer(200, "The imports.", ImportPage),))
async def list_imports(request: Call) -> Response[bytes]:
    """List imports.

    Games that other services recorded, the newest import first.
    """
    page, store = request.read_query(ImportsPage), request.services.store.imports
    after = read_cursor(page.cursor, str)
    if after is not None and await store.get(ImportId(after)) is None:
        raise UnknownCursor(after)
    entries = await store.list(
        player=PlayerId(page.player) if page.player is not None else None,
        ruleset=page.ruleset,
        after=ImportId(after) if after is not None else None,
        limit=page.limit + 1,
    )
    rows, more = first(entries, page.limit, lambda row: row.import_id)
    return answer(ImportPage(tuple(import_summary(row, request.services.log_key) for row in rows), more))


@endpoint(
    "GET",
    "/v1/imports/{imported:str}",
    tag="Imports",
    answers=(Answer(200, "The import.", ImportDetail),),
    problems=(UNKNOWN_IMPORT,),
)
async def show_import(request: Call, imported: str) -> Response[bytes]:
    """Show an import.

    Who vouches for it, what was verified, who played (as its issuer names the accounts) and how it ended.
    """
    request.read_query(Nothing)
    row = await request.services.imports.get(ImportId(imported))
    return answer(import_detail(row, request.services.log_key))


@endpoint(
    "DELETE",
    "/v1/imports/{imported:str}",
    tag="Imports",
    account="required",
    scopes=("organize", "admin"),
    answers=(Answer(204, "It is deleted."),),
    problems=(UNKNOWN_IMPORT, NOT_IMPORTER),
)
async def delete_import(request: Call, imported: str) -> Response[bytes]:
    """Delete an import.

    The account that imported it may do this, and administrators (TAB-IMP-07). It can be imported again. Repeating the
    request changes nothing.
    """
    request.read_query(Nothing)
    caller, imports = request.signed_in, request.services.imports
    row = await imports.get(ImportId(imported))
    if row.player != caller.player and "admin" not in caller.scopes:
        raise Problem(NOT_IMPORTER, "Another account brought this import.", f"Ask {row.player}, who brought it.")
    await imports.remove(row.import_id)
    return Response(b"", status_code=204)


@endpoint(
    "GET",
    "/v1/imports/{imported:str}/export",
    tag="Imports",
    headers=DOWNLOAD_HEADERS,
    answers=downloaded("The export.", NDJSON),
    problems=(UNKNOWN_IMPORT, RANGE_NOT_SATISFIABLE),
)
async def export_import(request: Call, imported: str) -> Response[bytes] | Stream:
    """Download the export of an imported game.

    Returns the same bytes that were imported. `tabularium verify` proves them offline.
    """
    request.read_query(Nothing)
    imports = request.services.imports
    content = await imports.content(await imports.get(ImportId(imported)))

    def make() -> list[bytes]:
        return [content[start : start + PIECE] for start in range(0, len(content), PIECE)]

    return await download(request, make, f'"{imported}"', request.media(NDJSON), saved_as(request, imported))


@endpoint(
    "GET",
    "/v1/imports/{imported:str}/events",
    tag="Imports",
    query=EventsPage,
    headers=("If-None-Match",),
    answers=(Answer(200, "The events.", EventPage, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_IMPORT,),
)
async def list_import_events(request: Call, imported: str) -> Response[bytes]:
    """List the events of an imported game.

    In the form of the events of a game of this service, with everything that was hidden.
    """
    page = request.read_query(EventsPage)
    game = await request.services.imports.opened(ImportId(imported))
    records, vault = await game.records(game.now.id, page.after, page.limit), await game.vault(game.now.id)
    events = tuple(event_view(game.now.ruleset.id, record, vault, _ALL) for record in records)
    more = bool(records) and records[-1].version < game.now.version
    return cacheable(request, encode(EventPage(events, records[-1].version if more else None)))


@endpoint(
    "GET",
    "/v1/imports/{imported:str}/state",
    tag="Imports",
    query=AtVersion,
    headers=("If-None-Match",),
    answers=(Answer(200, "The position.", StateView, headers=("ETag",)), STILL_THE_SAME),
    problems=_OF_IMPORTS,
)
async def show_import_state(request: Call, imported: str) -> Response[bytes]:
    """Show a position of an imported game.

    The last one, or that of any version, with everything that was hidden.
    """
    query = request.read_query(AtVersion)
    game = await request.services.imports.opened(ImportId(imported))
    at_version = await game.at(game.now.id, query.version) if query.version is not None else game.now
    view = at_version.view(None, await game.vault(game.now.id), everything=True)
    return cacheable(request, encode(state_view(at_version, _ALL, view)))


@endpoint(
    "GET",
    "/v1/imports/{imported:str}/board.svg",
    tag="Imports",
    query=AtVersion,
    headers=("If-None-Match",),
    answers=(Answer(200, "The picture.", str, SVG, headers=("ETag",)), STILL_THE_SAME),
    problems=(*_OF_IMPORTS, NO_MAP),
)
async def draw_import_board(request: Call, imported: str) -> Response[bytes]:
    """Draw a position of an imported game.

    The board with everything on it, the seats and the phase, at any version.
    """
    query, services = request.read_query(AtVersion), request.services
    game = await services.imports.opened(ImportId(imported))
    at_version = await game.at(game.now.id, query.version) if query.version is not None else game.now

    async def draw() -> bytes:
        sheet = sheet_of(at_version, services.drawings)
        marks = marks_of(at_version, _ALL, await game.vault(game.now.id), sheet.names)
        return picture(sheet, marks, at_version.heading or "Before the game", None).encode()

    svg = await services.gallery.picture(GameId(imported), at_version.version, _ALL, "svg", draw)
    headers: Mapping[str, str] = {**_REVALIDATED, "Content-Security-Policy": "default-src 'none'"}
    return cacheable(request, svg, request.media(SVG), headers)


@endpoint(
    "GET",
    "/v1/imports/{imported:str}/frames",
    tag="Imports",
    query=FramesPage,
    headers=("If-None-Match",),
    answers=(Answer(200, "The frames.", FramePage, headers=("ETag",)), STILL_THE_SAME),
    problems=_OF_IMPORTS,
)
async def list_import_frames(request: Call, imported: str) -> Response[bytes]:
    """List frames of an imported game.

    For moving through its versions, as in a game of this service.
    """
    query, services = request.read_query(FramesPage), request.services
    game = await services.imports.opened(ImportId(imported))
    current = game.now
    last = max(query.after, min(query.after + query.limit, current.version))

    async def draw() -> bytes:
        sheet = frame_sheet_of(current, services.drawings)
        key, frames_drawn = await frames(game, current, _ALL, sheet, query.after, last)
        return encode((key, frames_drawn))

    content = await services.gallery.picture(GameId(imported), last, _ALL, ("frames", query.after), draw)
    key, frames_drawn = msgspec.json.decode(content, type=tuple[Raw, Raw])
    next_after = last if last < current.version else None
    return cacheable(request, encode(FramePage(current.id, current.version, key, frames_drawn, next_after)))
