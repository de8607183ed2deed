"""Looking at webhooks: whether their key decrypts what is stored, and what waits."""

import stat
from typing import Final

from service.base.settings import Settings
from service.doctor.finding import Finding, fail, ok, one_line, warn
from service.store.protocol import StoreError
from service.store.webhooks import HookStore
from service.webhooks.secrets import KeyUnusable, sealer, unreadable

_LOST: Final = (
    "Put the key back: a copy of `webhooks.key`, or what TABULARIUM_WEBHOOK_KEY was. Without it, the owners of these"
    " webhooks have to make them again. Games are not concerned."
)


async def examine(settings: Settings, store: HookStore) -> Finding:
    """Return what there is to say of webhooks; nothing is changed, and no key is made."""
    try:
        sealing, rows = sealer(settings, make=False), await store.sealed()
        lost = unreadable(sealing, rows) if sealing is not None else rows
        waiting, due = await store.waiting()
    except KeyUnusable as error:
        return fail("webhooks", one_line(error), _LOST)
    except StoreError as error:
        return fail("webhooks", one_line(error), "See the other findings.")
    if lost:
        return fail("webhooks", f"the secrets of {len(lost)} webhooks cannot be decrypted", _LOST)
    if sealing is None and settings.database_url:
        remedy = (
            "Make a key with `tabularium webhooks key --to FILE`, and set TABULARIUM_WEBHOOK_KEY to what the file says,"
            " for all processes."
        )
        return warn("webhooks", "TABULARIUM_WEBHOOK_KEY is not set, so there are no webhooks", remedy)
    file = settings.webhook_key_file
    if not settings.webhook_key and file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
        return warn("webhooks", f"others may read {file}", f"chmod 600 {file}")
    if settings.outward == "anywhere" and settings.public:
        remedy = "Unset TABULARIUM_OUTWARD, unless you trust every account with your network."
        return warn("webhooks", "accounts may have requests sent anywhere in this network", remedy)
    on = sum(row.status == "on" for row in rows)
    since = f", the first since {due}" if waiting else ""
    return ok("webhooks", f"{on} of {len(rows)} webhooks are on; {waiting} deliveries wait{since}")
