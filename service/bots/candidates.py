"""Commands of movement that a bot compares, made from the schema of an option. `worth` says what a unit is worth."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from service.bots.bot import Command


def commands(form: Mapping[str, Any], worth: Mapping[str, float]) -> Iterator[Command]:
    """Yield commands of movement: each way, with all, some or one of the units. A few do not fit the schema."""
    fixed = {name: each["const"] for name, each in form["properties"].items() if "const" in each}
    choices = {name: each["enum"] for name, each in form["properties"].items() if "enum" in each}
    leaders = form["properties"].get("leaders")
    companies = [{"leaders": leaders["items"]["enum"]}] if leaders else [{}]
    if leaders and not leaders["minItems"]:
        companies.append({"leaders": []} if "leaders" in form["required"] else {})
    stacked = list(stacks(form["properties"].get("units", {"properties": {}})["properties"], worth))
    for choice in product(*choices.values()):
        for company in companies:
            for units in stacked if not company.get("leaders") else [*stacked, {}]:
                yield {**fixed, **dict(zip(choices, choice, strict=True)), **company, "units": units}


def stacks(kinds: Mapping[str, Mapping[str, int]], worth: Mapping[str, float]) -> Iterator[Mapping[str, int]]:
    """Yield stacks of all units, of all but one, and of one to five: the dearest ones first, then the cheapest."""
    for dearest in (True, False) if len(kinds) > 1 else (True,):
        units = [
            kind
            for kind in sorted(kinds, key=lambda each: worth.get(each, 0), reverse=dearest)
            for _ in range(kinds[kind]["maximum"])
        ]
        for number in {len(units), len(units) - 1, *range(1, min(len(units), 6))} - {0, -1}:
            yield dict(Counter(units[:number]))
