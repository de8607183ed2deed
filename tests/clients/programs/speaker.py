"""A program in an empty project with `tabularium-client`: it does what each line of its input says.

speaker.py python|asyncio HOURS
"""

import asyncio
import contextlib
import inspect
import json
import random
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import msgspec
import tabularium_client as package
from tabularium_client import AsyncClient, Client, Gap, Lost, NotSignedIn, Problem, Refusal, proof

KIND, HOURS = sys.argv[1], float(sys.argv[2])
_time = time.time
time.time = lambda: _time() + 3600 * HOURS


def client_of(asked: dict[str, Any]) -> Any:
    kind = AsyncClient if KIND == "asyncio" else Client
    quick = {"pause": 0.01} | asked.get("settings", {})
    token = package.signed_in(app_of(asked)) if "file" in asked else asked.get("token")
    return kind(asked["url"], token, **quick)


def chooser(counts: list[int]) -> Callable[[Any], Any]:
    """Answer a decision at random, and count how often it was asked."""

    def choose(options: Any) -> Any:
        counts.append(options.version)
        asked = [option for option in options.options if option.decision]
        return package.sample(random.choice(asked).schema) if asked else None

    return choose


def begun(client: Any, asked: dict[str, Any]) -> Any:
    """Return what the client gives for an action: a value, something to wait for, or something to go through."""
    version, key, given = asked.get("version"), asked.get("key"), asked.get("given", {})
    match asked["action"]:
        case "get":
            return client.get(asked["path"], **given)
        case "text":
            return client.text(asked["path"], **given)
        case "content":
            return client.content(asked["path"], **given)
        case "post":
            return client.post(asked["path"], asked.get("body"), version=version, key=key, **given)
        case "command":
            return client.command(asked["game"], asked["choice"], version=version, key=key)
        case "items":
            return client.items(asked["path"], **given)
        case "events":
            return client.events(asked["game"], asked.get("after"))
        case "waiting":
            return client.waiting()
        case "stream":
            return client.stream(asked["path"], last=asked.get("last"), **given)
        case other:
            raise ValueError(other)


def spoken(error: Exception) -> dict[str, Any]:
    said: dict[str, Any] = {"error": type(error).__name__, "message": str(error)}
    if isinstance(error, NotSignedIn):
        return said | {"why": error.error}
    if isinstance(error, Problem):
        said |= {"status": error.status, "type": error.type, "title": error.title, "allowed": error.allowed}
    if isinstance(error, Refusal):
        said |= {"rule": error.rule, "source": error.source}
    return said


def play(asked: dict[str, Any]) -> dict[str, Any]:
    """Answer for all seats of a game until it is over, or until `most` commands were given, and follow its chain."""
    game, url, most = asked["game"], asked["url"], asked.get("most") or sys.maxsize
    commands, ended, chain = [], [], proof.Chain(game)

    def answer(token: str) -> None:
        with Client(url, token) as client:
            for waiting in client.waiting():
                if ended:
                    return
                if waiting.decisions and client.decide(game, chooser([])):
                    commands.append(token)

    for token in asked["tokens"]:
        threading.Thread(target=answer, args=(token,), daemon=True).start()
    with Client(url) as spectator:
        for event in spectator.events(game, 0):
            chain.take(event)
            if len(commands) >= most:
                break
    ended.append(True)
    return {"commands": len(commands), "version": chain.version, "head": chain.head}


async def play_together(asked: dict[str, Any]) -> dict[str, Any]:
    """Do the same for `asyncio`."""
    game, url, most = asked["game"], asked["url"], asked.get("most") or sys.maxsize
    commands, chain = [], proof.Chain(game)

    async def answer(token: str) -> None:
        async with AsyncClient(url, token) as client:
            async for waiting in client.waiting():
                if waiting.decisions and await client.decide(game, chooser([])):
                    commands.append(token)

    seats = [asyncio.create_task(answer(token)) for token in asked["tokens"]]
    async with AsyncClient(url) as spectator:
        async for event in spectator.events(game, 0):
            chain.take(event)
            for task in seats:
                if task.done():
                    await task  # It says why.
            if len(commands) >= most:
                break
    for task in seats:
        task.cancel()
    return {"commands": len(commands), "version": chain.version, "head": chain.head}


