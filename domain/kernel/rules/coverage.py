"""Which rules of a catalogue are covered, by tests or whatever else names them."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from domain.kernel.ids import RuleId
from domain.kernel.rules.catalogue import Catalogue, Chapter, Status


class ChapterCoverage(Struct, frozen=True):
    """How many rules of a chapter hold in the ruleset, how many are covered, and the ids that are not."""

    chapter: str
    title: str
    total: int
    covered: int
    missing: tuple[RuleId, ...]


class Share(Struct, frozen=True):
    """How many rules there are, and how many of them are covered."""

    total: int
    covered: int


class Coverage(Struct, frozen=True):
    """How much of a catalogue is covered in one ruleset. ``unknown``: claimed ids of this game that name no rule."""

    catalogue: str
    ruleset: str
    total: int
    covered: int
    statuses: Mapping[Status, Share]
    chapters: tuple[ChapterCoverage, ...]
    unknown: tuple[RuleId, ...]


def coverage(catalogue: Catalogue, ruleset_id: str, covered: Mapping[RuleId, Sequence[str]]) -> Coverage:
    """Return the coverage of a ruleset, given what covers each rule; a rule with an empty list is not covered."""
    claimed = {rule_id for rule_id, by in covered.items() if by}
    chapters = tuple(_chapter_coverage(chapter, claimed) for chapter in catalogue.chapters(ruleset_id))
    games = {rule.id.split("-")[0] for rule in catalogue.rules}
    existing = {rule.id for rule in catalogue.rules}
    by_status: dict[Status, list[bool]] = {}
    for rule in catalogue.for_ruleset(ruleset_id):
        by_status.setdefault(rule.status, []).append(rule.id in claimed)
    return Coverage(
        catalogue=catalogue.id,
        ruleset=ruleset_id,
        total=sum(chapter.total for chapter in chapters),
        covered=sum(chapter.covered for chapter in chapters),
        statuses={status: Share(len(each), sum(each)) for status, each in by_status.items()},
        chapters=chapters,
        unknown=tuple(sorted(rule_id for rule_id in claimed - existing if rule_id.split("-")[0] in games)),
    )


def _chapter_coverage(chapter: Chapter, claimed: set[RuleId]) -> ChapterCoverage:
    missing = tuple(rule.id for rule in chapter.rules if rule.id not in claimed)
    total = len(chapter.rules)
    return ChapterCoverage(chapter.id, chapter.title, total, total - len(missing), missing)
