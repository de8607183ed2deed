"""A bot for any ruleset, in Python: it answers whatever waits for its account, with commands drawn at random.

    python bot.py https://service.example TOKEN

The token needs the scope `play`. Seat the account in games; the bot plays them until its stream ends.
"""

import json
import random
import sys
import urllib.error
import urllib.request
from typing import Any

API, TOKEN = sys.argv[1:]


def request(path: str, body: Any = None, **headers: str) -> Any:
    """Return an open answer of the service. Raises `HTTPError`, whose body is a problem."""
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    sent = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(API + path, sent, headers))


# --- a command that fits the schema of an option ---


def drawn(schema: dict[str, Any], least: bool = False) -> Any:
    """Return a value that fits a schema, with the smallest numbers where `least`."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return random.choice(schema["enum"])
    match schema["type"]:
        case "integer":
            return schema["minimum"] if least else random.randint(schema["minimum"], schema["maximum"])
        case "boolean":
            return random.random() < 0.5
        case "array":
            items = list(schema.get("contains", {}).get("enum", ()))
            length = schema["minItems"] if least else random.randint(schema["minItems"], schema["maxItems"])
            for _ in range(1000):
                item = drawn(schema["items"])
                if len(items) < length and not (schema.get("uniqueItems") and item in items):
                    items.append(item)
            return items
        case "object":
            fields, needed = schema["properties"], schema["required"]
            value = {name: drawn(fields[name], least) for name in fields if name in needed or random.random() < 0.5}
            for _ in range(5000):
                if fits(value, schema):
                    break
                name = random.choice([*fields])
                if (value.pop(name, None) is None and random.random() < 0.4) or name in needed:
                    value[name] = drawn(fields[name], random.random() < 0.5)
            return value
    return ""


def amount(value: Any) -> int:
    """Return what a value counts: itself, its items, or the sum of its properties."""
    if isinstance(value, dict):
        return sum(map(amount, value.values()))
    return len(value) if isinstance(value, list) else value if isinstance(value, int) else 0


def fits(value: dict[str, Any], schema: dict[str, Any]) -> bool:
    """Tell whether an object fits the keywords that JSON Schema does not have; the contract defines them."""
    totals = schema.get("x-total", [])
    for total in [totals] if isinstance(totals, dict) else totals:
        times = amount(value.get(total["times"])) if "times" in total else 1
        if (
            not total.get("minimum", 0)
            <= sum(amount(value.get(each)) for each in total["of"])
            <= (total.get("maximum", 10**9) * times)
        ):
            return False
    cost, sums = schema.get("x-cost", {"prices": {}}), schema.get("x-sum", {})
    price = sum(amount(value.get(name)) * each for name, each in cost["prices"].items())
    within = cost.get("minimum", 0) <= price <= cost.get("maximum", 10**9)
    return within and sums.get("minimum", 0) <= amount(value) <= sums.get("maximum", 10**9)


# --- playing ---

for line in request("/v1/players/me/waiting/stream"):
    if not line.startswith(b"data:"):
        continue
    waiting = json.loads(line.removeprefix(b"data:"))
    game, version = f"/v1/games/{waiting['game']}", f'"{waiting["version"]}"'
    try:
        for asked in waiting["take_backs"]:
            request(f"{game}/take-backs/{asked['asked']}/answer", {"agrees": True})
        if waiting["decisions"]:
            options = json.load(request(f"{game}/options"))["options"]
            command = drawn(random.choice([each for each in options if each.get("decision")])["schema"])
            request(f"{game}/commands", {"command": command}, **{"If-Match": version})
    except (urllib.error.HTTPError, IndexError) as error:
        print(f"{game} at {version}: {error}", file=sys.stderr)  # it has moved on: another frame follows
