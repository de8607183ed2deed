"""The endpoints for playing: the position, options, and commands."""

from typing import Final

import msgspec
from litestar.response import Response
from msgspec.structs import astuple, replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.marks import lost_pieces
from domain.kernel.rules.refusal import Refusal
from service.api.endpoint import UNCHANGED, Answer, endpoint
from service.api.games.routes import ACCEPTED, ACTS, accepted, seat_named
from service.api.play.bodies import AtVersion, Foresight, OptionsOf, OptionsView, Orders, Played, Snapshot, StateView
from service.api.problems.access import MISSING_TOKEN, SCOPE_MISSING
from service.api.problems.games import UNKNOWN_GAME, UNKNOWN_SEAT, UNKNOWN_VERSION
from service.api.problems.play import NOT_NOW, NOT_SEATED, OPTIONS_HIDDEN, REFUSED, STALE_VERSION, refused
from service.api.problems.problem import Problem
from service.api.problems.request import MALFORMED_JSON
from service.api.request import Call, require_token
from service.api.response import Answered, answer, etag, unchanged
from service.api.services import Services
from service.games.acts import Commands, NotSeated
from service.games.clocks import clocks_view
from service.games.views import Checked, Next, Viewer, seat_of, sees_all_of, viewer_of
from service.pictures.scenes import marks_of

_orders: Final = msgspec.json.Decoder(Orders)


@endpoint(
    "GET",
    "/v1/games/{game:str}/state",
    tag="Play",
    account="optional",
    query=AtVersion,
    headers=("If-None-Match",),
    answers=(Answer(200, "The position.", StateView, headers=("ETag",)), UNCHANGED),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION),
)
async def show_state(request: Call, game: str) -> Response[bytes]:
    """Show the position.

    Shows the present position, or that of an earlier version. You see what your seat sees, or what a spectator sees.
    """
    query = request.read_query(AtVersion)
    games = request.services.games
    now = await games.game(GameId(game))
    then = await games.at(now.id, query.version) if query.version is not None else now
    viewer = viewer_of(now, request.caller)
    # The answer for an old version changes only when the game ends and everybody may see its past.
    is_settled = then is now or now.status != "over"
    if is_settled and request.has(f'"{then.version}"'):
        return unchanged(then.version)

    def show(vault: Vault) -> Answered:
        view = then.view(viewer.seat, vault, everything=viewer.everything)
        return answer(state_view(then, viewer, view), headers=etag(then.version))

    return await games.cached_view(then, viewer, show)


@endpoint(
    "GET",
    "/v1/games/{game:str}/snapshot",
    tag="Play",
    account="optional",
    query=AtVersion,
    headers=("If-None-Match",),
    answers=(Answer(200, "The position, the decisions and your options.", Snapshot, headers=("ETag",)), UNCHANGED),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION),
)
async def show_snapshot(request: Call, game: str) -> Response[bytes]:
    """Show the position and your options.

    One answer with what `GET …/state` and `GET …/options` show of one version, by default the newest. So nothing can
    happen between the two. Without a seat, or with a token without the scope `play`, you get no options.
    """
    query = request.read_query(AtVersion)
    games = request.services.games
    now = await games.game(GameId(game))
    then = await games.at(now.id, query.version) if query.version is not None else now
    # Options of an earlier version lack the `undo` that they had.
    if then is now and request.has(f'"{now.version}"'):
        return unchanged(now.version)
    view = snapshot(as_past(then, now), viewer_of(now, request.caller), await games.vault(now.id))
    return answer(view, headers=etag(then.version))


