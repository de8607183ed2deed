"""What a service can do with its games and cases."""

from collections.abc import Callable
from random import Random

import msgspec

from tests.deceptions.service import (
    CASE,
    FORKED,
    HIDING,
    NOBODYS,
    OVER,
    RUNNING,
    WITHHELD,
    Service,
    disputed,
    forked,
    hiding,
)
from tests.forgeries.games import MALLORY, finished, player
from tests.helpers.forger import Change, Line, forged_in_parts, lines_of, rows, rows_of, whole
from tests.helpers.judging import OTHER_JUDGE
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, SEATS, TinyAuction


def removes(service: Service) -> None:
    service.hide(OVER)


def cuts(service: Service) -> None:
    """The last commands are gone, and the game goes on."""
    play = finished()
    versions = sorted(play.at_each_version)
    service.show(play.at(versions[-4]).export())


def plays_again() -> Play:
    """Return the game that is over, played again with its secret: the same dice, other commands."""
    return Play(TinyAuction(), ROOM, 3, 3).run(Random(99))


def plays_it_again(service: Service) -> None:
    service.show(plays_again().export())


def replaces_a_command(lines: list[Line]) -> None:
    row = rows(lines, "card-chosen")[-1]
    row["cause"] = rows(lines, "card-chosen")[0]["cause"]


def lets_another_win(lines: list[Line]) -> None:
    event = rows(lines, "prize-taken")[0]["event"]
    event["seat"] = next(seat for seat in SEATS if seat != event["seat"])


def inserts_a_ruling(lines: list[Line]) -> None:
    last = rows_of(lines)[-1]
    event = {"type": "moves-retracted", "by": "ruling", "reason": "It was so.", "to": 7}
    lines.insert(lines.index(last) + 1, last | {"event": event, "cause": {"player": MALLORY}, "schema": 1})


def resumes_in_the_name_of_the_case(service: Service) -> None:
    """The game goes on by a ruling that the case does not have."""
    play = disputed().play
    versions = sorted(play.at_each_version)
    play = play.at(versions[-1])
    play.rule_resume(msgspec.structs.replace(play.on_a_case, player=OTHER_JUDGE, case=disputed().id))
    service.log(service.show(play.export()))


def leaves_a_ruling_out(service: Service) -> None:
    """The game is told without the pause that the last ruling ordered."""
    play = disputed().play
    service.show(play.at(play.game.version - 1).export())


def rules_otherwise(lines: list[Line]) -> None:
    event = rows(lines, "ruled")[0]["event"]
    event["decision"] = "stands"
    del event["to"]


def rules_for_a_friend(service: Service) -> None:
    """The case and its game are told alike, each with a chain that is whole."""
    court = disputed("They are a friend of mine.")
    service.show(court.play.export())
    service.show(court.export())


def ruled_by_a_player(lines: list[Line]) -> None:
    rows(lines, "ruled-finally")[0]["cause"]["player"] = player(SEATS[2])


def puts_words_into_a_mouth(service: Service) -> None:
    lines = lines_of(service.exports[CASE])
    next(line for line in lines if "statement" in line)["statement"]["written"]["text"] = "I cheated."
    service.show(whole(lines))


def drops_the_case(service: Service) -> None:
    service.hide(CASE)


def forks_otherwise(change: Change) -> Callable[[Service], None]:
    """Tell a fork otherwise, with a past that fits, and sign its new head."""

    def lies(service: Service) -> None:
        service.log(service.show(forged_in_parts(service.exports[FORKED], change)))

    return lies


def from_a_version_that_never_was(lines: list[Line]) -> None:
    """The past of the fork has another winner of a prize."""
    lets_another_win(lines[: next(at for at, line in enumerate(lines) if "past" in line)])


def from_another_version(lines: list[Line]) -> None:
    rows(lines, "game-forked")[0]["event"]["version"] -= 1


def of_a_game_that_went_otherwise(service: Service) -> None:
    """The fork is of a game that was played again; what it says of its parent fits together."""
    service.log(service.show(forked(plays_again()).export()))


def withholds_what_is_over(service: Service) -> None:
    """The game is over for whose sake a fork was withheld, and the fork is still not shown."""
    service.log(service.show(hiding().run(Random(6)).export()))
    _, first = service.withheld[WITHHELD]
    service.withheld[WITHHELD] = NOBODYS, first


def withholds_another_game(service: Service) -> None:
    service.withheld[RUNNING] = NOBODYS, rows_of(lines_of(service.exports[RUNNING]))[0]


def withholds_what_began_otherwise(service: Service) -> None:
    until, first = service.withheld[WITHHELD]
    service.withheld[WITHHELD] = until, first | {"event": first["event"] | {"withheld": NOBODYS}}


def removes_what_it_withholds_for(service: Service) -> None:
    service.hide(HIDING)


def goes_on_after_the_end(lines: list[Line]) -> None:
    last = rows_of(lines)[-1]
    event = {"type": "official-named", "player": MALLORY}
    lines.insert(lines.index(last) + 1, last | {"event": event, "cause": {"player": "organizer"}, "schema": 1})


def and_signs(lie: Callable[[Service], object], stream: str) -> Callable[[Service], None]:
    """Tell a lie, and sign the new head of the stream."""

    def lies(service: Service) -> None:
        lie(service)
        service.log(stream)

    return lies


def forging(change: Change, stream: str) -> Callable[[Service], None]:
    return lambda service: service.forge(stream, change)
