"""Examples of the endpoints of `service.api.games`: games, invitations, seats, clocks, officials, bots and upgrades."""

import msgspec

from domain.kernel.ids import CaseId, PlayerId
from domain.kernel.log import beginning, officials, seating, timing
from domain.kernel.log.clock import PRESETS, Clock
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause
from domain.kernel.log.upgrading import upgrade
from domain.kernel.rules.papers import Line, Paper, Section
from service.api.games.bodies import (
    BotWanted,
    ClockWanted,
    GamePage,
    InvitationPage,
    Invited,
    Joined,
    JoinGame,
    Listing,
    NewInvitation,
    OfferWanted,
    PapersView,
    TakeSeat,
    TimeGift,
    Upgrade,
    UpgradeChecked,
)
from service.api.games.views import game_detail, game_summary, invitation_view
from service.api.rulesets.bodies import DocumentView, rule_changes
from service.api.scene import AT, SECRET, Example, Scene
from service.games.views import Viewer
from service.store.accounts import InvitationId, InvitationRow


def examples(scene: Scene) -> dict[str, Example]:
    created, joined, me = scene.created.game, scene.joined[0], scene.players[0]
    row, players, viewer = scene.row(scene.now), scene.accounts, scene.viewer(scene.now)
    seat = next(iter(scene.now.players))
    return {
        "createGame": Example(
            game_detail(scene.row(created), created, players, Viewer(me.player)),
            {"ruleset": scene.ruleset.id, "players": len(scene.players), "title": row.title},
        ),
        "listGames": Example(GamePage((game_summary(row, players, PRESETS["fast"]),), None)),
        "showGame": Example(game_detail(row, scene.now, players, viewer)),
        "showGameDocument": Example(DocumentView(f"sha256:{'5c' * 32}", {"title": "My cards", "nations": []})),
        "showPapers": Example(_papers(scene)),
        "changeGame": Example(
            game_detail(msgspec.structs.replace(row, title="Sunday evening"), scene.now, players, viewer),
            {"title": "Sunday evening"},
        ),
        "listGame": Example(game_detail(row, scene.now, players, viewer, listed=False), Listing(listed=False)),
        **_invitations(scene),
        "cancelGame": Example(scene.accepted(created, beginning.cancel(created, Cause(me.player), AT))),
        "takeSeat": Example(scene.accepted(created, joined), TakeSeat(seat, f"dice of {me.name}")),
        "leaveSeat": Example(scene.accepted(joined.game, seating.leave_seat(joined.game, seat, Cause(me.player), AT))),
        "startGame": Example(scene.accepted(scene.joined[-1].game, scene.started)),
        **_officials(scene),
        **_bots(scene),
        **_clocks(scene),
        **_seats(scene),
        **_upgrades(scene),
    }


def _papers(scene: Scene) -> PapersView:
    """Return the papers of a game that has some."""
    lines = (Line("Counters: 22 infantry", "ours", "a guess after [R1]"), Line("Has turns in rounds 1 to 9", "stated"))
    origins = {"stated": "stated in the rules", "ours": "made up by us; not the printed card"}
    paper = Paper("celts", "Celts", (Section("The nation", lines),), "cards")
    return PapersView(scene.now.id, origins, {"R1": "the rule book"}, (paper,))


def _invitations(scene: Scene) -> dict[str, Example]:
    """Return how somebody is invited to the game while one seat is free."""
    game, seat = scene.joined[-2].game, list(scene.joined[-1].game.players)[-1]
    row = InvitationRow(InvitationId("i8w3c6k2p5t7v4nxqm"), game.id, AT)
    summary = game_summary(scene.row(game), scene.accounts, PRESETS["slow"], listed=False)
    return {
        "invite": Example(NewInvitation("inv_b4Xr8TqZ1uV5wY7cK0mN2pS6dF9hJ3gL4aQ8eR1tU5w", invitation_view(row))),
        "listInvitations": Example(InvitationPage((invitation_view(row),), None)),
        "revokeInvitation": Example(invitation_view(msgspec.structs.replace(row, revoked=AT))),
        "showInvitation": Example(Invited(summary, scene.players[0].name, 90, 1, None)),
        "followInvitation": Example(Joined(game.id, seat, game.version + 1), JoinGame("dice of a friend")),
    }


