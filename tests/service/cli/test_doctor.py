"""The doctor as an operator meets it."""

from pathlib import Path

import pytest

from tests.service.cli.calling import Call, serving


def test_the_doctor_may_come_while_the_service_works(call: Call, tmp_path: Path):
    with serving(tmp_path) as service:
        service.game(service.player())
        said = call("doctor", "--data", tmp_path)
        assert (said.code, said.err) == (0, "")
        assert f"{tmp_path} is in use by a service (process {service.process.pid})" in " ".join(said.out.split())
        assert "`--deep` does that" in " ".join(said.out.split())
        said = call("doctor", "--deep", "--data", tmp_path)
        assert (said.code, said.err) == (0, "")
        assert "ok    chains" in said.out
        assert service.interrupt() == 0
    assert call("doctor", "--data", tmp_path, "--json").json[0]["level"] == "ok"


def test_a_finding_comes_with_a_remedy_and_an_exit_code(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TABULARIUM_DATABASE_URL", "postgresql://me:sesame@127.0.0.1:1/games")
    said = call("doctor")
    assert said.code == 1
    assert "fail  database" in said.out
    assert "→ Start PostgreSQL there" in said.out
    assert "sesame" not in said.out + said.err
    assert "1 failed" in said.out

    monkeypatch.delenv("TABULARIUM_DATABASE_URL")
    monkeypatch.setenv("TABULARIUM_DURABLE", "false")
    assert call("doctor", "--data", tmp_path).code == 0
    assert call("doctor", "--data", tmp_path, "--strict").code == 1, "a warning, to those who want to know"
    monkeypatch.setenv("TABULARIUM_PORT", "many")
    assert "TABULARIUM_PORT" in call("doctor").complaint


def test_a_deep_look_that_was_asked_for_is_never_left_out_in_silence(call: Call, tmp_path: Path):
    (tmp_path / "tabularium.db").write_bytes(b"Dear Caesar")
    said = call("doctor", "--deep", "--data", tmp_path)
    assert (said.code, "fail  contents" in said.out) == (1, True), said.out
