"""A mail server on this machine, with the mailboxes that it keeps."""

import asyncio
import email
import email.policy
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.message import EmailMessage
from typing import Any, cast

from aiosmtpd.smtp import SMTP
from msgspec import Struct, field

from service.webhooks.mail import Server


class Post(Struct, eq=False):
    """A mail server: what it got, and what it answers by the recipient instead of taking something."""

    port: int = 0
    got: list[EmailMessage] = field(default_factory=list[EmailMessage])
    answers: dict[str, str] = field(default_factory=dict[str, str])
    senders: list[str] = field(default_factory=list[str])

    @property
    def server(self) -> Server:
        return Server("127.0.0.1", self.port, None, None, tls=False, sender="games@example.org")

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def to(self, address: str) -> list[EmailMessage]:
        return [each for each in self.got if each["To"] == address]

    # As aiosmtpd calls them.
    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 Fine"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if "data" in self.answers:
            return self.answers["data"]
        read = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.got.append(cast(EmailMessage, read))
        self.senders.append(envelope.mail_from)
        return "250 Fine"


@asynccontextmanager
async def posting() -> AsyncIterator[Post]:
    post = Post()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(post, enable_SMTPUTF8=True, loop=loop), "127.0.0.1", 0)
    post.port = server.sockets[0].getsockname()[1]
    try:
        yield post
    finally:
        server.close()


def text_of(message: EmailMessage) -> str:
    return message.get_content().replace("\r\n", "\n")
