"""A local view, to which frames are applied, is what the service shows at each version."""

from itertools import islice
from typing import Final

import pytest

from domain.library import LIBRARY
from tests.clients.packed import Speaker
from tests.clients.views import as_json, different, shown
from tests.helpers.sampling import sampled
from tests.recorded import Recorded, recorded

CURRENT: Final = [each for each in recorded() if each.version == LIBRARY.current(each.ruleset).version]
DRAWN: Final = sampled("recorded games that clients draw", CURRENT, 1)
VERSIONS: Final = 150


@pytest.mark.parametrize("recording", DRAWN, ids=str)
def test_frames_add_up_to_what_the_service_shows(package: Speaker, recording: Recorded) -> None:
    count, wrong = different(package, recording, VERSIONS)
    assert count == VERSIONS
    assert wrong == []


def test_a_frame_is_applied_to_the_version_before_it_only(package: Speaker) -> None:
    (_, scene), _, (frame, _) = map(list, islice(shown(DRAWN[0], 3), 3))
    said = package.ask("apply", scene=as_json(scene), frame=as_json(frame), expected=None)
    assert said == {"error": "version 2 does not follow version 0"}
