"""What the players are asked, in words."""

import re

import msgspec

from service.bots.registry import bot_for
from service.bots.simulation import Plan, Simulation


def test_one_piece_is_asked_for_in_the_singular():
    played = Simulation(Plan("conquest-classic-friz", seats=3, seed=7, rounds=8))
    played.bot = bot_for("conquest-classic-friz", played.rng, msgspec.to_builtins(played.game.board))
    asked = {
        title
        for step in played.play()
        for decision in step.game.decisions
        if decision.about.get("hits", decision.about.get("size")) == 1
        for seat in decision.seats
        for title in (decision.title, *(option.title for option in step.game.options(seat, played.vault)))
    }
    assert "Which retreating unit do you eliminate?" in asked
    assert "Choose the unit that is hit" in asked
    assert not [title for title in asked if re.search(r"\b1 \w*\s?(units|galleys)|\bunit are\b", title)]
