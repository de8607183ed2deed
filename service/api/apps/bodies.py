"""The bodies about apps, for people who let apps in and for people who register them."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from service.accounts.apps.apps import Wanted
from service.accounts.apps.sites import LONGEST, shown_of
from service.api.bodies import Listed, Text
from service.base.scopes import Scope
from service.store.apps import AppId, AppRow, ClientId, ClientRow

Redirect = Annotated[str, Meta(min_length=1, max_length=LONGEST, description="an address that people are sent back to")]

Chosen = Annotated[tuple[Scope, ...], Meta(max_length=8)]


class AppQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The query with which an app sent a browser to `/authorize`.

    Attributes:
        query: the part of that address after the `?`.
    """

    query: Annotated[str, Meta(max_length=8192)]


class AppDecision(AppQuery, frozen=True, forbid_unknown_fields=True):
    """What somebody decided about an app.

    Attributes:
        allow: whether the app may do what it asks for.
        scopes: which of the requested scopes it gets; all, if absent. With an empty list it only learns who you are.
    """

    allow: bool
    scopes: Chosen | UnsetType = UNSET


class DeviceCode(Struct, frozen=True, forbid_unknown_fields=True):
    """A code that a device shows.

    Attributes:
        code: the code. Case, blanks and hyphens make no difference.
    """

    code: Text


class DeviceDecision(DeviceCode, frozen=True, forbid_unknown_fields=True):
    """What somebody decided about a device.

    Attributes:
        allow: whether the app on the device may do what it asks for.
        scopes: which of the requested scopes it gets; all, if absent. With an empty list it only learns who you are.
    """

    allow: bool
    scopes: Chosen | UnsetType = UNSET


class AppRequest(Struct, frozen=True):
    """What an app asks for.

    Attributes:
        client: its `client_id`, which a registered app got from the service and any other chose for itself.
        name: what it calls itself. Nobody has checked that.
        kind: what kind of app it is: `web` (a web site), `program` (on the person's computer), `app` (opened by a URL
            scheme) or `device`.
        site: its host or scheme, by which a person can recognize it; empty for a program or a device.
        registered: whether it is registered, so it has to prove by a secret that it is this app.
        scopes: what it wants to do. Without any, it only wants to know who you are.
        remembered: whether you allowed all of that before, and no other app can be at this site. Then you need not be
            asked again.
        error: why its request is refused; empty for a valid request.
        address: where the browser can go to tell the app about the error; empty without one.
    """

    client: ClientId
    name: str
    kind: Literal["web", "program", "app", "device"]
    site: str
    registered: bool
    scopes: tuple[Scope, ...]
    remembered: bool
    error: str
    address: str


class AppAddress(Struct, frozen=True):
    """Where the browser goes now.

    Attributes:
        address: the app's redirect address, with a code or an error.
    """

    address: str


class DeviceAnswer(Struct, frozen=True):
    """What was decided about a device, which hears of it when it asks again.

    Attributes:
        allowed: whether the app on it was let in.
    """

    allowed: bool


class LetInApp(Struct, frozen=True):
    """An app that you let in.

    Attributes:
        id: its id, by which you shut it out.
        client: its `client_id`.
        name: what it calls itself.
        kind: what kind of app it is; see `AppRequest`.
        site: its host or scheme; empty for a program or a device.
        scopes: what it may do.
        given: when you last let it in.
        used: when it was last used, to about a minute; null if never.
        sign_ins: how many of its sign-ins are still active.
        reused: when one of its refresh tokens came a second time, which ended that sign-in: somebody may have copied
            it. Null if that never happened, or you have let it in again since.
    """

    id: AppId
    client: ClientId
    name: str
    kind: Literal["web", "program", "app", "device"]
    site: str
    scopes: tuple[Scope, ...]
    given: str
    used: str | None
    sign_ins: int
    reused: str | None


class LetInApps(Listed[LetInApp], frozen=True):
    """Apps that you let in, the newest first."""


class NewClient(Struct, frozen=True, forbid_unknown_fields=True):
    """An app to register.

    Attributes:
        name: what it is called.
        redirects: the addresses to which people may be sent back.
    """

    name: Text
    redirects: Annotated[tuple[Redirect, ...], Meta(min_length=1, max_length=10)]


class RegisteredClient(Struct, frozen=True):
    """An app that you registered.

    Attributes:
        id: its `client_id`.
        name: what it is called.
        redirects: the addresses to which people may be sent back.
        created: when you registered it.
    """

    id: ClientId
    name: str
    redirects: tuple[str, ...]
    created: str


class IssuedClient(Struct, frozen=True):
    """A new registered app.

    Attributes:
        secret: its `client_secret`. It is shown only once and is not stored.
        client: the app.
    """

    secret: str
    client: RegisteredClient


class RegisteredClients(Listed[RegisteredClient], frozen=True):
    """Apps that you registered, the newest first."""


def wanted_view(request: Wanted) -> AppRequest:
    """Return the body of an app's request."""
    return AppRequest(
        request.client,
        request.name,
        request.site.kind,
        request.site.shown,
        request.is_registered,
        request.scopes,
        request.is_remembered,
        request.error,
        request.address,
    )


def app_view(row: AppRow) -> LetInApp:
    """Return the body of an app that somebody let in."""
    site = shown_of(row.site)
    times = (row.given, row.used, row.sign_ins, row.reused)
    return LetInApp(row.app, row.client, row.name, site.kind, site.shown, row.scopes, *times)


def client_view(row: ClientRow) -> RegisteredClient:
    """Return the body of a registered app."""
    return RegisteredClient(row.client, row.name, row.redirects, row.created)
