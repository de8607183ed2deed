"""Looking at the transparency log: its key, and whether the database has what was signed."""

import stat
from typing import Final

from domain.transparency.note import NoteError
from service.base.settings import Settings
from service.doctor.finding import Finding, fail, ok, one_line, warn
from service.store.protocol import StoreError
from service.store.transparency import TreeStore
from service.transparency.kept import Kept
from service.transparency.keys import KeyUnusable, present_key
from service.transparency.log import TransparencyLog
from service.transparency.sequencer import Rewound, check_signed

_REWOUND: Final = (
    "Put a newer copy of the database back, if there is one. Otherwise stop the service and run `tabularium"
    " transparency key`: a new log begins, whose name says where the old one ended. Tell those who follow it."
)


async def examine(settings: Settings, tree: TreeStore) -> Finding:
    """Return the finding about the log. Nothing is changed, and no key is made."""
    if not settings.transparency:
        return ok("transparency", "TABULARIUM_TRANSPARENCY is false: this process signs nothing")
    try:
        key = present_key(settings)
    except KeyUnusable as error:
        remedy = "Put the key back, or begin a new log with `tabularium transparency key`. Games are not concerned."
        return fail("transparency", one_line(error), remedy)
    if key is None and settings.database_url:
        remedy = (
            "Make a key with `tabularium transparency key NAME --to FILE`, and set TABULARIUM_LOG_KEY to what the file"
            " says, for all processes."
        )
        return warn("transparency", "TABULARIUM_LOG_KEY is not set, so nobody signs what happens in games", remedy)
    if key is None:
        return ok("transparency", "the key is made when the service starts")
    memory = Kept(settings.data, key.origin)
    try:
        head = await tree.head()
        signed = await check_signed(memory, TransparencyLog(tree), head.size if head is not None else 0)
    except Rewound as error:
        return fail("transparency", one_line(error), _REWOUND)
    except (StoreError, OSError, NoteError) as error:
        remedy = f"See the other findings. A damaged {memory.path.name} goes back to what a copy of it says."
        return fail("transparency", one_line(error), remedy)
    if not settings.log_key and stat.S_IMODE(settings.log_key_file.stat().st_mode) & 0o077:
        return warn("transparency", f"others may read {settings.log_key_file}", f"chmod 600 {settings.log_key_file}")
    size = signed.size if signed is not None else 0
    return ok("transparency", f"{key.origin} is signed up to entry {size}")
