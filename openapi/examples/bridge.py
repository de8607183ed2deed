"""A chat bridge: it writes the events of a webhook to a club's channel as sentences, each event once.

    pip install tabularium-client
    SECRET=whsec_… python bridge.py https://service.example https://chat.example/hooks/7 8080

It listens on this machine; a web server with HTTPS passes the deliveries on. The chat takes `{"text": …}`.
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
from tabularium_client import Client, Forged, Lost, Problem, delivery

SERVICE, CHAT, PORT = sys.argv[1], sys.argv[2], int(sys.argv[3])
client = Client(SERVICE)
handled: set[str] = set()


def sentence(kind: str, data: dict[str, Any]) -> str:
    """Return the sentence about an event for the channel; an empty text for an event that is not announced there."""
    if "game" not in data:
        return ""
    game = client.get("/v1/games/{game}", game=data["game"])
    title, address = game["title"] or game["ruleset"], f"{SERVICE}/games/{data['game']}"
    match kind:
        case "seat.awaited":
            return f"{title}: it is the turn of {', '.join(data['seats'])}. {address}"
        case "game.started" | "game.ended":
            return f"{title} has {kind.removeprefix('game.')}. {address}"
        case _:
            return ""


class Bridge(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0)))))
        self.end_headers()

    def answer(self, body: bytes) -> int:
        """Handle a delivery, and return the HTTP status. After a 401 or 502 the service sends it again."""
        try:
            event = delivery(os.environ["SECRET"], dict(self.headers.items()), body)
            if self.headers["webhook-id"] not in handled and (text := sentence(event["type"], event["data"])):
                httpx.post(CHAT, json={"text": text}).raise_for_status()
        except Forged:
            return 401
        except (Problem, Lost, httpx.HTTPError):
            return 502
        handled.add(self.headers["webhook-id"])
        return 204


HTTPServer(("127.0.0.1", PORT), Bridge).serve_forever()
