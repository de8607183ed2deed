"""Options are understood as the rules mean them: what fits is accepted, and all that is drawn fits."""

import json
import re
from random import Random
from typing import Any, Final

import pytest

from domain.kernel.rules import schema
from domain.library import LIBRARY
from tests.clients import packed
from tests.clients.packed import Speaker
from tests.clients.sampling import count, offers
from tests.helpers.sampling import RUN, sampled
from tests.viewer.options import values

PLAYED: Final = sampled("options that clients draw from", LIBRARY.ids(), 1)
DRAWN: Final = 200
"""How many commands each package draws of a ruleset."""
SEED: Final = Random(RUN.seed).randrange(10**6)


@pytest.mark.parametrize("ruleset", PLAYED)
def test_every_command_that_is_drawn_is_accepted(package: Speaker, ruleset: str) -> None:
    drawn, wrong = count(package, ruleset, DRAWN, SEED)
    assert drawn >= DRAWN
    assert wrong == []


@pytest.mark.parametrize("ruleset", PLAYED)
def test_what_fits_is_what_fits_in_the_rules(package: Speaker, ruleset: str) -> None:
    rng, seen, tried = Random(SEED), set[str](), list[bool]()
    for offered in offers(ruleset, SEED):
        for option in offered.schemas:
            if (text := json.dumps(option)) in seen:
                continue
            seen.add(text)
            given = list(values(option, rng))
            right = [schema.matches(option, value) for value in given]
            faults = package.ask("fault", schema=option, values=given)
            assert [fault is None for fault in faults] == right, (option, given)
            assert all(re.match(r"^\$.*: .*\w", fault) for fault in faults if fault)
            tried += right
        if len(tried) > 10 * DRAWN:
            break
    assert len(tried) / 20 < sum(tried) < len(tried) * 0.9


@pytest.mark.parametrize("ruleset", PLAYED)
def test_small_options_are_listed_whole(package: Speaker, ruleset: str) -> None:
    rng, listed, looked = Random(SEED), 0, 0
    for offered in offers(ruleset, SEED):
        for option, all_of_it in zip(offered.schemas, package.ask("every", schemas=offered.schemas), strict=True):
            looked += 1
            if all_of_it is None:
                continue
            listed += 1
            assert 0 < len(all_of_it) <= 500
            assert all(schema.matches(option, value) for value in all_of_it)
            texts = [spelled(value) for value in all_of_it]
            assert len(set(texts)) == len(texts)
            assert {spelled(schema.sample(option, rng)) for _ in range(5)} <= set(texts)
        if looked > DRAWN:
            break
    assert listed > looked / 4


def spelled(value: Any) -> str:
    """Return a value as a text in which the order of a choice says nothing."""
    if isinstance(value, dict):
        return json.dumps({name: spelled(each) for name, each in sorted(value.items())})
    return json.dumps(sorted(map(spelled, value)) if isinstance(value, list) else value)


def guide() -> list[dict[str, Any]]:
    """Return the worked examples of the guide to options."""
    text = (packed.OPENAPI / "README.md").read_text()
    found = [json.loads(block) for block in re.findall(r'```json\n(\{"schema".*?)```', text, re.DOTALL)]
    assert len(found) >= 5
    return found


def test_the_examples_of_the_guide_fit_as_it_says(package: Speaker) -> None:
    for example in guide():
        fitting, others = example["fits"], example["does not fit"]
        faults = package.ask("fault", schema=example["schema"], values=[*fitting, *others])
        assert [fault is None for fault in faults] == [True] * len(fitting) + [False] * len(others)


def test_a_fault_says_where_it_is_and_what_would_be_right(package: Speaker) -> None:
    march = guide()[1]["schema"]
    leaders, legion = ["red-general-1"], {"type": "march", "to": "baetica"}
    given = [
        {"type": "march", "to": "roma", "leaders": leaders},
        {**legion, "leaders": leaders * 2},
        {**legion, "leaders": leaders, "units": {"infantry": 0}},
        {**legion, "leaders": leaders, "units": {"infantry": 8}},
        {**legion, "leaders": leaders, "units": {"elephants": 1}},
        legion,
    ]
    assert package.ask("fault", schema=march, values=given) == [
        '$.to: expected one of ["baetica","hispania"]',
        "$.leaders: expected each item once",
        "$.units.infantry: expected a whole number from 1 to 9",
        "$: units come to 8, expected 0 to 7",
        "$.units: expected no elephants",
        "$: expected leaders",
    ]


def option(**fields: Any) -> dict[str, Any]:
    """Return a schema in which every field may be left out."""
    return {"type": "object", "properties": fields, "required": [], "additionalProperties": False}


def test_each_value_of_a_small_option_is_as_likely(package: Speaker) -> None:
    choice = {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 0, "maxItems": 3}
    drawn = [spelled(value) for value in package.ask("sample", schemas=[option(some=choice)] * 1800, seed=7)]
    counts = [drawn.count(each) for each in set(drawn)]
    assert len(counts) == 9  # Eight choices, and the one that is left out.
    assert all(140 < each < 260 for each in counts)


def test_of_many_counts_most_are_left_out(package: Speaker) -> None:
    kinds = [f"kind-{number}" for number in range(20)]
    few = option(**{kind: {"type": "integer", "minimum": 1, "maximum": 9} for kind in kinds})
    few["x-total"] = {"of": kinds, "minimum": 1, "maximum": 3}
    drawn = package.ask("sample", schemas=[few] * 40, seed=7)
    assert all(schema.matches(few, value) for value in drawn)
    assert len({spelled(value) for value in drawn}) > 30
