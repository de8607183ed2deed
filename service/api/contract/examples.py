"""Examples for the contract: the opening of a real game, with its dice, its ids and its clock fixed.

The kernel plays it and the routes' own functions shape it, so an example cannot say what the service would not.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.boards import drawing_of
from domain.kernel import export, schema
from domain.kernel.game import Game, Step
from domain.kernel.lifecycle import GameStarted
from domain.kernel.message import told as told_of
from domain.kernel.record import Record
from domain.kernel.refusal import Refusal
from domain.kernel.ruleset import Library
from domain.kernel.secret import Vault
from domain.kernel.words import GameId, PlayerId, Seat
from projections import players, rules, scoreboard, timeline
from service.accounts.accounts import Caller
from service.api.accounts.bodies import (
    AccountPage,
    Grant,
    Issued,
    LoggedEvent,
    LogPage,
    Rotation,
    TokenPage,
    account_view,
    token_view,
)
from service.api.bodies import Health
from service.api.games.bodies import GamePage, TakeSeat, Upgrade, UpgradeChecked, game_detail, game_summary
from service.api.log import streams
from service.api.log.bodies import EventPage, HistoryPage, Sentence
from service.api.log.routes import passages
from service.api.pictures.bodies import FramePage, MapView
from service.api.play.bodies import OptionsView
from service.api.play.routes import state_view
from service.api.players import stream as account_stream
from service.api.players.bodies import PlayerPage, Registered, Registration, player_view
from service.api.players.routes import me
from service.api.response import encode
from service.api.rulesets import schemas
from service.api.rulesets.bodies import RulePage, RulesetPage, board_view, rule_changes, rule_view, ruleset_summary
from service.api.rulesets.routes import ruleset_detail
from service.api.services import Boards
from service.api.statistics import charts
from service.api.statistics import routes as statistics
from service.api.statistics.bodies import DicePage, RuleTallyPage, TimelinePage
from service.base.scopes import EVERYBODYS
from service.games.views import Accepted, Checked, Viewer, event_view
from service.pictures.frames import Camera
from service.pictures.scenes import marks_of, marks_view, sheet_of
from service.store.accounts import PlayerRow, TokenId, TokenRow
from service.store.protocol import GameRow

AT: Final = "2026-11-21T18:00:00.000000Z"
SECRET: Final = bytes(range(32))
GAME: Final = GameId("gm5x2q7ahbk3oxw7c")
NAMES: Final = ("Livia", "Marcus", "Claudia", "Titus", "Octavia", "Quintus")

BOTS: Final = TokenRow(
    TokenId("t4h2k6n8p3r5t7vway"), PlayerId("p0h4nv6wjj3k2yzts"), "my bot", ("play",), AT, "2027-02-19T18:00:00.000000Z"
)


class Example(Struct, frozen=True):
    """What an endpoint may be asked, and what it then answers. `body` and `answer` are JSON-shaped."""

    answer: Any
    body: Any = None


class Examples(Struct, frozen=True):
    """Examples by the name of their endpoint, and values for the parameters of paths and queries."""

    endpoints: Mapping[str, Example]
    parameters: Mapping[str, Any]


class _Scene:
    """A game of the library's first ruleset that has just begun, and one command in it."""

    def __init__(self, library: Library, boards: Boards) -> None:
        self.ruleset = library.current(library.ids()[0])
        self.board = boards(self.ruleset.board)
        self.records: list[Record] = []
        self.vault = Vault()
        self.players = [
            PlayerRow(PlayerId(f"p{number}h4nv6wjj3k2yzts"), name, AT)
            for number, name in zip(range(self.ruleset.players[0]), NAMES, strict=False)
        ]
        self.names = {row.player: row.name for row in self.players}
        self.created = self._keep(
            Game.create(
                self.ruleset,
                GAME,
                len(self.players),
                setup={},
                board=self.board,
                organizer=self.players[0].player,
                secret=SECRET,
                at=AT,
            )
        )
        self.joined: list[Step] = []
        game = self.created.game
        for seat, row in zip(game.players, self.players, strict=True):
            self.joined.append(self._keep(game.take_seat(seat, row.player, f"dice of {row.name}", at=AT)))
            game = self.joined[-1].game
        self.started = self._keep(game.start(SECRET, player=self.players[0].player, at=AT))
        self.command, self.seat, self.given = self._give(self.started.game)

    def _keep(self, step: Step) -> Step:
        self.records.extend(step.records)
        self.vault = self.vault.joined_by(step.secrets)
        return step

    def _give(self, game: Game) -> tuple[Any, Seat, Step]:
        rng = random.Random(1)
        for seat in game.decisions[0].seats:
            for option in game.options(seat, self.vault):
                command = schema.sample(option.schema, rng)
                try:
                    read = self.ruleset.read_command(msgspec.json.encode(command))
                    step = game.command(seat, [read], SECRET, self.vault, player=game.players[seat], at=AT)
                    return command, seat, self._keep(step)
                except Refusal:
                    continue
        raise AssertionError("a game that has begun has an option")

    def viewer(self, game: Game) -> Viewer:
        return Viewer(game.players[self.seat], self.seat)

    def row(self, game: Game) -> GameRow:
        title = "An evening in November"
        ruleset = self.ruleset
        organizer, seats = self.players[0].player, game.players
        return GameRow(GAME, title, ruleset.id, ruleset.version, game.status, organizer, seats, game.version, AT, AT)

    def accepted(self, before: Game, step: Step) -> Accepted:
        viewer = self.viewer(step.game)
        events = tuple(event_view(self.ruleset.id, record, self.vault, viewer) for record in step.records)
        return Accepted(GAME, before.version, step.game.version, events)


