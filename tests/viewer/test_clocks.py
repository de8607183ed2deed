"""The clocks of the page show what the rules say that they show."""

from random import Random

from msgspec import to_builtins

from domain.kernel.log.clock import PRESETS, milliseconds, moment
from service.games.clocks import clocks_view
from tests.domain.kernel.log.test_clock_proofs import random_game
from tests.viewer.logic import evaluate

SHOWN = """async (cases) => {
    const { shownAt } = await import("/viewer/parts/clocks.js");
    return cases.map(({ clock, clocks, at }) => shownAt({ clock, clocks }, Date.parse(at)));
}"""


def test_the_page_knows_the_presets() -> None:
    of_page = evaluate("async () => (await import('/viewer/parts/clocks.js')).PRESETS")
    assert of_page == to_builtins(PRESETS)


def test_the_page_counts_as_the_rules_do() -> None:
    rng, cases, right = Random(5), list[object](), list[list[tuple[str, int, bool]]]()
    for seed in range(40):
        game = random_game(seed, 12).game
        view = clocks_view(game)
        if game.clocks is None or view is None or game.status != "running":
            continue
        for _ in range(5):
            # The page counts whole milliseconds from a whole one on.
            at = moment(milliseconds(game.clocks.at) + rng.choice((0, 5_000, 70_000, rng.randrange(200_000_000))))
            cases.append({"clock": to_builtins(game.clocks.clock), "clocks": to_builtins(view), "at": at})
            clocks = game.clocks
            right.append([(seat, clocks.shows(seat, at), clocks.may_fall(seat, at)) for seat in game.players])
    found = evaluate(SHOWN, cases)
    of_page = [[(each["seat"], each["left"], each["state"] == "due") for each in shown] for shown in found]
    assert [[list(each) for each in shown] for shown in of_page] == [[list(each) for each in shown] for shown in right]
    states = {each["state"] for shown in found for each in shown}
    assert states >= {"", "runs", "due", "quiet"}, states
