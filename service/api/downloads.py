"""Downloads: large answers that a client keeps, takes packed, or takes up where it broke off (RFC 9110)."""

import asyncio
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
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

STILL_THE_SAME: Final = Answer(304, "It is still what the ETag in `If-None-Match` names.", headers=("ETag",))

PIECE: Final = 65_536
"""Bytes that are made and sent at once, but for the rest of a line: so much of a download is in memory."""

_ONE_RANGE: Final = re.compile(r"bytes=[ \t]*(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))[ \t]*", re.IGNORECASE)


def kept(
    request: Call,
    content: bytes,
    media_type: str = JSON,
    headers: Mapping[str, str] = MappingProxyType({}),
    *,
    packs: bool = False,
) -> Answered:
    """Answer with what everybody sees alike and may keep: its ETag is its digest, and a client that has it gets 304."""
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

    A browser may keep it for the next request, unless a token was sent for it.
    """
    kept = "no-cache" if request.caller is None else "no-store"
    return {"Cache-Control": kept, "Vary": "Accept", "Content-Disposition": f'attachment; filename="{name}.jsonl"'}


async def download(
    request: Call, make: Callable[[], Iterable[bytes]], tag: str, media_type: str, headers: Mapping[str, str]
) -> Response[bytes] | Stream:
    """Answer with the bytes that `make` yields, each time the same for a strong ETag `tag`: all, packed, or a part.

    A part is one of the unpacked bytes, also for a client that takes packed ones: only these are the same for ever.
    Several ranges in one request get the whole, as the RFC allows. Raises `Problem` for a range beyond the end.
    """
    packs = takes_gzip(request.scope)
    headers = {**headers, "Vary": _by_encoding(headers), "ETag": weak(tag) if packs else tag, "Accept-Ranges": "bytes"}
    if request.has(tag):
        return Answered(b"", 304, media_type, headers)
    asked = _ONE_RANGE.fullmatch(request.header("range") or "")
    if asked is not None and request.header("if-range") in (None, tag):
        first, last, suffix = (int(number) if number else None for number in asked.groups())
        if first is None or last is None or first <= last:
            length = await asyncio.to_thread(lambda: sum(map(len, make())))
            found = _part(length, first, last, suffix)
            headers |= {"ETag": tag, "Content-Range": f"bytes {found.start}-{found.stop - 1}/{length}"}
            headers["Content-Length"] = str(len(found))
            return _sent(_pieces(_cut(make(), found)), 206, media_type, headers)
    if packs:
        return _sent(_packed(_pieces(make())), 200, media_type, {**headers, "Content-Encoding": "gzip"})
    return _sent(_pieces(make()), 200, media_type, headers)


def _sent(pieces: Iterator[bytes], status: int, media_type: str, headers: Mapping[str, str]) -> Stream:
    return Stream(pieces, status_code=status, media_type=media_type, headers=dict(headers))


def _part(length: int, first: int | None, last: int | None, suffix: int | None) -> range:
    """Return the bytes that are asked for, of `length`. Raises `Problem` when there are none."""
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
    """Yield the same bytes in larger pieces: each is made in a thread, which is not worth its while for a line."""
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
