"""``tabularium mirror``, with a service that really runs."""

import time
from pathlib import Path

from tests.service.cli.calling import Call, http, serving


def test_a_service_is_copied_again_and_again_and_its_copy_proved(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    with serving(tmp_path / "data") as service:
        games = [service.game(service.player()) for _ in range(2)]
        while any(http.get(f"{service.address}/v1/games/{game}/certificate").status_code == 404 for game in games):
            time.sleep(0.1)
        said = call("mirror", service.address, folder)
        assert (said.code, said.err) == (0, "")
        believing, counted = said.out.splitlines()
        assert believing.endswith(str(folder / "policy"))
        assert counted.endswith("entries. 2 copied, 0 hidden, 0 missing, 0 different, 0 as before.")
        assert {file.name for file in (folder / "games").iterdir()} == {f"{game}.jsonl.gz" for game in games}
        assert call("verify", folder).out.endswith("\n2 proved, 0 not proved, 0 not read.\n")
        again = call("mirror", service.address, folder)
        assert (again.code, again.out.partition("entries. ")[2]) == (
            0,
            "0 copied, 0 hidden, 0 missing, 0 different, 2 as before.\n",
        )
        # Another key than the one that the copy began with is not believed.
        other = call("transparency", "key", "--to", tmp_path / "other.key", "games.example/other").out.strip()
        (folder / "policy").write_text(f"log {other}\nquorum none\n")
        said = call("mirror", service.address, folder)
        assert (said.code, "DOES NOT FIT: The checkpoint that the service shows is not accepted" in said.out) == (
            1,
            True,
        )
        assert service.interrupt() == 0
    assert "is not an address" in call("mirror", "localhost", folder).complaint
    assert "cannot be reached" in call("mirror", "http://127.0.0.1:9", tmp_path / "new").complaint
    said = call("mirror", "http://127.0.0.1:9", folder)
    assert (said.code, "cannot be reached" in said.err) == (2, True)