@endpoint(
    "GET",
    "/v1/games/{game:str}/options",
    tag="Play",
    account="optional",
    query=OptionsOf,
    headers=("If-None-Match",),
    answers=(Answer(200, "What the seat may do.", OptionsView, headers=("ETag",)), UNCHANGED),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION, UNKNOWN_SEAT, MISSING_TOKEN, SCOPE_MISSING, NOT_SEATED, OPTIONS_HIDDEN),
)
async def show_options(request: Call, game: str) -> Response[bytes]:
    """Show what you may do now.

    Also shows what you or another seat might have done at an earlier `version`. For your own seat you need a token with
    the scope `play`. The options of another `seat` are for officials of the game, for everybody when it is over, and
    for those who may read all that this seat could read there: where nothing is hidden, that is everybody.

    An option is a JSON Schema of commands: every command that fits one of them would be accepted, and no other. Of JSON
    Schema (2020-12) they use `const`, `enum`, `type`, `minimum`, `maximum`, `maxLength`, `items`, `minItems`,
    `maxItems`, `uniqueItems`, `contains`, `minContains`, `properties`, `required` and `additionalProperties`. If you
    leave out an optional number, it counts as the `default` of its schema, or as 0. Three keywords of our own, all in
    schemas of objects, say what JSON Schema cannot:

    * `x-total`: `{"of": [names], "minimum": a, "maximum": b, "times": name}`, or a list of such. The named properties
      together count from a to b: an integer counts itself, an array its items, an object the sum of its integers, and
      an absent property 0. With `times`, b is multiplied by the number of items in the array of that name. `minimum`
      and `maximum` may be absent.
    * `x-cost`: `{"prices": {name: price}, "minimum": a, "maximum": b}`. The cost is from a to b: the sum of what the
      named properties count, each times its price. Either bound may be absent. `unit` says what is paid with, and
      `left` how many of each are left to buy; these two forbid nothing.
    * `x-sum`: `{"minimum": a, "maximum": b}`. The integers in the object add up to a number from a to b.

    A fourth, `x-gesture`, forbids nothing: it says what the properties of a command mean on a map.
    """
    query = request.read_query(OptionsOf)
    games = request.services.games
    if query.seat is None:
        require_token(request.caller, ("play",))
    played = await games.game(GameId(game))
    viewer = viewer_of(played, request.caller)
    seat = viewer.seat if query.seat is None else seat_named(played, query.seat)
    if seat is None:
        raise NotSeated(f"You hold no seat of game {played.id!r}; only seats have options.")
    then = await games.at(played.id, query.version) if query.version is not None else played
    vault = await games.vault(played.id)
    if not (viewer.everything or viewer.seat == seat):
        records = (await games.records(played.id))[: then.version]
        if not sees_all_of(viewer, seat, records, vault):
            detail = f"At version {then.version}, {seat} had seen something that is hidden from you."
            raise Problem(OPTIONS_HIDDEN, detail, OPTIONS_HIDDEN.remedy)
    # Options of an earlier version lack the `undo` that they had.
    if then is played and request.has(f'"{played.version}"'):
        return unchanged(played.version)
    return answer(options_view(as_past(then, played), seat, vault), headers=etag(then.version))


@endpoint(
    "POST",
    "/v1/games/{game:str}/commands",
    tag="Play",
    account="required",
    scopes=("play",),
    query=Foresight,
    headers=("Idempotency-Key", "If-Match"),
    body=Orders,
    answers=(replace(ACCEPTED, shape=Played),),
    problems=(*ACTS, NOT_SEATED),
)
async def give_commands(request: Call, game: str) -> Response[bytes]:
    """Give commands.

    Send one command, or several: either all of them happen, or none. A repeated request with the same `Idempotency-Key`
    gets the same response and changes nothing. With `If-Match`, the service accepts them only if the game is still at
    that version. The command `undo` takes back your own commands, as long as nothing was rolled, revealed or decided by
    others since. With `next=true`, the answer has the game after the commands: the position, what it waits for, and
    what you may do then. So a bot needs only one request for each move.
    """
    query = request.read_query(Foresight)
    player, key, expected = request.signed_in.player, request.key, request.expected
    orders = await request.read_body(_orders)
    act = Commands(orders.all)
    try:
        outcome = await request.services.games.act(GameId(game), player, act, expected=expected, key=key)
    except (Refusal, msgspec.DecodeError) as error:
        raise await _explained(error, request.services, GameId(game), player, orders) from None
    if query.next == "false":
        return accepted(request, outcome)
    viewer = outcome.viewer(request.caller)
    now = await request.services.games.game(outcome.game, outcome.version)
    base = now if now.version == outcome.version else as_past(outcome.state, now)
    played = Played(*astuple(outcome.seen_by(viewer)), next=snapshot(base, viewer, outcome.vault))
    return answer(played, headers=etag(outcome.version))


