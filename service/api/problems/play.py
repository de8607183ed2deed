"""Problems of playing: of commands, options, answers in advance, and proposals to other players."""

from collections.abc import Sequence
from typing import Final

from domain.kernel.ids import RuleId
from domain.kernel.rules.catalogue import Catalogue, CatalogueError
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.refusal import Refusal
from service.api.problems.problem import Kind, Problem

NOT_SEATED: Final = Kind(
    "not-seated",
    403,
    "You hold no seat in this game",
    "Only a player who holds a seat in this game can do this.",
    "Take a seat before the game starts, or watch as a spectator.",
    {"detail": "You hold no seat in this game, and only seats have options."},
)
OPTIONS_HIDDEN: Final = Kind(
    "options-hidden",
    403,
    "What this seat could do is hidden from you",
    "The options of a seat may show what is in its hand. You asked for the options of a seat that has seen something "
    "that is hidden from you.",
    "Ask as an official of the game with the scope `judge`, or when the game is over.",
    {"detail": "At version 17, red had seen something that is hidden from you."},
)
NOT_NOW: Final = Kind(
    "not-now",
    409,
    "The command cannot be given now",
    "Your seat cannot give this command at this point of the game: it has another decision to make, others decide "
    "first, the game has not started, or it is over.",
    "Read the game's open decisions, and your options at `options_url`.",
    {
        "detail": "You asked to start, but this game has already begun.",
        "allowed": "You can do that only before a game begins.",
        "rule": "TAB-LIFE-02",
        "rule_title": "A game starts when its seats are taken",
        "source": "Tabularium documentation",
    },
)
REFUSED: Final = Kind(
    "refused",
    422,
    "The rules forbid it",
    "A rule forbids this. Nothing happened: there is no event, and no die was rolled. If one command of a list is "
    "refused, none of them happens.",
    "Read `allowed`: it says what the rule lets you do. `rule`, `rule_title` and `source` say which rule it is.",
    {
        "detail": "You cannot go back to version 12.",
        "allowed": "You have nothing to take back.",
        "rule": "TAB-UNDO-01",
        "rule_title": "A seat takes back only its own fresh commands",
        "source": "Tabularium documentation",
        "options_url": "/v1/games/gm5x2q7ahbk3oxw7c/options",
    },
)
STALE_VERSION: Final = Kind(
    "stale-version",
    412,
    "The game has moved on",
    "`If-Match` names a version that is not the game's present one.",
    "Read the events since that version, then decide again.",
    {
        "detail": "You expected version 16, but the game is at version 17.",
        "allowed": 'Read the events after version 16, then send `If-Match: "17"`.',
        "version": 17,
    },
)
UNKNOWN_ANSWER: Final = Kind(
    "unknown-answer",
    404,
    "You left no such answer",
    "Your seat left no answer in advance at this version, or that answer has ended.",
    "GET /v1/games/{game}/answers lists the answers that you left.",
    {"detail": "red has left no answer at version 41.", "allowed": "Versions at which red left an answer: 17."},
)
UNKNOWN_TAKE_BACK: Final = Kind(
    "unknown-take-back",
    404,
    "There is no such open request",
    "No request to take moves back was made at this version, or it was refused or withdrawn, or the game has moved on "
    "since.",
    "GET /v1/games/{game} lists open requests as `take_backs`.",
    {
        "detail": "No open request to take moves back was made at version 41.",
        "allowed": "Versions at which an open request was made: 44.",
    },
)
UNKNOWN_END: Final = Kind(
    "unknown-end-proposal",
    404,
    "There is no such open proposal",
    "No proposal to end the game was made at this version, or it was turned down or withdrawn, or its round is over, "
    "or a seat was given up or taken over since.",
    "GET /v1/games/{game} lists open proposals as `end_proposals`.",
    {
        "detail": "No open proposal to end the game was made at version 41.",
        "allowed": "Versions at which an open proposal was made: 44.",
    },
)


def refused(
    refusal: Refusal,
    catalogues: Sequence[Catalogue],
    decisions: Sequence[Decision] = (),
    seat: str | None = None,
    options_url: str = "",
    path: str = "",
) -> Problem:
    """Return the problem of a refusal.

    Args:
        refusal: the refusal by the rules.
        catalogues: where to look the rule up: the first catalogue that has it gives its title, standing and source.
        decisions: the open decisions. The problem names one of `seat`, or else one of another seat.
        seat: the seat that asked.
        options_url: where the seat reads its options.
        path: the JSON path of the command in the request. If empty, that of the field that the refusal names.
    """
    mine = [decision for decision in decisions if seat in decision.seats]
    title, standing, source = _cited(refusal.rule, catalogues)
    return Problem(
        NOT_NOW if refusal.untimely else REFUSED,
        refusal.wrong,
        refusal.allowed,
        rule=refusal.rule,
        rule_title=title,
        rule_standing=standing,
        source=source,
        decision=next(iter([*mine, *decisions]), None),
        options_url=options_url,
        path=path or (f"$.{refusal.field}" if refusal.field else ""),
    )


def _cited(rule_id: RuleId, catalogues: Sequence[Catalogue]) -> tuple[str, str, str]:
    for catalogue in catalogues:
        try:
            rule = catalogue.rule(rule_id)
        except CatalogueError:
            continue
        return rule.title, rule.standing, catalogue.cite(rule)
    return "", "", ""
