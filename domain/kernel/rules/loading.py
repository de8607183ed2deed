"""Loading a catalogue from TOML and checking it, and the catalogue of the rules that hold in every game."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import RULE_ID, RuleId
from domain.kernel.rules.catalogue import (
    CHANGEABLE,
    Catalogue,
    CatalogueError,
    PlayerDecision,
    Rule,
    Source,
    UnknownRuleError,
    WorkedExample,
)

_CITATION = re.compile(r"(?P<key>[a-z0-9-]+)(?::(?P<first>[0-9]+)(?:-(?P<last>[0-9]+))?)?(?: § (?P<section>\S.*))?")
"""A citation: the key of a source, the lines if it is cited by line, and, if it helps readers, a section's heading."""
_PLACE_IN_DOCUMENT = re.compile(r"`\$\.(?P<table>\w+)\[(?P<index>[0-9]+)\](?P<rest>[^`]*)`")

_Entry = TypeVar("_Entry", Rule, WorkedExample, PlayerDecision)


def load(raw: bytes | str) -> Catalogue:
    """Return the catalogue in a TOML document. Raises `CatalogueError`, with one line, if it is not valid."""
    try:
        tables = msgspec.toml.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CatalogueError(_one_line(f"not a TOML document: {error}")) from None
    try:
        catalogue = msgspec.convert(tables, Catalogue)
    except msgspec.ValidationError as error:
        raise CatalogueError(_one_line(_with_entry_id(str(error), tables))) from None
    _check(catalogue)
    return _spelled_out(catalogue)


def check_options(catalogue: Catalogue, ruleset_id: str, setup: type[Struct]) -> None:
    """Raise `CatalogueError` unless a ruleset's set-up has every option of its rules, with the same default."""
    fields = {field.name: field.default for field in msgspec.structs.fields(setup)}
    for rule in catalogue.for_ruleset(ruleset_id):
        if rule.option and fields.get(rule.option) is not rule.default:
            found = f"is {fields[rule.option]} by default" if rule.option in fields else "is not there"
            expected = f"{rule.id} holds under option {rule.option}, {rule.default} by default"
            raise CatalogueError(f"{expected}; in the set-up of {ruleset_id} it {found}")


@cache
def common_rules() -> Catalogue:
    """Return the rules that hold in every game, whatever its ruleset."""
    return load(resources.files("domain.kernel.rules").joinpath("common.toml").read_bytes())


def _spelled_out(catalogue: Catalogue) -> Catalogue:
    """Fill in `applies` of all rules, examples and decisions, and `rulesets` of the earlier forms of rules."""
    not_based = tuple(ruleset_id for ruleset_id, edition in catalogue.rulesets.items() if edition.based_on is None)

    def with_rulesets(entry: _Entry, *rules: RuleId) -> _Entry:
        return replace(entry, applies=catalogue.holders(entry.applies, rules))

    def with_rulesets_of_earlier(rule: Rule) -> Rule:
        return replace(rule, earlier=tuple(replace(each, rulesets=each.rulesets or not_based) for each in rule.earlier))

    return replace(
        catalogue,
        rules=tuple(with_rulesets(with_rulesets_of_earlier(rule), rule.id) for rule in catalogue.rules),
        examples=tuple(with_rulesets(example, *example.rules) for example in catalogue.examples),
        decisions=tuple(with_rulesets(decision, *decision.rules) for decision in catalogue.decisions),
    )


def _with_entry_id(message: str, tables: Mapping[str, Any]) -> str:
    """Return the message of a decoder with the id of the wrong entry in place of its index.

    A reader cannot count to ``$.rule[217]``. An entry without an id is named by its number, from 1.
    """
    place = _PLACE_IN_DOCUMENT.search(message)
    if place is None:
        return message
    number = int(place["index"])
    entry: object = tables[place["table"]][number]
    name = cast(dict[str, object], entry).get("id") if isinstance(entry, dict) else None
    return message.replace(place[0], f"{place['table']} {name or f'number {number + 1}'}{place['rest']}")


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _check(catalogue: Catalogue) -> None:
    """Raise `CatalogueError` for the first fault that the types cannot show, such as a reference without a target."""
    _check_ids(catalogue)
    _check_editions(catalogue)
    _check_chapters(catalogue)
    for entry in (*catalogue.rules, *catalogue.examples):
        for citation in entry.source:
            _check_citation(entry.id, citation, catalogue.sources)
    for entry in (*catalogue.rules, *catalogue.examples, *catalogue.decisions):
        _check_rulesets(entry.id, entry.applies, catalogue)
    for difference in catalogue.differences:
        _check_rulesets(difference.id, difference.says, catalogue)
    for entry in (*catalogue.examples, *catalogue.differences, *catalogue.decisions):
        for rule_id in entry.rules:
            _existing(entry.id, rule_id, catalogue)
    for example in catalogue.examples:
        _check_rolls(example)
    _check_counterparts(catalogue)
    _check_earlier(catalogue)
    for rule in catalogue.rules:
        if (rule.option is None) != (rule.default is None):
            raise CatalogueError(f"{rule.id}: give both `option` and its `default`, or neither")


