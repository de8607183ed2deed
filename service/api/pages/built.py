"""Pages that tools make from the client packages, if an operator has built them by `deploy/pages.sh`.

They are the documentation of both packages, by pdoc and typedoc, and the map client of the examples with its package.
"""

import asyncio
import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from litestar.handlers import get
from litestar.params import FromPath
from litestar.response import Response

from service.api.pages.files import MEDIA, File, answer_file
from service.api.problems.problem import Problem
from service.api.problems.request import UNKNOWN_PATH
from service.api.request import Call

PACKAGES: Final = ("python", "typescript")

_POLICY: Final = (
    "default-src 'self'; script-src {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_INLINE: Final = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)


@get([*(f"/docs/{package}/{{path:path}}" for package in PACKAGES), "/examples/{path:path}"])
async def show_built_page(request: Call, path: FromPath[str]) -> Response[bytes]:
    """Show a page of the documentation of a client package, or an example that runs in the browser."""
    folder, address = request.services.settings.pages, request.url.path
    entry = await asyncio.to_thread(_file_at, folder, address.removeprefix("/")) if folder is not None else None
    if entry is None:
        raise Problem(UNKNOWN_PATH, f"The service has no {address!r}.", "See /docs.")
    file, policy = entry
    return answer_file(request, file, {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"})


def is_built(folder: Path | None, package: str) -> bool:
    """Tell whether the documentation of a package was built."""
    return folder is not None and (folder / "docs" / package / "index.html").is_file()


def _file_at(folder: Path, path: str) -> tuple[File, str] | None:
    """Return a file of the folder, and its Content-Security-Policy; None if the folder has no such file."""
    try:
        within, target = folder.resolve(), (folder / path).resolve()
        if target.is_relative_to(within) and target.suffix[1:] in MEDIA and target.is_file():
            return _read(target, target.stat().st_mtime_ns)
    except (OSError, ValueError):  # a name that no file can have
        pass
    return None


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> tuple[File, str]:
    file = File.of(path.read_bytes(), path.name)
    # The tools write scripts into their pages. The policy allows these and no other inline scripts.
    scripts = " ".join(["'self'", *map(_hash_of, _INLINE.findall(file.content))])
    return file, _POLICY.format(scripts=scripts)


def _hash_of(script: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
