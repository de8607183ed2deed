"""What the service's own log says, and what it never says."""

import json
from pathlib import Path

import pytest

from service.logging import configure
from tests.service.http.serving import serving


async def test_a_log_line_of_a_failure_holds_no_local_variables(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    configure("info")
    async with serving(tmp_path) as service:
        anna = await service.register("Anna")

        async def fail(*given: object, **named: object) -> object:
            canary = "do-not-tell"  # noqa: F841  # stands for a token or a secret in a frame
            raise RuntimeError("broken")

        service.house.hall.game = fail  # type: ignore[method-assign]
        assert (await service.client.get("/v1/games/some", headers=anna.headers)).status_code == 500
    said = capsys.readouterr().err
    failure = next(line for line in map(json.loads, said.splitlines()) if line["event"] == "request failed")
    assert failure["exception"][0]["exc_value"] == "broken"
    assert failure["exception"][0]["frames"][-1]["name"] == "fail"
    assert "do-not-tell" not in said
    assert anna.headers["authorization"].removeprefix("Bearer ") not in said