def _check_ids(catalogue: Catalogue) -> None:
    ids: set[str] = set()
    for entry in (*catalogue.rules, *catalogue.examples, *catalogue.differences, *catalogue.decisions):
        if not RULE_ID.fullmatch(entry.id):
            raise CatalogueError(f"{entry.id!r} is not an id of the form GAME-CHAPTER-01")
        if entry.id in ids:
            raise CatalogueError(f"{entry.id} is defined twice")
        ids.add(entry.id)


def _check_editions(catalogue: Catalogue) -> None:
    before: list[str] = []
    for ruleset_id, edition in catalogue.rulesets.items():
        base = edition.based_on
        if base is not None and base not in before:
            raise CatalogueError(f"{ruleset_id} is based on {base!r}; before it there is {', '.join(before) or 'none'}")
        for rule_id in edition.without:
            rule = _existing(ruleset_id, rule_id, catalogue)
            if ruleset_id in rule.applies or base not in catalogue.holders(rule.applies, (rule_id,)):
                raise CatalogueError(
                    f"{ruleset_id} is without {rule_id}, which it would not have from {base or 'another'}"
                )
        before.append(ruleset_id)


def _check_chapters(catalogue: Catalogue) -> None:
    for rule in catalogue.rules:
        if rule.chapter not in catalogue.chapter_titles:
            raise CatalogueError(f"{rule.id}: chapter {rule.chapter} has no title")
    for empty in catalogue.chapter_titles.keys() - {rule.chapter for rule in catalogue.rules}:
        raise CatalogueError(f"chapter {empty} has no rule")


def _check_citation(entry_id: RuleId, citation: str, sources: Mapping[str, Source]) -> None:
    parts = _CITATION.fullmatch(citation)
    if parts is None:
        raise CatalogueError(f"{entry_id}: {citation!r} is not a citation of the form source:first-last § section")
    source = sources.get(parts["key"])
    if source is None:
        raise CatalogueError(f"{entry_id}: no source {parts['key']!r}; there is {', '.join(sources)}")
    if (source.lines is None) != (parts["first"] is None):
        expected = "as a whole" if source.lines is None else "by line"
        raise CatalogueError(f"{entry_id}: {citation!r}: source {parts['key']} is cited {expected}")
    if source.lines is None:
        return
    first = int(parts["first"])
    last = int(parts["last"] or first)
    if not 1 <= first <= last <= source.lines:
        raise CatalogueError(f"{entry_id}: {citation!r}: source {parts['key']} has lines 1-{source.lines}")


def _check_rulesets(entry_id: RuleId, rulesets: Iterable[str], catalogue: Catalogue) -> None:
    for ruleset_id in rulesets:
        if ruleset_id not in catalogue.rulesets:
            rulesets_here = ", ".join(catalogue.rulesets)
            raise CatalogueError(f"{entry_id}: ruleset {ruleset_id!r} is not one of {rulesets_here}")


def _check_rolls(example: WorkedExample) -> None:
    for roll in example.rolls:
        if sum(roll.faces.values()) > roll.dice:
            raise CatalogueError(f"{example.id}: {roll.by} shows more faces than {roll.dice} dice have")


def _check_earlier(catalogue: Catalogue) -> None:
    for rule in catalogue.rules:
        for earlier in rule.earlier:
            _check_rulesets(rule.id, earlier.rulesets, catalogue)
            for citation in earlier.source:
                _check_citation(rule.id, citation, catalogue.sources)
            if earlier.absent == any(getattr(earlier, name) for name in CHANGEABLE):
                where = f"{rule.id}, earlier until version {earlier.until}"
                raise CatalogueError(f"{where}: give either `absent` or the fields that differed")


def _check_counterparts(catalogue: Catalogue) -> None:
    for rule in catalogue.rules:
        for other in rule.differs_from:
            if rule.id not in _existing(rule.id, other, catalogue).differs_from:
                raise CatalogueError(f"{rule.id} differs from {other}, but {other} does not say so")


def _existing(entry_id: str, rule_id: RuleId, catalogue: Catalogue) -> Rule:
    try:
        return catalogue.rule(rule_id)
    except UnknownRuleError as error:
        raise CatalogueError(f"{entry_id}: {error}") from None