def examples(library: Library, boards: Boards) -> Examples:
    """Return the examples of all endpoints."""
    scene = _Scene(library, boards)
    ruleset, now = scene.ruleset, scene.given.game
    viewer = scene.viewer(now)
    rules = ruleset.catalogue.for_ruleset(ruleset.id)
    first = rule_view(ruleset.catalogue, rules[0])
    row, me = scene.row(now), scene.players[0]
    answers: dict[str, Example] = {
        "listRulesets": Example(
            RulesetPage(tuple(ruleset_summary(library.current(known)) for known in library.ids()), None)
        ),
        "showRuleset": Example(ruleset_detail(ruleset)),
        "showBoard": Example(board_view(_excerpt(scene))),
        "listRules": Example(RulePage((first,), "Q0MtQlJELTAx")),
        "showRule": Example(first),
        "showSchemas": Example(_schemas_excerpt(ruleset)),
        "registerPlayer": Example(
            Registered(player_view(me), "tab_0yH8xk2bq5mQf7w9s1u3d5r7t9v1x3z5A7C9E1G3I5K"),
            Registration(me.name),
        ),
        **_accounts(scene),
        "showPlayer": Example(player_view(me)),
        "createGame": Example(
            game_detail(scene.row(scene.created.game), scene.created.game, scene.names, Viewer(me.player)),
            {"ruleset": ruleset.id, "players": len(scene.players), "title": row.title},
        ),
        "listGames": Example(GamePage((game_summary(row, scene.names),), None)),
        "showGame": Example(game_detail(row, now, scene.names, viewer)),
        "changeGame": Example(
            game_detail(msgspec.structs.replace(row, title="Sunday evening"), now, scene.names, viewer),
            {"title": "Sunday evening"},
        ),
        "cancelGame": Example(scene.accepted(scene.created.game, scene.created.game.cancel(me.player, at=AT))),
        "takeSeat": Example(
            scene.accepted(scene.created.game, scene.joined[0]),
            TakeSeat(next(iter(now.players)), f"dice of {me.name}"),
        ),
        "leaveSeat": Example(
            scene.accepted(
                scene.joined[0].game,
                scene.joined[0].game.leave_seat(next(iter(now.players)), me.player, at=AT),
            )
        ),
        "startGame": Example(scene.accepted(scene.joined[-1].game, scene.started)),
        **_upgrades(scene),
        "showState": Example(state_view(now, viewer, now.view(viewer.seat, scene.vault))),
        "showOptions": Example(_options(scene)),
        "giveCommands": Example(scene.accepted(scene.started.game, scene.given), {"command": scene.command}),
        "checkCommands": Example(Checked(scene.started.game.version, 1), {"command": scene.command}),
        "listEvents": Example(EventPage(scene.accepted(scene.started.game, scene.given).events, None)),
        "streamEvents": Example(streams.streamed(scene.accepted(scene.started.game, scene.given).events[0])),
        "tellHistory": Example(_history(scene)),
        "exportGame": Example(_export(scene)),
        **_pictures(scene),
        **_statistics(scene, library),
        "showHealth": Example(Health("ok")),
        "showReadiness": Example(Health("ok")),
    }
    plain = {
        name: Example(msgspec.to_builtins(_plain(each.answer)), msgspec.to_builtins(_plain(each.body)))
        for name, each in answers.items()
    }
    parameters = {
        "ruleset": ruleset.id,
        "rule": first.id,
        "player": me.player,
        "game": GAME,
        "seat": next(iter(now.players)),
        "token": BOTS.token,
        "chart": "dice.svg",
    }
    return Examples(plain, parameters)


