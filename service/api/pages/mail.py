"""The pages that links in e-mails lead to. A button does the act: programs open links, which must change nothing."""

from html import escape
from typing import Final

from litestar.handlers import get, post
from litestar.params import FromPath
from litestar.response import Response

from service.api.request import Call
from service.api.response import Answered

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    # The address is a secret.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@get("/email/confirm/{secret:str}")
async def show_confirming(request: Call, secret: FromPath[str]) -> Response[bytes]:
    """Show the page that asks whether an address wants notifications."""
    return _page("Confirm your e-mail address", "Have this address told what waits for you in Tabularium.", "Confirm")


@post("/email/confirm/{secret:str}", status_code=200)
async def confirm_address(request: Call, secret: FromPath[str]) -> Response[bytes]:
    """Confirm an address."""
    if await request.services.mailboxes.confirm(secret):
        return _page("Your e-mail address is confirmed", "From now on you are told by e-mail.")
    again = "It was for seven days. Enter your address again on the page of your account."
    return _page("This link does not work any more", again)


@get("/email/leave/{secret:str}")
async def show_leaving(request: Call, secret: FromPath[str]) -> Response[bytes]:
    """Show the page that asks whether to stop e-mail to an address."""
    return _page("Stop these e-mails", "Tabularium then sends nothing more to this address, and forgets it.", "Stop")


@post("/email/leave/{secret:str}", status_code=200)
async def leave_by_mail(request: Call, secret: FromPath[str]) -> Response[bytes]:
    """Send no more to an address (RFC 8058). A mail program may ask for it as well as the page."""
    await request.services.mailboxes.leave(secret)
    return _page("No more e-mails", "Tabularium sends nothing more to this address.")


def _page(title: str, text: str, button: str = "") -> Response[bytes]:
    form = f'<form method="post"><button class="strong">{escape(button)}</button></form>' if button else ""
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)} · Tabularium</title>'
        '<link rel="stylesheet" href="/viewer/styles/room.css"><link rel="stylesheet" href="/viewer/styles/people.css">'
        '</head><body class="people"><header class="page-header"><a class="home" href="/">'
        '<img src="/favicon.ico" alt="" width="22" height="22"><span>Tabularium</span></a></header>'
        f'<main id="people"><h1>{escape(title)}</h1><p>{escape(text)}</p>{form}'
        '<p><a href="/account">To your account</a></p></main></body></html>\n'
    )
    return Answered(page.encode(), 200, "text/html; charset=utf-8", _HEADERS)
