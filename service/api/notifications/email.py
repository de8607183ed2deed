"""The endpoints for e-mails that tell an account what waits for it."""

from typing import Annotated, Final, Literal

import msgspec
from litestar.response import Response
from msgspec import Meta, Struct

from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems.webhooks import MAIL_OFF, TOO_MANY_CONFIRMATIONS
from service.api.request import Call
from service.api.response import answer
from service.webhooks.mailboxes import Told

Address = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$(?!\n)",
        description="an e-mail address such as ann@example.org",
    ),
]


class EmailWish(Struct, frozen=True, forbid_unknown_fields=True):
    """The e-mails that you want.

    Attributes:
        address: where to send them. Absent: the present address.
        turns: whether you get one when it is your turn.
        daily: whether you get one a day with what waits for you, if anything does.
    """

    address: Address | None = None
    turns: bool = True
    daily: bool = False


class EmailSettings(Struct, frozen=True):
    """Your settings for e-mail.

    Attributes:
        available: whether this service sends e-mail.
        address: the first letter and the host of your address; null when there is none.
        status: `new` until you have confirmed the address: until then nothing else is sent. Then `on`, or `off` when
            its mail server refuses our e-mail for good; null when there is none.
        turns: whether you get an e-mail when it is your turn.
        daily: whether you get one a day with what waits for you.
    """

    available: bool
    address: str | None
    status: Literal["new", "on", "off"] | None
    turns: bool
    daily: bool


_wish: Final = msgspec.json.Decoder(EmailWish)


@endpoint(
    "GET",
    "/v1/notifications/email",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "Your settings for e-mail.", EmailSettings),),
    problems=(MAIL_OFF,),
)
async def show_email(request: Call) -> Response[bytes]:
    """Show your settings for e-mail.

    Of your address, you only see the first letter and the host.
    """
    request.read_query(Nothing)
    mailboxes = request.services.mailboxes
    settings = await mailboxes.of(request.signed_in.player) if mailboxes.sends else None
    return answer(_view(request, settings))


@endpoint(
    "PUT",
    "/v1/notifications/email",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    body=EmailWish,
    answers=(Answer(200, "Your settings for e-mail.", EmailSettings),),
    problems=(MAIL_OFF, TOO_MANY_CONFIRMATIONS),
)
async def change_email(request: Call) -> Response[bytes]:
    """Get notices by e-mail.

    A new address gets an e-mail with a link, which confirms it within seven days. Until then nothing else is sent
    there. At most three such e-mails a day are sent for an account, and to an address.

    Ten minutes after it became your turn, you get an e-mail if it still is and you have not read of it: at most one an
    hour for each game. The digest comes once a day, from 7:00 UTC on. You get at most 20 e-mails a day. The settings of
    your inbox hold here, too. Every e-mail has a link that stops all further ones, without signing in (RFC 8058). If
    the mail server of your address refuses it for good, e-mail is switched off; `mail_refused` in the state of your
    inbox says so.

    Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    wish, player = await request.read_body(_wish), request.signed_in.player
    settings = await request.services.mailboxes.change(player, wish.address, turns=wish.turns, daily=wish.daily)
    return answer(_view(request, settings))


@endpoint(
    "DELETE",
    "/v1/notifications/email",
    tag="Notifications",
    account="required",
    scopes=("notify",),
    answers=(Answer(200, "Your settings for e-mail.", EmailSettings),),
)
async def remove_email(request: Call) -> Response[bytes]:
    """Stop notices by e-mail.

    Your address is deleted at once. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    await request.services.mailboxes.remove(request.signed_in.player)
    return answer(_view(request, None))


def _view(request: Call, settings: Told | None) -> EmailSettings:
    available = request.services.mailboxes.sends
    if settings is None:
        return EmailSettings(available, None, None, turns=False, daily=False)
    return EmailSettings(available, settings.hint, settings.row.status, settings.turns, settings.daily)