def _accounts(scene: _Scene) -> dict[str, Example]:
    """Return what is asked about accounts and tokens, and answered."""
    owner = scene.players[0]
    granted = frozenset(owner.scopes)
    caller = Caller(owner.player, granted, granted, TokenId("tq7zk3v5m2c4n8xwab"), b"")
    first = TokenRow(TokenId("tq7zk3v5m2c4n8xwab"), owner.player, "registration", owner.scopes, AT, used=AT)
    issued = Issued("tab_kH3d9s0aQw7xZr5tY2uI4oP6lM8nB1vC3xZ5aS7dF9g", token_view(BOTS))
    page = TokenPage((token_view(BOTS), token_view(first)))
    ended = token_view(msgspec.structs.replace(BOTS, revoked=AT))
    auditor = msgspec.structs.replace(scene.players[1], scopes=(*EVERYBODYS, "audit"))
    record = scene.given.records[0]
    logged = LoggedEvent(GAME, event_view(scene.ruleset.id, record, Vault(), Viewer()))
    return {
        "showMe": Example(me(owner, caller)),
        "changeMe": Example(
            me(msgspec.structs.replace(owner, findable=True), caller), {"name": owner.name, "findable": True}
        ),
        "findPlayers": Example(PlayerPage((player_view(owner),), None)),
        "listMyGames": Example(GamePage((game_summary(scene.row(scene.given.game), scene.names),), None)),
        "streamMyEvents": Example(account_stream.streamed_logged(1208, logged)),
        "listTokens": Example(page),
        "makeToken": Example(issued, {"name": BOTS.name, "scopes": ["play"], "expires": "2027-02-19T18:00:00Z"}),
        "rotateToken": Example(issued, Rotation(overlap=300)),
        "revokeToken": Example(ended),
        "listAccounts": Example(AccountPage((account_view(auditor),), None)),
        "listTokensOf": Example(page),
        "grantScopes": Example(account_view(auditor), Grant(auditor.scopes)),
        "closeAccount": Example(account_view(msgspec.structs.replace(owner, closed=AT))),
        "readLog": Example(LogPage((logged,), "1207")),
    }


def _upgrades(scene: _Scene) -> dict[str, Example]:
    """Return how the scene would be moved from version 1 of its ruleset to version 2; nothing while there is none."""
    if 2 not in scene.ruleset.versions:
        return {}
    game = msgspec.structs.replace(scene.started.game, ruleset=scene.ruleset.at(1), began_with=1)
    moved = game.upgrade(2, SECRET, scene.vault, player=game.organizer, at=AT)
    checked = UpgradeChecked(game.version, 1, 2, rule_changes(scene.ruleset, 1, 2))
    return {
        "upgradeGame": Example(scene.accepted(game, moved), Upgrade(2)),
        "checkUpgrade": Example(checked, Upgrade(2)),
    }


def _statistics(scene: _Scene, library: Library) -> dict[str, Example]:
    """Return what the projections tell of the scene, with a few dice and refusals added."""
    ruleset, now, begun = scene.ruleset, scene.given.game, scene.started.game
    summary = scoreboard.Summary(
        ruleset.id, now.status, now.version, now.round, now.heading, (), "", AT, AT, "", commands=1, retractions=0
    )
    score = scoreboard.RoundScore(begun.round, begun.version, ruleset.score(begun.table))
    entries = (
        timeline.Entry(scene.joined[-1].game.version + 1, "start", 0, "", told_of(GameStarted(), begun.names), AT),
        timeline.Entry(begun.version, "phase", begun.round, begun.heading, begun.heading, AT),
    )
    die, sides = next(iter(ruleset.dice.items()), ("d6", tuple("123456")))
    counted = {side: 29 + 2 * number for number, side in enumerate(sides)}
    rule = ruleset.catalogue.for_ruleset(ruleset.id)[0].id
    record = players.RulesetRecord(ruleset.id, gathering=0, running=1, finished=12, won=5)
    return {
        "showScoreboard": Example(statistics.scoreboard_view(GAME, summary, [score])),
        "showChart": Example(charts.dice_chart(library, {die: counted}, ruleset.id)),
        "showTimeline": Example(TimelinePage(tuple(map(statistics.timeline_entry, entries)), None)),
        "showRecord": Example(statistics.player_record(scene.players[0].player, [record])),
        "showDice": Example(DicePage((statistics.die_tally(library, ruleset.id, die, counted),), None)),
        "showRefusals": Example(
            RuleTallyPage((statistics.rule_tally(library, rules.RuleTally(ruleset.id, rule, 3), 140),), None)
        ),
    }


