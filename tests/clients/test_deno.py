"""The TypeScript package in Deno: some of what the other tests ask in Node, a test of each part."""

from collections.abc import Callable, Iterator

import pytest

from tests.clients import test_calls, test_proofs, test_streams, test_webhooks
from tests.clients.packed import Speaker, speaking


@pytest.fixture(scope="module")
def deno() -> Iterator[Speaker]:
    with speaking("deno") as running:
        yield running


@pytest.mark.parametrize(
    "test",
    [
        test_calls.test_what_was_decided_for_an_older_version_is_decided_again,
        test_calls.test_a_refusal_names_its_rule_and_is_not_sent_again,
        test_calls.test_a_picture_is_fetched_byte_for_byte,
        test_streams.test_it_goes_on_after_the_last_whole_frame,
        test_streams.test_a_silent_stream_is_lost_and_what_a_proxy_holds_back_is_fetched,
        test_streams.test_a_service_that_restarts_is_found_again,
        test_streams.test_types_that_are_not_known_are_delivered_as_unknown,
        test_webhooks.test_what_the_service_did_not_sign_is_not,
        test_proofs.test_a_chain_is_followed_event_by_event,
        test_proofs.test_a_certificate_is_checked_and_what_is_wrong_is_named,
    ],
)
def test_deno_does_what_node_does(deno: Speaker, test: Callable[[Speaker], None]) -> None:
    test(deno)
