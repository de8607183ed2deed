"""The endpoints for tutorials: their lessons, the position of each, and the outcome of a try. Nothing is stored.

The position of a lesson is made once and stays in memory: there are a few dozen, and nobody can add others.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from litestar.response import Response
from msgspec import Raw

from domain.kernel.chance.secret import Vault
from domain.kernel.log.request import sent_commands
from domain.kernel.rules.board import Board
from domain.kernel.rules.message import Event, in_words
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.table import Table
from domain.kernel.tutorial import Lesson, Stage, lessons, stages
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.problems.play import NOT_NOW, REFUSED, refused
from service.api.problems.problem import Problem
from service.api.problems.rulesets import UNKNOWN_LESSON, UNKNOWN_RULESET
from service.api.request import Call
from service.api.response import answer, answer_json, encode
from service.api.rulesets.routes import ruleset_in_path
from service.api.tutorials.bodies import LessonOutcome, LessonPosition, LessonSummary, LessonTry, TutorialView
from service.pictures.frames import rolls_of
from service.pictures.happened import drawn_happening, happening
from service.pictures.picture import Sheet
from service.pictures.scenes import Drawings, drawn_scene, frame_sheet_on
from service.pictures.views import RollView, Scene

REMARK: Final = "In a tutorial, dice and cards come as the lesson needs them, so that you see what it is about."

_try: Final = msgspec.json.Decoder(LessonTry)


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/tutorial",
    tag="Rulesets",
    answers=(Answer(200, "The tutorial.", TutorialView),),
    problems=(UNKNOWN_RULESET,),
)
async def show_tutorial(request: Call, ruleset: str) -> Response[bytes]:
    """Show the tutorial of a ruleset.

    Lists lessons for newcomers, about ten minutes in all. Each is a position, something to know and something to do.
    Get its position from `GET /v1/rulesets/{ruleset}/tutorial/{lesson}`, and POST the command that the learner tries to
    the same address.
    """
    request.read_query(Nothing)
    return answer(tutorial_view(ruleset_in_path(request, ruleset)))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/tutorial/{lesson:str}",
    tag="Rulesets",
    answers=(Answer(200, "The position.", LessonPosition),),
    problems=(UNKNOWN_RULESET, UNKNOWN_LESSON),
)
async def show_lesson(request: Call, ruleset: str, lesson: str) -> Response[bytes]:
    """Show where a lesson begins.

    Shows the position as the learner's seat sees it, and the commands that the rules allow there.
    """
    request.read_query(Nothing)
    played, services = ruleset_in_path(request, ruleset), request.services
    await _stage_of(request, played, lesson)
    board = services.boards(played.board)
    return answer_json(await asyncio.to_thread(_position, services.drawings, played, board, lesson))


@endpoint(
    "POST",
    "/v1/rulesets/{ruleset:str}/tutorial/{lesson:str}",
    tag="Rulesets",
    body=LessonTry,
    answers=(Answer(200, "The outcome.", LessonOutcome),),
    problems=(UNKNOWN_RULESET, UNKNOWN_LESSON, REFUSED, NOT_NOW),
)
async def try_lesson(request: Call, ruleset: str, lesson: str) -> Response[bytes]:
    """Try a command in a lesson.

    The rules decide it as in a game, at the position of the lesson. `done` says whether it is what the lesson asks for.
    Nothing is stored, so you can try as often as you like. You need no account.
    """
    request.read_query(Nothing)
    played, services = ruleset_in_path(request, ruleset), request.services
    stage = await _stage_of(request, played, lesson)
    wish = await request.read_body(_try)
    try:
        return answer(await asyncio.to_thread(outcome, services.drawings, stage, wish.command))
    except Refusal as refusal:
        decisions, seat = stage.ruleset.decisions(stage.table), stage.lesson.seat
        url = f"/v1/rulesets/{played.id}/tutorial/{lesson}"
        raise refused(refusal, services.catalogues(played), decisions, seat, url, "$.command") from None


def tutorial_view(ruleset: Ruleset[Any]) -> TutorialView:
    """Return the tutorial of a ruleset."""
    return TutorialView(ruleset.id, ruleset.title, REMARK, tuple(map(_summary, lessons(ruleset))))


def _summary(lesson: Lesson) -> LessonSummary:
    return LessonSummary(
        id=lesson.id,
        title=lesson.title,
        text=lesson.text,
        ask=lesson.ask,
        seat=lesson.seat,
        teaches=lesson.teaches,
        rules=tuple(lesson.rules),
        follows=lesson.follows,
    )


def position(drawings: Drawings, stage: Stage) -> LessonPosition:
    """Return the position at which a lesson begins."""
    ruleset, seat = stage.ruleset, stage.lesson.seat
    return LessonPosition(
        ruleset=ruleset.id,
        lesson=stage.lesson.id,
        seat=seat,
        scene=_scene(drawings, stage, stage.table, stage.vault, 1),
        decisions=tuple(ruleset.decisions(stage.table)),
        options=tuple(ruleset.options(stage.table, seat, stage.vault.read_by(seat))),
        words=dict(ruleset.words_on(stage.board)),
        mass_nouns=ruleset.mass_nouns,
        papers=ruleset.papers(stage.board, _sheet(drawings, stage).names),
        command=stage.lesson.command,
    )


def outcome(drawings: Drawings, stage: Stage, raw_command: bytes | Raw) -> LessonOutcome:
    """Return the outcome of a command in a lesson. Raises `Refusal`."""
    ruleset, lesson = stage.ruleset, stage.lesson
    (command,) = sent_commands(ruleset, [raw_command])
    draft = stage.attempt(command)
    sheet = _sheet(drawings, stage)
    places = [place for event in draft.events if (place := happening(event, sheet.drawing)) is not None]
    ids = [each.id for each in lessons(ruleset)]
    return LessonOutcome(
        ruleset=ruleset.id,
        lesson=lesson.id,
        done=lesson.is_done_by(command),
        told=tuple(in_words(event, sheet.names) for event in draft.events),
        rolls=tuple(_rolls(stage, draft.events)),
        drawn=tuple(drawn_happening(each, sheet.drawing) for each in places),
        scene=_scene(drawings, stage, draft.table, stage.vault.joined_by(draft.secrets), 2),
        next=next(iter(ids[ids.index(lesson.id) + 1 :]), None),
    )


def _rolls(stage: Stage, events: Iterable[Event[Any]]) -> Iterator[RollView]:
    """Yield the dice that these events of a try show. Each event is read with the table before it."""
    table = stage.table.copy()
    for event in events:
        yield from rolls_of(stage.ruleset, event, table)
        event.apply(table)


def _scene(drawings: Drawings, stage: Stage, table: Table, vault: Vault, version: int) -> Scene:
    ruleset, sheet = stage.ruleset, _sheet(drawings, stage)
    marks = ruleset.marks(ruleset.view(table, vault.read_by(stage.lesson.seat)), sheet.names)
    battle = ruleset.battle(table, sheet.names)
    return drawn_scene(sheet, marks, version, battle, ruleset.round(table), ruleset.heading(table))


def _sheet(drawings: Drawings, stage: Stage) -> Sheet:
    return frame_sheet_on(stage.ruleset, stage.board, (stage.lesson.seat,), drawings)


async def _stage_of(request: Call, ruleset: Ruleset[Any], lesson: str) -> Stage:
    """Return the prepared lesson with this id. Raises `Problem` if there is none."""
    by_lesson = await asyncio.to_thread(_stages, ruleset, request.services.boards(ruleset.board))
    if lesson not in by_lesson:
        sentence = f"The tutorial of {ruleset.title} has no lesson {lesson!r}."
        raise Problem(UNKNOWN_LESSON, sentence, UNKNOWN_LESSON.remedy)
    return by_lesson[lesson]


@lru_cache(maxsize=16)
def _stages(ruleset: Ruleset[Any], board: Board) -> Mapping[str, Stage]:
    return stages(ruleset, board)


@lru_cache(maxsize=128)
def _position(drawings: Drawings, ruleset: Ruleset[Any], board: Board, lesson: str) -> bytes:
    """Return the answer with a position, cached: it is the same for everybody, and some options take long to find."""
    return encode(position(drawings, _stages(ruleset, board)[lesson]))
