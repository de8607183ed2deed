"""Looking at webhooks and devices: whether their keys can be used, and how many deliveries wait."""

import stat
from typing import Final

from service.base.settings import Settings
from service.doctor.finding import Finding, fail, ok, one_line, warn
from service.store.protocol import StoreError
from service.store.webhooks import FORMS, HookStore
from service.webhooks.push import push_key
from service.webhooks.secrets import KeyUnusable, sealer, unreadable

_LOST: Final = (
    "Put the key back: a copy of `webhooks.key`, or what TABULARIUM_WEBHOOK_KEY was. Without it, the owners of these"
    " webhooks have to make them again. Games are not concerned."
)


async def examine(settings: Settings, store: HookStore) -> Finding:
    """Return the finding about webhooks. Nothing is changed, and no key is made."""
    try:
        sealing, rows = sealer(settings, make=False), await store.sealed()
        unreadable_rows = unreadable(sealing, rows) if sealing is not None else rows
        pushing = push_key(settings, make=False)
        waiting, first_due = await store.waiting()
    except KeyUnusable as error:
        return fail("webhooks", one_line(error), _LOST)
    except StoreError as error:
        return fail("webhooks", one_line(error), "See the other findings.")
    if unreadable_rows:
        return fail("webhooks", f"the secrets of {len(unreadable_rows)} webhooks cannot be decrypted", _LOST)
    if sealing is None and settings.database_url:
        remedy = (
            "Make a key with `tabularium webhooks key --to FILE`, and set TABULARIUM_WEBHOOK_KEY to what the file says,"
            " for all processes."
        )
        return warn("webhooks", "TABULARIUM_WEBHOOK_KEY is not set, so there are no webhooks", remedy)
    if pushing is None and settings.database_url:
        remedy = (
            "Make a key with `tabularium webhooks push-key --to FILE`, and set TABULARIUM_PUSH_KEY to what the file"
            " says, for all processes."
        )
        return warn("webhooks", "TABULARIUM_PUSH_KEY is not set, so nothing is pushed to browsers", remedy)
    files = ((settings.webhook_key, settings.webhook_key_file), (settings.push_key, settings.push_key_file))
    for key, file in files:
        if not key and file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
            return warn("webhooks", f"others may read {file}", f"chmod 600 {file}")
    if pushing is not None and settings.public and not settings.public_url:
        remedy = "Set TABULARIUM_PUBLIC_URL to the address at which people find the service."
        return warn("webhooks", "some push services refuse pushes that name no contact", remedy)
    if settings.outward == "anywhere" and settings.public:
        remedy = "Unset TABULARIUM_OUTWARD, unless you trust every account with your network."
        return warn("webhooks", "accounts may have requests sent anywhere in this network", remedy)
    devices = sum(row.form == "push" for row in rows)
    rows = [row for row in rows if row.form in FORMS]
    on = sum(row.status == "on" for row in rows)
    since = f", the first since {first_due}" if waiting else ""
    about_devices = f"; {devices} devices are told" if devices else ""
    return ok("webhooks", f"{on} of {len(rows)} webhooks are on; {waiting} deliveries wait{since}{about_devices}")
