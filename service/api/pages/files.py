"""Static files: compressed once, with an ETag."""

import gzip
import hashlib
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from service.api.request import Call
from service.api.response import Answered, takes_gzip, weak

MEDIA: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "webp": "image/webp",
    "png": "image/png",
    "txt": "text/plain; charset=utf-8",
    "md": "text/plain; charset=utf-8",
}
ASKED_AGAIN: Final = "no-cache"
"""Browsers cache the file but ask each time, and get 304 until the file changes."""


class File(Struct, frozen=True):
    """A file, plain and compressed, with its digest."""

    content: bytes
    packed: bytes
    media_type: str
    digest: str

    @staticmethod
    def of(content: bytes, name: str) -> "File":
        """Return a file. The suffix of its name, such as `css`, decides its media type."""
        digest = hashlib.sha256(content).hexdigest()[:32]
        return File(content, gzip.compress(content, mtime=0), MEDIA[name.rpartition(".")[2]], digest)


def answer_file(request: Call, file: File, more: Mapping[str, str], cache_control: str = ASKED_AGAIN) -> Answered:
    """Answer with a file, or with 304 when the browser has it."""
    headers = {**more, "Cache-Control": cache_control, "Vary": "Accept-Encoding", "ETag": weak(f'"{file.digest}"')}
    if request.has(headers["ETag"]):
        return Answered(b"", 304, file.media_type, headers)
    if takes_gzip(request.scope):
        return Answered(file.packed, 200, file.media_type, {**headers, "Content-Encoding": "gzip"})
    return Answered(file.content, 200, file.media_type, headers)
