"""The endpoints for devices that get the notices of an account as pushes."""

from typing import Annotated, Final

import msgspec
from litestar.response import Response
from msgspec import Meta, Struct

from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems.problem import Problem
from service.api.problems.request import INVALID_BODY
from service.api.problems.webhooks import BAD_TARGET, PUSH_OFF, TOO_MANY_DEVICES, UNKNOWN_DEVICE
from service.api.request import Call
from service.api.response import answer
from service.outward.addresses import BadTarget
from service.store.webhooks import HookId, HookRow
from service.webhooks.push import BadSubscription, Subscription

Endpoint = Annotated[
    str, Meta(min_length=1, max_length=2048, description="an address such as https://push.example.net/send/x7")
]
Key = Annotated[str, Meta(max_length=100, pattern=r"^[A-Za-z0-9_-]+=*$(?!\n)", description="bytes in base64url")]


class PushKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a browser, as it gives them.

    Attributes:
        p256dh: its public key, a point of P-256.
        auth: a secret of 16 bytes.
    """

    p256dh: Key
    auth: Key


class NewDevice(Struct, frozen=True, forbid_unknown_fields=True):
    """A subscription as a browser gives it: what `PushSubscription.toJSON()` returns.

    Attributes:
        endpoint: the address at the push service of the browser. It must begin with `https://` and lead to the public
            internet.
        keys: the keys with which pushes to it are encrypted.
        expiration_time: when the subscription ends, in milliseconds. Not used: the push service tells the end, too.
    """

    endpoint: Endpoint
    keys: PushKeys
    expiration_time: float | None = msgspec.field(default=None, name="expirationTime")


class Device(Struct, frozen=True):
    """A device that gets pushes.

    Attributes:
        id: its id.
        service: the host of its push service.
        mark: a digest of its endpoint, by which a browser recognizes itself: the first 40 hexadecimal digits of the
            SHA-256 of `push`, a zero byte and the endpoint.
        created: when it was added.
        active: whether the first push has reached it, which says that it was added. Nothing else is sent before.
    """

    id: HookId
    service: str
    mark: str
    created: str
    active: bool


class Devices(Struct, frozen=True):
    """The devices of an account that get pushes.

    Attributes:
        key: the public key of the service, which a browser takes as `applicationServerKey`; null if the service sends
            no pushes.
        items: the newest first.
    """

    key: str | None
    items: tuple[Device, ...]


_new: Final = msgspec.json.Decoder(NewDevice)


@endpoint(
    "GET",
    "/v1/notifications/push",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "Your devices.", Devices),),
)
async def list_devices(request: Call) -> Response[bytes]:
    """List the devices that get pushes.

    Also has the key with which a browser subscribes.
    """
    request.read_query(Nothing)
    devices = request.services.devices
    rows = await devices.of(request.signed_in.player)
    return answer(Devices(devices.key, tuple(map(_view, rows))))


@endpoint(
    "POST",
    "/v1/notifications/push",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    body=NewDevice,
    answers=(Answer(201, "The device.", Device),),
    problems=(BAD_TARGET, TOO_MANY_DEVICES, PUSH_OFF),
)
async def add_device(request: Call) -> Response[bytes]:
    """Add a device for pushes.

    Takes the subscription of a browser. The service then pushes to it (RFC 8030) the notices of your inbox, and that it
    is your turn, as far as the settings of your inbox allow. It does not push what you read within five seconds, or a
    turn that is over. What is sent is encrypted for this browser alone (RFC 8291), and signed with the key of the
    service (RFC 8292).

    The first push says that the device was added; others come only after it has arrived. A device gets at most 30
    pushes an hour. About seats that are offered to you, and games whose official you become, it gets at most five a
    day, one for each game. Once the push service answers 404 or 410, the device is removed.

    An account can have ten devices. Repeating the request changes nothing. If another account had added the browser, it
    now gets only your pushes. Pushes end when the session or token with which you added the device is revoked.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new)
    subscription = Subscription(wish.endpoint, wish.keys.p256dh, wish.keys.auth)
    caller = request.signed_in
    try:
        row = await request.services.devices.subscribe(caller.player, subscription, caller.token or "")
    except BadSubscription as error:
        right = "Send what `PushSubscription.toJSON()` returns."
        raise Problem(INVALID_BODY, str(error), right, path="$.keys") from None
    except BadTarget as error:
        raise Problem(BAD_TARGET, str(error), error.allowed, path="$.endpoint") from None
    return answer(_view(row), 201)


@endpoint(
    "DELETE",
    "/v1/notifications/push/{device:str}",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "The device.", Device),),
    problems=(UNKNOWN_DEVICE,),
)
async def remove_device(request: Call, device: str) -> Response[bytes]:
    """Remove a device.

    Pushes that wait for it are dropped. A repeated request is refused and changes nothing.
    """
    request.read_query(Nothing)
    return answer(_view(await request.services.devices.remove(request.signed_in.player, device)))


def _view(row: HookRow) -> Device:
    return Device(row.webhook, row.host, row.url, row.created, row.status == "on")
