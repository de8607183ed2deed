"""A client of Tabularium: requests, streams, options, proofs. `openapi/README.md` has a table of what it offers."""

from tabularium_client.client import AsyncClient, Client
from tabularium_client.options import accepting, every, fault, fits, sample
from tabularium_client.problems import Gap, Lost, Problem, Refusal, Stale
from tabularium_client.shapes import Decision, Event, Option, Options, Played, Secret, Waiting, is_known
from tabularium_client.streams import Frame
from tabularium_client.views import apply
from tabularium_client.webhooks import Forged, delivery

__all__ = [
    "AsyncClient",
    "Client",
    "Decision",
    "Event",
    "Forged",
    "Frame",
    "Gap",
    "Lost",
    "Option",
    "Options",
    "Played",
    "Problem",
    "Refusal",
    "Secret",
    "Stale",
    "Waiting",
    "accepting",
    "apply",
    "delivery",
    "every",
    "fault",
    "fits",
    "is_known",
    "sample",
]
