"""The rule catalogue: numbered statements of a game's rules, as data that refusals, options and tests can name.

A catalogue is a TOML document: ``id``, ``version``, ``[rulesets]``, one ``[sources.<key>]`` per cited text,
``[chapters]`` with their titles in order, then ``[[rule]]``, ``[[worked_example]]``, ``[[edition_difference]]``
and ``[[player_decision]]``. ``loading.load`` reads it and refuses anything else; ``coverage.coverage`` says which rules
have a test.

An entry holds in all rulesets of its catalogue, or in those that it names in ``applies``.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.kernel.ids import RuleId

EVERY_RULESET = "*"
"""The ruleset id of a catalogue whose rules hold in every ruleset."""

Line = Annotated[str, Meta(min_length=1, pattern=r"\S")]
"""A text that is not blank."""

Status = Literal["rule", "faq", "clarification", "house"]
"""Where a statement is from: the rule book, its official FAQ, unofficial advice (``clarification``), or an optional
rule (``house``)."""


class CatalogueError(Exception):
    """A catalogue that cannot be used, or a question it cannot answer; the message is one line."""


class UnknownRuleError(CatalogueError, KeyError):
    """No rule of the catalogue has this id; the message names the ids that come close."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


class Edition(Struct, frozen=True, forbid_unknown_fields=True):
    """A ruleset of a catalogue.

    Attributes:
        based_on: a ruleset that the catalogue names before this one; its rules hold here, too.
        without: the rules of `based_on` that do not hold here.
    """

    based_on: Line | None = None
    without: tuple[RuleId, ...] = ()


class Source(Struct, frozen=True, forbid_unknown_fields=True):
    """A text that rules cite.

    ``lines`` and ``sha256`` identify the plain-text form whose lines the citations count, from 1.
    A source without ``lines`` is cited as a whole.
    """

    title: Line
    cited_as: Line
    language: Line
    lines: Annotated[int, Meta(ge=1)] | None = None
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None


