"""Dumps: finished public games of each month in bulk, from the folder that ``tabularium dump`` fills."""

import asyncio
from typing import Final

from litestar.response import Response, Stream

from service.api.bodies import Nothing
from service.api.downloads import DOWNLOAD_HEADERS, STILL_THE_SAME, download_file
from service.api.dumps.bodies import DumpPage, DumpQuery, dump_view
from service.api.endpoint import Answer, endpoint
from service.api.paging import page_of
from service.api.problems.dumps import UNKNOWN_DUMP
from service.api.problems.problem import Problem
from service.api.problems.request import RANGE_NOT_SATISFIABLE, UNAVAILABLE
from service.api.request import OCTETS, Call
from service.api.response import answer
from service.dumps.index import DumpSet, DumpsUnreadable, known_index
from service.observe.logging import log

_LASTING: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
"""The cache header of files: the content under a name never changes."""


@endpoint(
    "GET",
    "/v1/dumps",
    tag="Log",
    query=DumpQuery,
    answers=(Answer(200, "The dumps.", DumpPage),),
)
async def list_dumps(request: Call) -> Response[bytes]:
    """List dumps.

    A dump has all finished public games of a ruleset that ended in a month: their exports as JSON Lines, which
    `tabularium verify` can read, and the tables `games`, `events`, `rolls`, `results` and `refusals` in Parquet. A
    month is added a few days after its end, and never changes. The guide to the data describes every column, and has
    examples of questions.
    """
    query = request.read_query(DumpQuery)
    sets = [
        each
        for each in reversed(await _sets(request))
        if query.ruleset in (None, each.ruleset) and query.month in (None, each.month)
    ]
    page_sets, more = page_of(sets, lambda each: f"{each.month} {each.ruleset}", query)
    return answer(DumpPage(tuple(map(dump_view, page_sets)), more))


@endpoint(
    "GET",
    "/v1/dumps/{file:str}",
    tag="Log",
    headers=DOWNLOAD_HEADERS,
    answers=(
        Answer(200, "The file.", bytes, OCTETS, headers=("ETag", "Accept-Ranges")),
        Answer(206, "The part of it that `Range` names.", bytes, OCTETS, headers=("ETag", "Content-Range")),
        STILL_THE_SAME,
    ),
    problems=(UNKNOWN_DUMP, RANGE_NOT_SATISFIABLE),
)
async def get_dump(request: Call, file: str) -> Response[bytes] | Stream:
    """Download a file of a dump.

    Take its address from the list. Its ETag is the first half of its SHA-256. With `Range` and `If-Range`, you can
    resume a broken download.
    """
    request.read_query(Nothing)
    dump_file = next((each for one in await _sets(request) for each in one.files if each.name == file), None)
    folder = request.services.settings.dumps
    if dump_file is None or folder is None:
        raise _unknown(file)
    headers = {**_LASTING, "Vary": "Accept", "Content-Disposition": f'attachment; filename="{file}"'}
    try:
        return await download_file(request, folder / file, f'"{dump_file.sha256[:32]}"', OCTETS, headers)
    except OSError as error:
        log.error("a dump cannot be read", file=str(folder / file), why=error.strerror)
        raise _unknown(file) from error


def _unknown(file: str) -> Problem:
    return Problem(UNKNOWN_DUMP, f"No dump has the file {file!r}.", UNKNOWN_DUMP.remedy)


async def _sets(request: Call) -> tuple[DumpSet, ...]:
    """Return the complete sets. Raises `Problem` when the index is damaged; the operator has to repair it."""
    folder = request.services.settings.dumps
    if folder is None:
        return ()
    try:
        return await asyncio.to_thread(known_index, folder)
    except DumpsUnreadable as error:
        log.error("dumps cannot be listed", why=str(error))
        raise Problem(UNAVAILABLE, "The index of the dumps cannot be read.", UNAVAILABLE.remedy) from error
