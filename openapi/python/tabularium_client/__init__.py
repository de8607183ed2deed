"""A client of Tabularium: requests, streams, options, proofs. `openapi/README.md` has a table of what it offers."""

from tabularium_client.client import AsyncClient, Client
from tabularium_client.options import accepting, every, fault, fits, sample
from tabularium_client.problems import Gap, Lost, NotSignedIn, Problem, Refusal, Stale, TabulariumError
from tabularium_client.shapes import Decision, Event, Option, Options, Played, Secret, Waiting, is_known
from tabularium_client.signin import App, DeviceCode, SignIn, sign_in_by_device, sign_in_in_browser, sign_out, signed_in
from tabularium_client.streams import Frame
from tabularium_client.views import apply
from tabularium_client.webhooks import Forged, delivery

__all__ = [
    "App",
    "AsyncClient",
    "Client",
    "Decision",
    "DeviceCode",
    "Event",
    "Forged",
    "Frame",
    "Gap",
    "Lost",
    "NotSignedIn",
    "Option",
    "Options",
    "Played",
    "Problem",
    "Refusal",
    "Secret",
    "SignIn",
    "Stale",
    "TabulariumError",
    "Waiting",
    "accepting",
    "apply",
    "delivery",
    "every",
    "fault",
    "fits",
    "is_known",
    "sample",
    "sign_in_by_device",
    "sign_in_in_browser",
    "sign_out",
    "signed_in",
]
