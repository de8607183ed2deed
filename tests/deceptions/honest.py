"""Honest services, which nobody may accuse."""

from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from domain.kernel.rules.refusal import Refusal
from service.transparency.follower import Follower
from service.transparency.keys import check
from service.transparency.witness import Witness
from tests.deceptions.observers import rejected, uncertified, unproved
from tests.deceptions.service import CLUB, OPEN, TIME, Service
from tests.forgeries.games import player
from tests.helpers.judging import JUDGE, OTHER_JUDGE, Court
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, SEATS, TinyAuction


def alarms(seed: int, directory: Path, met: Counter[str] | None = None) -> list[str]:
    """Let an honest service serve random games, forks and cases; return what anybody says against it: nothing.

    What kinds of forks and rulings there were is counted in `met`.
    """
    rng, service = Random(seed), Service()
    witness = Witness(CLUB, OPEN, directory / "witness.db", lambda: TIME)
    follower = Follower(service, OPEN, directory / "follower", check, pause=lambda seconds: None)
    courts = [Court(Play(TinyAuction(), ROOM, 3, seed * 10 + each), f"c{each}") for each in range(3)]
    forks: list[Play] = []
    certificates: list[tuple[str, str]] = []
    found: list[str] = []
    for _ in range(6):
        for court in courts:
            for _ in range(rng.randrange(12)):
                with suppress(Refusal):
                    goes_on(court, rng)
            if rng.random() < 0.25:
                with suppress(Refusal):
                    forks.append(branch(court, rng, len(forks)))
        for fork in forks:
            for _ in range(rng.randrange(4)):
                if fork.game.status == "running":
                    fork.step(rng)
        moved = [service.show(play.export()) for play in (*(court.play for court in courts), *forks)]
        moved += [service.show(court.export()) for court in courts if court.records]
        service.sign()
        found.append(service.ask(witness))
        found += [rejected(service.newest)]
        if rng.random() < 0.7:
            found += [each.message for each in follower.look(rng.choice((0, 2, None))).findings]
            certificates += [(stream, service.certificate(stream) or "") for stream in rng.sample(moved, 2)]
    follower.close()
    if met is not None:
        met.update(str(fork.game.forked and fork.game.forked.purpose) for fork in forks)
        met.update("withheld" for fork in forks if fork.game.forked and fork.game.forked.withheld)
        met.update(ruled.decision for court in courts if court.records and (ruled := court.case.ruling) is not None)
    found += [*unproved(service), *(uncertified(service, stream, given) for stream, given in certificates)]
    return list(filter(None, found))


def goes_on(court: Court, rng: Random) -> None:
    """Let something happen in a game or its case. Raises `Refusal`."""
    play, somebody = court.play, player(rng.choice(SEATS[:3]))
    if rng.random() < 0.8:
        if play.game.status == "running" and play.game.around.paused is None:
            play.step(rng)
    elif not court.records:
        court.open(somebody, "slip", play.game.version)
    else:
        act: Any = rng.choice((court.state, court.answer, court.appeal, court.consent, court.rule))
        if act == court.rule:
            decision, more = ruling(court, rng)
            court.rule(rng.choice((JUDGE, OTHER_JUDGE)), decision, **more)
        else:
            act(somebody)


def ruling(court: Court, rng: Random) -> tuple[str, dict[str, Any]]:
    """Return a decision that the game allows as it stands."""
    possible: list[tuple[str, dict[str, Any]]] = [("stands", {})]
    if court.play.game.status == "running":
        possible.append(("pause" if court.play.game.around.paused is None else "resume", {}))
        possible += [("back", {"to": to}) for to in sorted(court.facts.starts())[-1:]]
    if court.play.game.status == "over":
        possible.append(("result", {"order": tuple((seat,) for seat in rng.sample(list(court.facts.seats), 3))}))
        possible += [("continue", {"to": game}) for game in court.forks] * 4
    return rng.choice(possible)


def branch(court: Court, rng: Random, number: int) -> Play:
    """Fork a game where somebody may; its players sit down in a continuation. Raises `Refusal`."""
    play, purpose = court.play, "continuation" if rng.random() < 0.5 else "analysis"
    by = rng.choice([*(player(seat) for seat in SEATS[:3]), JUDGE])
    fork = play.fork(rng.choice(list(play.at_each_version)), purpose, by, number)
    if purpose == "continuation":
        court.forks[fork.game.id] = fork
        for seat, holder in fork.game.kept_seats.items():
            if rng.random() < 0.7:
                fork.sit(seat, holder)
    return fork