def _officials(scene: Scene) -> dict[str, Example]:
    game, organizer = scene.now, Cause(scene.now.organizer)
    naming = officials.name_official(game, PlayerId("p7c2m9k4x6v8b3nwq"), organizer, AT)
    released = officials.release_official(naming.game, PlayerId("p7c2m9k4x6v8b3nwq"), organizer, AT)
    judge = Cause(PlayerId("p7c2m9k4x6v8b3nwq"))
    on_a_case = msgspec.structs.replace(judge, case=CaseId("c5k2m9x7q4w8t3vnb"))
    paused = officials.rule_pause(naming.game, "A die fell off the table.", on_a_case, AT)
    return {
        "nameOfficial": Example(scene.accepted(game, naming)),
        "releaseOfficial": Example(scene.accepted(naming.game, released)),
        "resumeGame": Example(scene.accepted(paused.game, officials.resume(paused.game, judge, AT))),
    }


def _bots(scene: Scene) -> dict[str, Example]:
    """Return how a bot takes the last seat, and is taken away again."""
    game = scene.joined[-2].game
    seat, bot = list(game.players)[-1], PlayerId("p3v8t5s2w9x7c4k6m")
    taking = seating.take_seat(game, seat, "", Cause(bot), AT)
    leaving = seating.leave_seat(taking.game, seat, Cause(bot), AT)
    return {
        "seatBot": Example(scene.accepted(game, taking), BotWanted("greedy")),
        "removeBot": Example(scene.accepted(taking.game, leaving)),
    }


def _clocks(scene: Scene) -> dict[str, Example]:
    """Return examples with clocks. Except for `setClock`, they use the scene's game as it would begin with a clock."""
    created, organizer = scene.created.game, Cause(scene.now.organizer)
    setting = timing.set_clock(created, PRESETS["fast"], organizer, AT)
    game = _game_with_clock(scene, PRESETS["fast"])
    giver, to = list(game.players)[:2]
    gift = timing.give_time(game, giver, to, 3600, Cause(game.players[giver]), AT)
    off = timing.take_day_off(game, giver, Cause(game.players[giver]), AT)
    late = _game_with_clock(scene, Clock(kind="bank", time=3600, at_zero="claim"))
    fall = late.clocks.next_fall() if late.clocks is not None else None
    assert fall is not None, "a game that has begun waits for somebody"
    other = next(seat for seat in late.players if seat != fall[1])
    asks = Cause(late.players[other], other)
    claimed = timing.fall(late, fall[1], late.chance(SECRET), scene.vault, fall[0], asks)
    return {
        "setClock": Example(scene.accepted(created, setting), ClockWanted("fast")),
        "giveTime": Example(scene.accepted(game, gift), TimeGift(to, 3600)),
        "takeDayOff": Example(scene.accepted(game, off)),
        "claimFlag": Example(scene.accepted(late, claimed)),
    }


def _seats(scene: Scene) -> dict[str, Example]:
    """Return how a player offers the seat, withdraws that, and how another one takes it over; or how one resigns."""
    game, seat, friend = scene.now, scene.seat, PlayerId("p9b4n7w2c5x8k3m6t")
    own = Cause(game.players[seat], seat)
    offered = seating.offer_seat(game, seat, friend, own, AT)
    withdrawn = seating.withdraw_offer(offered.game, seat, own, AT)
    accepted = seating.take_over_seat(offered.game, seat, Cause(friend), AT)
    chance, earlier = game.chance(SECRET), lambda _: game
    resigned = seating.resign(game, seat, earlier, chance, Cause(game.players[seat]), AT)
    return {
        "offerSeat": Example(scene.accepted(game, offered), OfferWanted(friend)),
        "withdrawOffer": Example(scene.accepted(offered.game, withdrawn)),
        "acceptSeat": Example(scene.accepted(offered.game, accepted)),
        "resign": Example(scene.accepted(game, resigned)),
    }


def _game_with_clock(scene: Scene, clock: Clock) -> Game:
    """Return the game of the scene as it would begin with a clock."""
    game = timing.set_clock(scene.joined[-1].game, clock, Cause(scene.now.organizer), AT).game
    return beginning.start(game, game.chance(SECRET), Cause(game.organizer), AT).game


def _upgrades(scene: Scene) -> dict[str, Example]:
    """Return the move of the scene from version 1 of its ruleset to version 2; no example without a version 2."""
    if 2 not in scene.ruleset.versions:
        return {}
    game = msgspec.structs.replace(scene.started.game, ruleset=scene.ruleset.at(1), began_with=1)
    moved = upgrade(game, 2, game.chance(SECRET), scene.vault, Cause(game.organizer), AT)
    checked = UpgradeChecked(game.version, 1, 2, rule_changes(scene.ruleset, 1, 2))
    return {
        "upgradeGame": Example(scene.accepted(game, moved), Upgrade(2)),
        "checkUpgrade": Example(checked, Upgrade(2)),
    }