class Earlier(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule in earlier versions of a ruleset; fields that are left out were the same as now.

    Attributes:
        until: the last version that had the rule in this form.
        rulesets: the rulesets to which `until` refers. When the file names none, ``load`` fills in all rulesets that
            are not based on another one; the others began with the present form.
        absent: whether those versions did not have the rule.
    """

    until: Annotated[int, Meta(ge=1)]
    rulesets: tuple[Line, ...] = ()
    absent: bool = False
    title: Line | None = None
    text: Line | None = None
    source: tuple[str, ...] = ()
    ambiguity: Line | None = None
    ruling: Line | None = None
    decision: Line | None = None


class Rule(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One numbered statement. ``ambiguity`` is what the source leaves open, and ``ruling`` how we decide it.

    Attributes:
        status: what kind of statement it is.
        option: the field of the ruleset's set-up that must be true for the rule to hold; None when it always holds.
        default: whether that field is true unless the creator of a game chooses otherwise.
        decision: the choice that the rule gives a player, in words.
        differs_from: its counterparts in other rulesets.
    """

    id: RuleId
    applies: Annotated[tuple[str, ...], Meta(min_length=1)] = ()
    status: Status = "rule"
    option: Line | None = None
    default: bool | None = None
    title: Line
    text: Line
    source: Annotated[tuple[str, ...], Meta(min_length=1)]
    ambiguity: Line | None = None
    ruling: Line | None = None
    decision: Line | None = None
    differs_from: tuple[RuleId, ...] = ()
    earlier: tuple[Earlier, ...] = ()

    def at(self, ruleset_id: str, version: int) -> "Rule | None":
        """Return the rule in a version of a ruleset; None when that version does not have it."""
        for earlier in sorted(self.earlier, key=lambda each: each.until):
            if version <= earlier.until and ruleset_id in earlier.rulesets:
                changes = {name: getattr(earlier, name) for name in CHANGEABLE if getattr(earlier, name)}
                return None if earlier.absent else replace(self, **changes)
        return self

    @property
    def chapter(self) -> str:
        """The chapter that the id names: ``MOV`` of ``CC-MOV-03``."""
        return self.id.split("-")[1]

    @property
    def is_our_ruling(self) -> bool:
        """Whether the rule rests on a ruling of this project, not on the source alone."""
        return self.ruling is not None and self.ruling.lower().startswith("ours")

    @property
    def standing(self) -> str:
        """What kind of statement it is and when it holds, in words; empty for a plain rule that always holds."""
        under = f"only with the option {self.option}, {'on' if self.default else 'off'} by default"
        return ", ".join(filter(None, (_IN_WORDS[self.status], under if self.option else "")))

    def holds_in(self, ruleset_id: str) -> bool:
        return ruleset_id in self.applies or EVERY_RULESET in self.applies


CHANGEABLE: Final = ("title", "text", "source", "ambiguity", "ruling", "decision")
"""The fields of a rule that may have been different in an earlier version."""


_IN_WORDS: Final[Mapping[Status, str]] = {
    "rule": "",
    "faq": "official FAQ",
    "clarification": "clarification",
    "house": "house rule",
}


class Roll(Struct, frozen=True, forbid_unknown_fields=True):
    """One roll of a worked example: ``faces`` has how often each face came up. Dice that it leaves out are misses."""

    by: Line
    dice: Annotated[int, Meta(ge=1)]
    faces: Mapping[str, Annotated[int, Meta(ge=0)]]
    round: Annotated[int, Meta(ge=1)] | None = None
    hits: Annotated[int, Meta(ge=0)] | None = None


class WorkedExample(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A position, what the players choose and what follows. ``derived``: no source prints it; we derived it."""

    id: RuleId
    title: Line
    applies: Annotated[tuple[str, ...], Meta(min_length=1)] = ()
    source: Annotated[tuple[str, ...], Meta(min_length=1)]
    rules: Annotated[tuple[RuleId, ...], Meta(min_length=1)]
    setup: Line
    choices: Line
    expected: Line
    rolls: tuple[Roll, ...] = ()
    notes: Line | None = None
    derived: bool = False


class EditionDifference(Struct, frozen=True, forbid_unknown_fields=True):
    """Where editions differ: what each ``says``, by ruleset. ``functional``: play differs, not only the wording."""

    id: RuleId
    topic: Line
    says: Annotated[Mapping[str, Line], Meta(min_length=2)]
    rules: Annotated[tuple[RuleId, ...], Meta(min_length=1)]
    functional: bool


class PlayerDecision(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A choice the rules leave to a player. ``active``: whether the active player chooses."""

    id: RuleId
    title: Line
    applies: Annotated[tuple[str, ...], Meta(min_length=1)] = ()
    phase: Line
    player: Line
    active: Literal["yes", "no", "either"]
    when: Line
    options: Annotated[tuple[Line, ...], Meta(min_length=1)]
    optional: bool
    rules: Annotated[tuple[RuleId, ...], Meta(min_length=1)]


class Chapter(Struct, frozen=True):
    """A chapter of the catalogue and its rules, in order."""

    id: str
    title: str
    rules: tuple[Rule, ...]


class Catalogue(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    dict=True,  # room for the cached index
    rename={
        "chapter_titles": "chapters",
        "rules": "rule",
        "examples": "worked_example",
        "differences": "edition_difference",
        "decisions": "player_decision",
    },
):
    """The rules of one game in all its rulesets, checked by ``load``, which also fills in where each entry applies."""

    id: Line
    version: Annotated[int, Meta(ge=1)]
    rulesets: Annotated[Mapping[str, Edition], Meta(min_length=1)]
    sources: Annotated[Mapping[str, Source], Meta(min_length=1)]
    chapter_titles: Annotated[Mapping[str, Line], Meta(min_length=1)]
    rules: Annotated[tuple[Rule, ...], Meta(min_length=1)]
    examples: tuple[WorkedExample, ...] = ()
    differences: tuple[EditionDifference, ...] = ()
    decisions: tuple[PlayerDecision, ...] = ()

    @cached_property
    def _by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    def rule(self, rule_id: str) -> Rule:
        """Return the rule of this id. Raises `UnknownRuleError` (a `CatalogueError` and a `KeyError`)."""
        rule = self._by_id.get(rule_id)
        if rule is None:
            near = get_close_matches(rule_id.upper(), self._by_id, n=3, cutoff=0.7)
            hint = f"; similar: {', '.join(near)}" if near else ""
            raise UnknownRuleError(f"catalogue {self.id} has no rule {rule_id!r}{hint}")
        return rule

    def at(self, ruleset_id: str, version: int) -> "Catalogue":
        """Return the catalogue of a version of a ruleset.

        A rule that the version does not have holds in no ruleset here, but its id can still be looked up.
        """
        rules = [(rule, rule.at(ruleset_id, version)) for rule in self.rules]
        if all(earlier is rule for rule, earlier in rules):
            return self
        return replace(self, rules=tuple(earlier or replace(rule, applies=()) for rule, earlier in rules))

    def is_based_on_another(self, ruleset_id: str) -> bool:
        """Tell whether a ruleset takes its rules from another one of the catalogue."""
        return ruleset_id in self.rulesets and self.rulesets[ruleset_id].based_on is not None

    def holders(self, rulesets: Sequence[str], rules: Iterable[str]) -> tuple[str, ...]:
        """Return the rulesets in which an entry holds, such as a rule or a worked example.

        A ruleset that is based on another shares the entries of that one, unless it is without one of their rules.

        Args:
            rulesets: the rulesets that the entry names; none when it means all.
            rules: the rules that the entry is about.
        """
        concerned = set(rules)
        holding: list[str] = []
        for ruleset_id, edition in self.rulesets.items():
            if concerned.isdisjoint(edition.without) and (
                not rulesets or ruleset_id in rulesets or edition.based_on in holding
            ):
                holding.append(ruleset_id)
        return tuple(holding)

    def for_ruleset(self, ruleset_id: str) -> tuple[Rule, ...]:
        """Return the rules that hold in a ruleset, in order. Raises `CatalogueError` for an unknown ruleset."""
        if ruleset_id not in self.rulesets and EVERY_RULESET not in self.rulesets:
            rulesets = ", ".join(self.rulesets)
            raise CatalogueError(f"catalogue {self.id} has no ruleset {ruleset_id!r}; it has {rulesets}")
        return tuple(rule for rule in self.rules if rule.holds_in(ruleset_id))

    def in_force(self, rule_ids: Iterable[str], ruleset_id: str) -> tuple[RuleId, ...]:
        """Return the rules of a list that hold in a ruleset, each once, in the order in which they are given.

        A rule that does not hold there is replaced by its counterparts that do. Raises `UnknownRuleError`.
        """
        holding: dict[RuleId, None] = {}
        for rule in map(self.rule, rule_ids):
            here = (rule.id,) if rule.holds_in(ruleset_id) else rule.differs_from
            holding |= dict.fromkeys(each for each in here if self.rule(each).holds_in(ruleset_id))
        return tuple(holding)

    def chapters(self, ruleset_id: str | None = None) -> tuple[Chapter, ...]:
        """Return the chapters in order, with all rules or those of one ruleset. Empty chapters are left out."""
        rules = self.rules if ruleset_id is None else self.for_ruleset(ruleset_id)
        members: dict[str, list[Rule]] = {chapter: [] for chapter in self.chapter_titles}
        for rule in rules:
            members[rule.chapter].append(rule)
        return tuple(
            Chapter(chapter, self.chapter_titles[chapter], tuple(rules)) for chapter, rules in members.items() if rules
        )

    def cite(self, entry: Rule | WorkedExample) -> str:
        """Return where the statement stands, in words: ``German booklet 2005, lines 148-157``."""
        places: dict[tuple[str, str], list[str]] = {}
        for citation in entry.source:
            place, _, section = citation.partition(" § ")
            key, _, lines = place.partition(":")
            places.setdefault((key, section), []).extend([lines] if lines else [])
        return "; ".join(
            self.sources[key].cited_as + _in_words(lines) + (f", section {section}" if section else "")
            for (key, section), lines in places.items()
        )


def _in_words(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    one = len(lines) == 1 and "-" not in lines[0]
    return f", line{'' if one else 's'} {', '.join(lines)}"