def app_of(asked: dict[str, Any]) -> package.App:
    return package.App(asked["url"], "Board Room", asked.get("scope", "play"), Path(asked["file"]))


def decide(asked: dict[str, Any], path: str, **body: Any) -> Any:
    """Decide on the pages of the service, as the person who is asked."""
    headers = {"Authorization": f"Bearer {asked['person']}"}
    answer = httpx.post(f"{asked['url']}{path}", json=body | {"allow": asked["allow"]}, headers=headers)
    return answer.raise_for_status().json()


def signing(asked: dict[str, Any]) -> Any:
    """Sign somebody in or out, who decides at once; return how long was waited, and who they are."""
    waits: list[float] = []

    def visit(address: str) -> None:
        back = urlsplit(decide(asked, "/v1/authorization/decision", query=urlsplit(address).query)["address"])
        query = urlencode(dict(parse_qsl(back.query)) | asked.get("changed", {}))
        threading.Thread(target=httpx.get, args=(back._replace(query=query).geturl(),)).start()

    def show(code: package.DeviceCode) -> None:
        if "person" in asked:
            decide(asked, "/v1/authorization/device/decision", code=code.user_code)

    def waited(seconds: Any) -> None:
        waits.append(seconds)

    before, time.sleep = time.sleep, waited if asked["action"] == "sign-in-by-device" else time.sleep
    try:
        if asked["action"] == "sign-out":
            sign_in = package.signed_in(app_of(asked))
            assert sign_in is not None
            return package.sign_out(sign_in)
        if asked["action"] == "sign-in":
            package.sign_in_in_browser(app_of(asked), visit=visit)
        else:
            package.sign_in_by_device(app_of(asked), show)
    except (Problem, Lost) as error:
        return spoken(error)
    finally:
        time.sleep = before
    return {"waits": waits}


async def together(asked: dict[str, Any]) -> Any:
    """Ask many times at once who is signed in, by several clients; count how often tokens were asked for."""
    counted: list[str] = []

    def count(request: httpx.Request) -> None:
        counted.extend(["token"] * (request.url.path == "/oauth/token"))

    async def count_later(request: httpx.Request) -> None:
        count(request)

    def name(client: Any) -> Any:
        try:
            return client.get("/v1/players/me")["name"]
        except (Problem, Lost) as error:
            return spoken(error)

    async def name_later(client: Any) -> Any:
        try:
            return (await client.get("/v1/players/me"))["name"]
        except (Problem, Lost) as error:
            return spoken(error)

    async_http, http = (
        httpx.AsyncClient(event_hooks={"request": [count_later]}),
        httpx.Client(event_hooks={"request": [count]}),
    )
    settings = asked.get("settings", {}) | {"http": async_http if KIND == "asyncio" else http}
    clients = [client_of(asked | {"settings": settings}) for _ in range(asked["clients"])]
    chosen = [clients[number % len(clients)] for number in range(asked["many"])]
    if KIND == "asyncio":
        names = await asyncio.gather(*map(name_later, chosen))
    else:
        with ThreadPoolExecutor(len(chosen)) as pool:
            names = list(pool.map(name, chosen))
    return {"names": names, "refreshed": len(counted)}


async def impatient(asked: dict[str, Any]) -> Any:
    """Give a request up while it waits for a new token, and send it again with another client."""
    async with client_of(asked) as client:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(client.get("/v1/players/me"), 0.2)
    async with client_of(asked) as client:
        return (await client.get("/v1/players/me"))["name"]