def _pictures(scene: _Scene) -> dict[str, Example]:
    """Return pictures of the scene, drawn on two areas of its map; none when there is no map."""
    whole = drawing_of(scene.board)
    if whole is None:
        return {}
    areas = [area for area, outline in whole.areas.items() if outline.kind == "land"][:1]
    drawing = msgspec.structs.replace(
        whole,
        areas={area: msgspec.structs.replace(whole.areas[area], path="M0,0L90,0L90,60Z") for area in areas},
        terra_incognita="M0,0L9,9L0,9Z",
        mare_incognitum="",
        rivers="",
        straits=(),
        inscriptions=(),
    )
    viewer, before, after = scene.viewer(scene.given.game), scene.started.game, scene.given.game
    sheet = sheet_of(after, lambda _: drawing)
    marks = marks_of(after, viewer, scene.vault, sheet.names)
    few = msgspec.structs.replace(marks, places=dict(list(marks.places.items())[:1]), links=marks.links[:1])
    camera = Camera(sheet, viewer, scene.vault, after.names, before)
    key = camera.scene(before.version)
    drawn = [camera.frame(scene.given.records[0], after)]
    page = FramePage(GAME, after.version, msgspec.Raw(encode(key)), msgspec.Raw(encode(drawn)), None)
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 1330" …><title>…</title>…</svg>'
    ruleset = scene.ruleset
    return {
        "showMap": Example(MapView(ruleset.id, dict(ruleset.colours), drawing)),
        "drawBareBoard": Example(svg),
        "showMarks": Example(marks_view(after, few)),
        "drawBoard": Example(svg),
        "drawBoardAsPng": Example("iVBORw0KGgo…"),
        "listFrames": Example(page),
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else msgspec.json.decode(msgspec.json.encode(value))


def _excerpt(scene: _Scene) -> Any:
    """Return the first areas of the board: the whole has dozens."""
    areas = scene.board.areas[:2]
    kept = {area.id for area in areas}
    borders = tuple(border for border in scene.board.borders if set(border.between) <= kept)
    return msgspec.structs.replace(scene.board, areas=areas, borders=borders, notes=scene.board.notes[:1])


def _schemas_excerpt(ruleset: Any) -> Any:
    whole = schemas.of_ruleset(ruleset)
    command = schemas.alone(ruleset.commands[0], f"A command of {ruleset.title}")
    event = schemas.alone(ruleset.events[0], f"An event of {ruleset.title}")
    return msgspec.structs.replace(whole, commands=command, events=event, view={"type": "object"})


def _options(scene: _Scene) -> Any:
    game = scene.started.game
    options = game.options(scene.seat, scene.vault)[:3]
    mine = tuple(decision for decision in game.decisions if scene.seat in decision.seats)
    return OptionsView(GAME, game.ruleset.id, game.version, scene.seat, mine, tuple(options))


def _history(scene: _Scene) -> Any:
    heading = scene.given.game.heading
    names = scene.given.game.names
    told = [
        (heading, Sentence(record.version, record.at, scene.seat if record.cause else None, told_of(event, names)))
        for record in scene.given.records
        if (event := msgspec.json.decode(record.event, type=scene.ruleset.event_union)) is not None
    ]
    return HistoryPage(tuple(passages(told)), None)


def _export(scene: _Scene) -> str:
    """Return the first line and the last: the first has the whole board, of which little is shown."""
    game = scene.created.game
    lines = [line.decode() for line in export.export(game, scene.created.records, scene.vault)]
    return lines[0][:160] + "…\n" + "".join(lines[1:])
