"""Downloads: large answers that clients can cache, get compressed, or resume (RFC 9110)."""

import asyncio
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from litestar.response import Response, Stream

from service.api.endpoint import JSON, Answer
from service.api.problems.problem import Problem
from service.api.problems.request import RANGE_NOT_SATISFIABLE
from service.api.request import Call
from service.api.response import Answered, takes_gzip, weak

DOWNLOAD_HEADERS: Final = ("If-None-Match", "Range", "If-Range")
"""The headers that an endpoint of downloads reads."""

STILL_THE_SAME: Final = Answer(304, "Unchanged: `If-None-Match` names the ETag.", headers=("ETag",))

PIECE: Final = 65_536
"""The bytes of a download that are made and sent at once, up to the end of a line. No more are in memory."""

_ONE_RANGE: Final = re.compile(r"bytes=[ \t]*(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))[ \t]*", re.IGNORECASE)


def cacheable(
    request: Call,
    content: bytes,
    media_type: str = JSON,
    headers: Mapping[str, str] = MappingProxyType({}),
    *,
    packs: bool = False,
) -> Answered:
    """Answer with content that can be cached, or with 304 if the client has it. Its ETag is a digest of the content.

    `packs` says that it compresses well, as in `Answered`.
    """
    tag = weak(f'"{hashlib.sha256(content).hexdigest()[:32]}"')
    headers = {"Cache-Control": "no-cache", **headers, "Vary": _by_encoding(headers), "ETag": tag}
    if request.has(tag):
        return Answered(b"", 304, media_type, headers)
    return Answered(content, 200, media_type, headers, packs=packs)


def _by_encoding(headers: Mapping[str, str]) -> str:
    return f"{headers['Vary']}, Accept-Encoding" if "Vary" in headers else "Accept-Encoding"


def downloaded(what: str, media: str) -> tuple[Answer, ...]:
    """Return the answers of an endpoint of downloads, for the contract."""
    return (
        Answer(200, what, str, media, headers=("ETag", "Accept-Ranges")),
        Answer(206, "The part of it that `Range` names.", str, media, headers=("ETag", "Content-Range")),
        STILL_THE_SAME,
    )


def saved_as(request: Call, name: str) -> Mapping[str, str]:
    """Return the headers of a file of JSON Lines.

    A browser may cache a file that it got without a token or session, and asks whether it is still the same.
    """
    caching = "no-cache" if request.caller is None else "no-store"
    return {"Cache-Control": caching, "Vary": "Accept", "Content-Disposition": f'attachment; filename="{name}.jsonl"'}


async def download(
    request: Call, make: Callable[[], Iterable[bytes]], tag: str, media_type: str, headers: Mapping[str, str]
) -> Response[bytes] | Stream:
    """Answer with the bytes that `make` yields (plain, compressed, or a part of them), or with 304.

    `tag` is a strong ETag, so for one `tag`, `make` always has to yield the same bytes. A range always counts plain
    bytes, because another version of zlib may compress differently. A request for several ranges gets the whole, as the
    RFC allows. Raises `Problem` for a range beyond the end.
    """
    packs = takes_gzip(request.scope)
    headers = {**headers, "Vary": _by_encoding(headers), "ETag": weak(tag) if packs else tag, "Accept-Ranges": "bytes"}
    if request.has(tag):
        return Answered(b"", 304, media_type, headers)
    if (ends := _requested_range(request, tag)) is not None:
        length = await asyncio.to_thread(lambda: sum(map(len, make())))
        span = _part(length, *ends)
        return _partial(_pieces(_cut(make(), span)), span, length, media_type, {**headers, "ETag": tag})
    if packs:
        return _stream_of(_packed(_pieces(make())), 200, media_type, {**headers, "Content-Encoding": "gzip"})
    return _stream_of(_pieces(make()), 200, media_type, headers)


async def download_file(
    request: Call, path: Path, tag: str, media_type: str, headers: Mapping[str, str]
) -> Response[bytes] | Stream:
    """Answer with a file that never changes (all of it, or a part, never compressed), or with 304.

    Raises `Problem` for a range beyond the end, and `OSError` when the file cannot be read.
    """
    headers = {**headers, "ETag": tag, "Accept-Ranges": "bytes"}
    if request.has(tag):
        return Answered(b"", 304, media_type, headers)
    length = (await asyncio.to_thread(path.stat)).st_size
    if (ends := _requested_range(request, tag)) is not None:
        span = _part(length, *ends)
        return _partial(_read(path, span), span, length, media_type, headers)
    return _stream_of(_read(path, range(length)), 200, media_type, {**headers, "Content-Length": str(length)})


def _read(path: Path, part: range) -> Iterator[bytes]:
    """Yield the bytes of a part of a file."""
    with path.open("rb") as file:
        file.seek(part.start)
        for start in range(part.start, part.stop, PIECE):
            yield file.read(min(PIECE, part.stop - start))


def _requested_range(request: Call, tag: str) -> tuple[int | None, int | None, int | None] | None:
    """Return the requested range: its first and last byte, or the number of bytes at the end; None for all."""
    match = _ONE_RANGE.fullmatch(request.header("range") or "")
    if match is None or request.header("if-range") not in (None, tag):
        return None
    first, last, suffix = (int(number) if number else None for number in match.groups())
    return (first, last, suffix) if first is None or last is None or first <= last else None


def _partial(pieces: Iterator[bytes], part: range, length: int, media_type: str, headers: Mapping[str, str]) -> Stream:
    extent = {"Content-Range": f"bytes {part.start}-{part.stop - 1}/{length}", "Content-Length": str(len(part))}
    return _stream_of(pieces, 206, media_type, {**headers, **extent})


def _stream_of(pieces: Iterator[bytes], status: int, media_type: str, headers: Mapping[str, str]) -> Stream:
    return Stream(pieces, status_code=status, media_type=media_type, headers=dict(headers))


def _part(length: int, first: int | None, last: int | None, suffix: int | None) -> range:
    """Return the requested range within `length` bytes. Raises `Problem` when it is empty."""
    start = first if first is not None else max(0, length - (suffix or 0))
    stop = length if last is None else min(length, last + 1)
    if start >= stop:
        raise Problem(
            RANGE_NOT_SATISFIABLE,
            f"The range begins at byte {start} of {length}.",
            f"Send a range that begins before byte {length}, or no Range header.",
            headers={"Content-Range": f"bytes */{length}"},
        )
    return range(start, stop)


def _cut(lines: Iterable[bytes], part: range) -> Iterator[bytes]:
    """Yield only the bytes of a part."""
    at = 0
    for line in lines:
        if at >= part.stop:
            return
        yield line[max(0, part.start - at) : part.stop - at]
        at += len(line)


def _pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in larger pieces: a thread makes each, and a single line is not worth the switch."""
    gathered = bytearray()
    for line in lines:
        gathered += line
        if len(gathered) >= PIECE:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(6, wbits=31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