async def acted(asked: dict[str, Any]) -> Any:
    """Do what is asked of the client."""
    client, got, counts = client_of(asked), [], []
    most = asked.get("most", sys.maxsize)
    try:
        if asked["action"] == "decide":
            given = client.decide(asked["game"], chooser(counts))
            return {"played": await given if inspect.isawaitable(given) else given, "asked": counts}
        given = begun(client, asked)
        if hasattr(given, "__anext__"):
            async for each in given:
                got.append(each)
                if len(got) == most:
                    break
            return got
        if hasattr(given, "__next__"):
            for each in given:
                got.append(each)
                if len(got) == most:
                    break
            return got
        return await given if inspect.isawaitable(given) else given
    except (Problem, Lost, Gap) as error:
        return spoken(error) | ({"got": got} if got else {})


def computed(asked: dict[str, Any]) -> Any:
    """Do what needs no service."""
    match asked["action"]:
        case "fault":
            return [package.fault(asked["schema"], value) for value in asked["values"]]
        case "every":
            return [package.every(schema) for schema in asked["schemas"]]
        case "sample":
            rng = random.Random(asked["seed"])
            return [package.sample(schema, rng) for schema in asked["schemas"]]
        case "known":
            return [package.is_known(msgspec.convert(each, package.Event)) for each in asked["events"]]
        case "verify":
            verdict = proof.verify(asked["text"], asked.get("ruleset"), asked.get("played"))
            return {name: getattr(verdict, name) for name in PROVED}
        case "certify":
            verdict = proof.verify(asked["text"])
            return [proof.certify(each, policy, verdict) for each, policy in asked["certificates"]]
        case "scene":
            SCENE[0] = asked["scene"]
            return None
        case "apply":
            try:
                SCENE[0] = package.apply(asked.get("scene", SCENE[0]), asked["frame"])
            except ValueError as error:
                return {"error": str(error)}
            return SCENE[0] == asked["expected"]
        case "delivery":
            try:
                return package.delivery(asked["secret"], asked["headers"], asked["body"], **asked.get("named", {}))
            except package.Forged as error:
                return {"error": str(error)}
        case "client":
            try:
                return AsyncClient(asked["url"], asked["token"]) and Client(asked["url"], asked["token"]) and None
            except ValueError as error:
                return str(error)
        case "chain":
            return chained(asked["game"], asked["events"])
        case other:
            raise ValueError(other)


PROVED = (
    *("ok", "problem", "version", "line", "game", "case", "ruleset", "status", "versions", "head", "commitment"),
    *("checked", "unchecked"),
)
NEEDS_NO_SERVICE = {
    "fault",
    "every",
    "sample",
    "known",
    "verify",
    "certify",
    "chain",
    "scene",
    "apply",
    "delivery",
    "client",
}
SIGNING = {"sign-in", "sign-in-by-device", "sign-out"}
WITH_MANY = {"together": together, "impatient": impatient}
SCENE: list[Any] = [None]


def chained(game: str, events: list[Any]) -> list[Any]:
    """Return the version and the head of the chain, and where it broke."""
    chain, broken = proof.Chain(game), None
    for event in events:
        try:
            chain.take(msgspec.convert(event, package.Event))
        except ValueError as error:
            broken = str(error)
            break
    return [chain.version, chain.head, broken]


for line in sys.stdin:
    asked = json.loads(line)
    if asked["action"] == "play":
        said = play(asked) if KIND == "python" else asyncio.run(play_together(asked))
    elif asked["action"] in SIGNING:
        said = signing(asked)
    elif asked["action"] in WITH_MANY:
        said = asyncio.run(WITH_MANY[asked["action"]](asked))
    else:
        said = computed(asked) if asked["action"] in NEEDS_NO_SERVICE else asyncio.run(acted(asked))
    sys.stdout.buffer.write(msgspec.json.encode(said) + b"\n")
    sys.stdout.buffer.flush()
