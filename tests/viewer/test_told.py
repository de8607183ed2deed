"""What inboxes, devices and pages say of notices: the same, and of every kind."""

from domain.kernel.ids import Seat
from projections.inbox import KINDS
from projections.tournaments import TournamentKind
from service.webhooks import personal
from tests.viewer.logic import evaluate


def test_pages_have_words_and_a_switch_for_every_kind_of_notice():
    page = """async (kinds) => {
      const { KINDS, OTHERS, sentence } = await import('/viewer/parts/told.js');
      return { said: kinds.map((kind) => sentence({ kind, seat: 'red' })), kinds: Object.keys(KINDS), others: OTHERS };
    }"""
    told = evaluate(page, list(KINDS))
    assert told["said"] == [personal.sentence(kind, Seat("red")) for kind in KINDS]
    assert sorted(told["kinds"]) == sorted(["your-turn", *KINDS])
    assert sorted(told["others"]) == sorted(set(KINDS) - set(TournamentKind.__args__))
