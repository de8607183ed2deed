"""Inboxes, devices and pages have the same words for a notification, and words for every kind."""

from typing import get_args

from domain.kernel.ids import Seat
from projections.inbox import KINDS
from projections.tournaments import TournamentKind
from service.webhooks import personal
from tests.viewer.logic import evaluate


def test_pages_have_words_and_a_switch_for_every_kind_of_notice():
    page = """async (kinds) => {
      const { KINDS, GAME_KINDS, sentence } = await import('/viewer/parts/notifications.js');
      const sentences = kinds.map((kind) => sentence({ kind, seat: 'red' }));
      return { sentences, switches: Object.keys(KINDS), ofGames: GAME_KINDS };
    }"""
    found = evaluate(page, list(KINDS))
    assert found["sentences"] == [personal.sentence(kind, Seat("red")) for kind in KINDS]
    assert sorted(found["switches"]) == sorted(["your-turn", *KINDS])
    assert sorted(found["ofGames"]) == sorted(set(KINDS) - set(get_args(TournamentKind)))
