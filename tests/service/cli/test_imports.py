"""``tabularium import``: a recorded game is brought to a service in a process of its own, and looked at there."""

from pathlib import Path

from tests.service.api.test_imports import recorded
from tests.service.cli.calling import Call, http, serving


def test_a_recorded_game_is_brought_once_and_a_forged_one_never(call: Call, tmp_path: Path) -> None:
    file, forged, packed = (tmp_path / name for name in ("game.jsonl", "forged.jsonl", "packed"))
    content = recorded()
    file.write_bytes(content)
    forged.write_bytes(content.replace(b'"draws":1,', b'"draws":2,', 1))
    packed.write_bytes(b"\x1f\x8b\xff")
    (tmp_path / "proof").write_text("none")
    with serving(tmp_path / "data") as service:
        token = service.player()["authorization"].removeprefix("Bearer ")
        with_token = ("--url", service.address, "--token", token)
        said, again = (call("import", file, *with_token) for _ in range(2))
        assert (said.code, said.err) == (again.code, again.err) == (0, "")
        assert "nobody vouches for it" in said.out
        assert said.out == again.out
        (item,) = http.get(f"{service.address}/v1/imports").json()["items"]
        assert f"{service.address}/imports/{item['id']}" in said.out
        assert http.get(f"{service.address}/v1/imports/{item['id']}/export").content == content
        drawn = http.get(f"{service.address}/v1/imports/{item['id']}/board.svg?version=40")
        assert (drawn.status_code, drawn.text[:4]) == (200, "<svg")
        wrong = call("import", forged, *with_token)
        assert (wrong.code, "not imported (TAB-IMP-01)" in wrong.out) == (1, True)
        assert "is not UTF-8" in call("import", packed, *with_token).complaint
        assert "without a policy" in call("import", file, *with_token, "--certificate", packed.with_name("proof")).out
        assert "--token" in call("import", file, "--url", service.address).err
