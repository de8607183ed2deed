"""Turns answers of the API about games into text, for a reader who does not see the board."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

LONGEST: Final = 12_000
"""The most characters of an answer: a longer one would fill a model's context."""

LARGEST_SCHEMA: Final = 2_000
"""The most characters of an option's schema in a list of options."""

Json = Mapping[str, Any]


def bounded(lines: Iterable[str], more: str = "Ask for less at once.") -> str:
    """Join lines to a text of at most `LONGEST` characters; `more` says how to see the rest."""
    text = "\n".join(lines)
    if len(text) <= LONGEST:
        return text
    beginning, _, _ = text[:LONGEST].rpartition("\n")
    return f"{beginning or text[:LONGEST]}\n[Cut off. {more}]"


def summary(game: Json) -> str:
    """Return a line about a game in a list."""
    seats = ", ".join(f"{each['seat']} {each['name'] or '(free)'}" for each in game["seats"])
    return f"{game['id']}  {game['ruleset']}, {game['status']}, version {game['version']}: {game['title']} [{seats}]"


def position(game: Json, marks: Json | None, events: Json) -> Iterator[str]:
    """Yield the visible position of a game: its state, the board, and its last events."""
    yield summary(game)
    if (result := game.get("result")) is not None:
        yield f"Over ({result['how']}). Winners: {', '.join(result.get('winners', ())) or 'nobody'}."
    yield from map(_question_in_words, game["decisions"])
    if marks is not None:
        yield marks["heading"]
        yield from map(_standing, marks["standings"])
        for shelf in marks["shelves"]:
            yield f"{shelf['title']}: {_listed(each.get('words') or each['kind'] for each in shelf['items'])}"
        yield "On the board, by area:"
        yield from (f"- {area}: {_place(place)}" for area, place in sorted(marks["places"].items()))
    yield "What happened last:"
    yield from sentences(events)


def _question_in_words(decision: Json) -> str:
    seats = ", ".join(decision["seats"])
    return f"Asked: {seats}: {decision['title']} [{decision['kind']}, rule {decision['rule']}]"


def _standing(seat: Json) -> str:
    figures = _listed(f"{name} {value}" for name, value in seat["figures"].items())
    items = _listed(each["words"] for each in seat.get("items", ()) if each.get("words"))
    turn = " (active)" if seat.get("active") else ""
    lines = [f"{seat['seat']}{turn}: {figures}; {items}{' ' + seat['out'] if seat.get('out') else ''}"]
    for nation in seat.get("nations") or ():
        words_of_nation = nation.get("words") or _listed(
            f"{name} {value}" for name, value in nation.get("figures", {}).items()
        )
        lines.append(f"  {nation['nation']}: {words_of_nation}")
    return "\n".join(lines)


def _place(place: Json) -> str:
    owner = place.get("nation") or place.get("owner")
    parts = [f"owner {owner}"] if owner else []
    parts += [place["words"]] if place.get("words") else []
    parts += [site["words"] for site in place.get("sites", ()) if site.get("words")]
    parts += [f"{stack.get('seat') or 'nobody'}: {stack['words']}" for stack in place.get("stacks", ())]
    parts += [place["battle"]] if place.get("battle") else []
    return "; ".join(parts) or "empty"


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "nothing"


def sentences(history: Json) -> Iterator[str]:
    """Yield a page of a history, line by line, each with its version."""
    for passage in history["items"]:
        if passage["heading"]:
            yield f"{passage['heading']}:"
        yield from (f"  {each['version']}: {each['text']}" for each in passage["sentences"])


def options(answer: Json) -> Iterator[str]:
    """Yield the options of a seat, numbered, each with the schema of its command unless that is large."""
    yield f"Version {answer['version']}, seat {answer['seat'] or 'none: this account has no seat here'}."
    yield from map(_question_in_words, answer["decisions"])
    for number, each in enumerate(answer["options"], 1):
        answers = f", answers {each['decision']}" if each.get("decision") else ""
        schema = schema_of(each)
        if len(schema) > LARGEST_SCHEMA:
            schema = f"(large schema: ask for option {number} alone)"
        title = each.get("title") or each["command"]
        yield f"{number}. {title} [{each['command']}{answers}, rule {each['rule']}] {schema}"


def schema_of(option: Json) -> str:
    """Return the schema of an option's command, without the keywords for maps."""
    return msgspec.json.encode({key: value for key, value in option["schema"].items() if key != "x-gesture"}).decode()


def rule(answer: Json) -> Iterator[str]:
    """Yield a rule with its source, and our ruling where the text is open."""
    yield f"{answer['id']}: {answer['title']}"
    yield answer["text"]
    if answer["ruling"]:
        yield f"Ruling: {answer['ruling']}"
    yield f"Source: {answer['source']}"


def refusal(problem: Json) -> str:
    """Return a problem as text: what was wrong, the rule that forbids it if there is one, and what would be right."""
    parts = [problem.get("detail") or problem.get("title") or ""]
    if problem.get("rule"):
        parts.append(f"Rule {problem['rule']}: {problem.get('rule_title', '')} ({problem.get('source', '')}).")
    if problem.get("allowed"):
        parts.append(problem["allowed"])
    return " ".join(filter(None, parts))
