"""Forms are made from options: what they take is what the kernel takes, in every ruleset."""

import random
from typing import Any

from domain.kernel.rules import schema
from tests.viewer.logic import evaluate
from tests.viewer.options import games, options, values

AGREE = """async (cases) => {
    const { matches, faults, initial, withoutUndefined, sums } = await import("/viewer/forms/schema.js");
    const wrong = [];
    for (const { option, tries } of cases) {
        for (const { value, fits } of tries) {
            if (matches(option, value) !== fits) wrong.push({ option, value, fits });
            for (const { message } of faults(option, value)) if (!/^[A-Z].*\\.$/s.test(message)) wrong.push(message);
        }
        for (const { message } of faults(option, withoutUndefined(initial(option)))) {
            if (!/^[A-Z].*\\.$/s.test(message)) wrong.push({ option, message });
        }
    }
    return wrong.slice(0, 3);
}"""


def test_what_fits_an_option_in_the_browser_is_what_fits_it_in_the_kernel() -> None:
    rng, cases, fitting = random.Random(5), list[dict[str, Any]](), 0
    for play in games():
        for option in options(play, rng):
            tries = [{"value": value, "fits": schema.matches(option, value)} for value in values(option, rng)]
            fitting += sum(each["fits"] for each in tries)
            cases.append({"option": option, "tries": tries})
    tried = sum(len(case["tries"]) for case in cases)
    assert fitting > tried / 10
    assert tried - fitting > tried / 10
    assert evaluate(AGREE, cases) == []
    print(f"{len(cases)} options, {tried} values, {fitting} of them fit")


def test_a_form_calls_things_by_the_names_of_the_ruleset() -> None:
    called = """async () => {
        const { Labels } = await import("/viewer/forms/labels.js");
        const names = { "western-romans": "Western Romans", roma: "Romans" };
        const labels = new Labels([{ id: "roma", name: "Roma" }], names);
        const ids = ["western-romans", "roma", "western-front", ["western-romans", "western-romans"]];
        return [...ids.map(labels.value), labels.field("western-romans"), labels.isArea("western-romans")];
    }"""
    names = ["Western Romans", "Roma", "Western Front", "2 × Western Romans", "Western Romans", False]
    assert evaluate(called) == names


def test_a_schema_that_no_option_has_is_refused() -> None:
    refused = """async () => {
        const { matches } = await import("/viewer/forms/schema.js");
        try { return matches({ type: "null" }, null); } catch (error) { return error.message; }
    }"""
    assert evaluate(refused) == "an option's schema cannot have the type null"
