"""The key of webhooks, from the command line."""

import asyncio
import stat
from pathlib import Path

import pytest

from service.base.settings import Settings
from service.store.accounts import PlayerRow
from service.store.backend import backend_of
from service.store.sqlite.lock import only_service
from service.store.webhooks import DeliveryId, DeliveryRow, HookId, HookRow
from service.webhooks.push import push_key
from service.webhooks.secrets import KeyUnusable, new_key, sealer
from tests.service.cli.calling import Call
from tests.service.rig import ANNA

AT = "2026-11-20T12:00:00.000000Z"


async def kept(settings: Settings, secret: str) -> None:
    store, sealing = await backend_of(settings).open_store(), sealer(settings)
    assert sealing is not None
    await store.accounts.add(PlayerRow(ANNA, "Anna", AT))
    url, host = "https://example.org/", "example.org"
    row = HookRow(
        HookId("w1"), ANNA, "account", "", url, host, "standard", ("case.*",), sealing.seal(secret), AT, old_secret=b""
    )
    await store.webhooks.add(row, DeliveryRow(DeliveryId("d1"), row.webhook, "ping", "{}", AT, AT), "", b"", 10)
    await store.close()


async def opened(settings: Settings) -> str:
    store, sealing = await backend_of(settings).open_store(), sealer(settings)
    row = await store.webhooks.webhook(HookId("w1"))
    await store.close()
    assert sealing is not None
    assert row is not None
    return sealing.open(row.secret)


def test_a_key_in_the_data_directory_is_replaced_with_what_it_encrypted(call: Call, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    asyncio.run(kept(settings, "whsec_x"))
    old = settings.webhook_key_file.read_text()
    said = call("webhooks", "key", "--data", tmp_path)
    assert (said.code, said.out, said.err) == (0, "", "")
    new = settings.webhook_key_file.read_text()
    assert new != old
    assert len(new.split()) == 1
    assert stat.S_IMODE(settings.webhook_key_file.stat().st_mode) == 0o600
    assert asyncio.run(opened(settings)) == "whsec_x"
    settings.webhook_key_file.write_text(old)
    with pytest.raises(KeyUnusable, match="another key"):
        asyncio.run(opened(settings))


def test_not_while_a_service_runs_on_the_directory(call: Call, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    asyncio.run(kept(settings, "whsec_x"))
    old = settings.webhook_key_file.read_text()
    with only_service(tmp_path):
        assert "service" in call("webhooks", "key", "--data", tmp_path).complaint
    assert settings.webhook_key_file.read_text() == old


def test_a_key_of_the_settings_is_replaced_in_three_steps(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, file = new_key(), tmp_path / "key"
    before = Settings(data=tmp_path, webhook_key=old)
    asyncio.run(kept(before, "whsec_x"))
    monkeypatch.setenv("TABULARIUM_WEBHOOK_KEY", old)
    assert "say with --to" in call("webhooks", "key", "--data", tmp_path).complaint
    assert call("webhooks", "key", "--to", file).code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    new = file.read_text().strip()
    monkeypatch.setenv("TABULARIUM_WEBHOOK_KEY", f"{new} {old}")
    said = call("webhooks", "reseal", "--data", tmp_path)
    assert said.out == "encrypted the secrets of 1 webhooks\n"
    assert asyncio.run(opened(Settings(data=tmp_path, webhook_key=new))) == "whsec_x"
    monkeypatch.setenv("TABULARIUM_WEBHOOK_KEY", new_key())
    assert "another key" in call("webhooks", "reseal", "--data", tmp_path).complaint
    monkeypatch.delenv("TABULARIUM_WEBHOOK_KEY")
    assert "is not set" in call("webhooks", "reseal", "--data", tmp_path).complaint


def test_the_doctor_says_when_secrets_cannot_be_decrypted(call: Call, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    asyncio.run(kept(settings, "whsec_x"))
    assert "0 of 1 webhooks are on; 1 deliveries wait, the first since 2026" in call("doctor", "--data", tmp_path).out
    settings.webhook_key_file.write_text(new_key())
    assert "the secrets of 1 webhooks cannot be decrypted" in call("doctor", "--data", tmp_path).out
    settings.webhook_key_file.unlink()
    assert "the secrets of 1 webhooks cannot be decrypted" in call("doctor", "--data", tmp_path).out


def test_a_key_for_pushes_is_made_in_a_file(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "push"
    assert call("webhooks", "push-key", "--to", file).out == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = push_key(Settings(data=tmp_path, push_key=file.read_text()))
    assert key is not None
    assert len(key.public) == 87
    assert "cannot be written" in call("webhooks", "push-key", "--to", file).complaint
    Settings(data=tmp_path).push_key_file.write_text("rubbish")
    asyncio.run(kept(Settings(data=tmp_path), "whsec_x"))
    assert "the key of web push is not one" in call("doctor", "--data", tmp_path).out