@endpoint(
    "POST",
    "/v1/games/{game:str}/commands/check",
    tag="Play",
    account="required",
    scopes=("play",),
    query=Foresight,
    headers=("If-Match",),
    body=Orders,
    answers=(Answer(200, "They would be accepted.", Checked, headers=("ETag",)),),
    problems=(UNKNOWN_GAME, NOT_SEATED, REFUSED, NOT_NOW, STALE_VERSION),
)
async def check_commands(request: Call, game: str) -> Response[bytes]:
    """Check commands.

    Says whether the service would accept them now, whether you could take them back afterwards, and which of your
    pieces they would take off the board. It stores nothing and rolls nothing. It does not look at commands after one
    that would roll or reveal something. With `next=true`, it also says what would be asked of you then, so that you can
    plan several commands.
    """
    query = request.read_query(Foresight)
    player, expected = request.signed_in.player, request.expected
    orders = await request.read_body(_orders)
    act = Commands(orders.all, tentative=True)
    try:
        now, step = await request.services.games.try_out(GameId(game), player, act, expected=expected)
    except (Refusal, msgspec.DecodeError) as error:
        raise await _explained(error, request.services, GameId(game), player, orders) from None
    seat = next((seat for seat, back in step.game.undo.items() if now.version in back), None)
    if seat is None:
        return answer(Checked(now.version, step.commands, can_undo=False), headers=etag(now.version))
    # Moves that can be taken back have revealed nothing, so the seat may know their outcome.
    vault = await request.services.games.vault(now.id)
    after = vault.joined_by(step.secrets)
    viewer, names = Viewer(player, seat), now.names
    marks_now, marks_then = marks_of(now, viewer, vault, names), marks_of(step.game, viewer, after, names)
    losses = lost_pieces(marks_now, marks_then, seat, now.ruleset.guises)
    checked = Checked(now.version, step.commands, can_undo=True, gone=losses)
    if query.next == "true":
        then = options_view(replace(step.game, undo={}), seat, after)
        checked = replace(checked, next=Next(then.decisions, then.options))
    return answer(checked, headers=etag(now.version))


def state_view(game: Game, viewer: Viewer, view: object) -> StateView:
    """Return the body of a position; `view` is the ruleset's part of it."""
    return StateView(
        game=game.id,
        ruleset=game.ruleset.id,
        version=game.version,
        status=game.status,
        heading=game.heading,
        seat=viewer.seat,
        everything=viewer.everything,
        view=view,
        decisions=tuple(game.decisions),
        clocks=clocks_view(game),
    )


def snapshot(game: Game, viewer: Viewer, vault: Vault) -> Snapshot:
    """Return the body of a version of a game, with the options of the viewer's seat; `vault` holds all secrets."""
    view = game.view(viewer.seat, vault, everything=viewer.everything)
    options = tuple(game.options(viewer.seat, vault)) if viewer.seat is not None else ()
    return Snapshot(*astuple(state_view(game, viewer, view)), options=options)


def as_past(past: Game, now: Game) -> Game:
    """Return a game of which options are asked. A past one loses its undo: what could be undone then is not known."""
    return past if past.version == now.version else replace(past, undo={})


def options_view(game: Game, seat: Seat, vault: Vault) -> OptionsView:
    """Return the body of a seat's options; `vault` holds all secrets of the game."""
    mine = tuple(decision for decision in game.decisions if seat in decision.seats)
    return OptionsView(game.id, game.ruleset.id, game.version, seat, mine, tuple(game.options(seat, vault)))


async def _explained(
    error: Refusal | msgspec.DecodeError, services: Services, game_id: GameId, player: PlayerId, orders: Orders
) -> Problem:
    """Return the problem of a refusal, which names the command, the rule, the decision and the address of the options.

    For a command that cannot be read, return `MALFORMED_JSON`.
    """
    if isinstance(error, msgspec.DecodeError):
        return Problem(MALFORMED_JSON, f"The service cannot read a command: {error}.")
    game = await services.games.game(game_id, 0)  # the cached game is the one that refused
    seat = seat_of(game, player)
    url = f"/v1/games/{game.id}/options"
    return refused(error, services.catalogues(game.ruleset), game.decisions, seat, url, orders.path(error.number))
