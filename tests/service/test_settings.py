"""Settings from the environment."""

import os
import re
from pathlib import Path

import pytest

from service.base.settings import Settings, SettingsError, from_env, meanings
from tests.helpers.citus import SETTING
from tests.helpers.postgres import kept_from_programs


def test_nothing_need_be_set() -> None:
    assert from_env({"PATH": "/bin", "TABULARIUM_PORT": ""}) == Settings()
    assert Settings().durable


def test_every_kind_of_setting_is_read() -> None:
    settings = from_env(
        {
            "TABULARIUM_DATA": "/srv/games",
            "TABULARIUM_PORT": "9000",
            "TABULARIUM_DURABLE": "False",
            "TABULARIUM_HEARTBEAT": "2.5",
            "TABULARIUM_LOG_LEVEL": "debug",
            "TABULARIUM_METRICS_PORT": "9100",
        }
    )
    expected = Settings(
        data=Path("/srv/games"), port=9000, durable=False, heartbeat=2.5, log_level="debug", metrics_port=9100
    )
    assert settings == expected
    assert settings.database == Path("/srv/games/tabularium.db")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "many"),
        ("GRACE", "inf"),
        ("PROXIES", "x"),
        ("PROXIES", "10.0.0.1/8"),
        ("PROXIES", "127.0.0.1,"),
        ("DATABASE_URL", "mysql://db/games"),
        ("REDIS_URL", "here"),
        ("TRACES_URL", "ftp://x"),
        ("METRICS_PORT", "x"),
        ("RATE_BURST", "0"),
        ("RATE_PER_TOKEN", "none"),
        ("RATE_PER_ADDRESS", "-1"),
        ("REGISTRATIONS_PER_ADDRESS", "inf"),
        ("CONNECTIONS", "off"),
        ("CONNECTIONS_PER_ADDRESS", "0"),
        ("HEADER_LIMIT", "12"),
        ("URL_LIMIT", "1000000"),
        ("HEADER_COUNT", "1"),
        ("HEADER_TIMEOUT", "0"),
        ("BODY_TIMEOUT", "nan"),
        ("PORT", "-1"),
        ("PORT", "70000"),
        ("DURABLE", "perhaps"),
        ("CACHE_GAMES", "0"),
        ("CACHE_MEMORY", "1000"),
        ("CACHE_MEMORY", "256 MiB"),
        ("LOG_LEVEL", "loud"),
        ("HEARTBEAT", "nan"),
        ("COLOUR", "red"),
        ("OIDC_ISSUER", "http://login.example.org"),
        ("OIDC_ISSUER", "https://login.example.org"),
        ("OIDC_ALGORITHMS", "RS256,HS256"),
        ("OIDC_ALGORITHMS", "none"),
        ("OIDC_SCOPES", "admins=everything"),
        ("OIDC_SCOPES", "admins=admin,"),
    ],
)
def test_bad_settings_are_refused_in_one_line(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"TABULARIUM_{name}") as error:
        from_env({f"TABULARIUM_{name}": value})
    assert "\n" not in str(error.value)
    assert not re.search(r"`|expected|regex|the contract", str(error.value)), "in words, not in those of a library"


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("PORT", "x", "a whole number from 0 to 65535"),
        ("METRICS_PORT", "x", "a whole number from 0 to 65535"),
        ("CACHE_GAMES", "0", "a whole number from 1 to 1000000, or off for no limit"),
        ("CACHE_MEMORY", "256M", "a whole number, 1024 at least"),
        ("DURABLE", "maybe", "true or false"),
        ("LOG_LEVEL", "loud", "one of debug, error, info, warning"),
        ("HEARTBEAT", "nan", "a number above 0"),
        ("RATE_PER_TOKEN", "none", "a number from 0 to 1000000, or off for no limit"),
        ("CONNECTIONS_PER_ADDRESS", "0", "a whole number from 1 to 1000000, or off for no limit"),
        ("HEADER_TIMEOUT", "0", "a number above 0, 3600 at most"),
        ("PROXIES", "proxy", "addresses and networks separated by commas, such as 10.0.0.0/8, or * for all"),
    ],
)
def test_the_values_of_a_setting_are_described_in_words(name: str, value: str, takes: str) -> None:
    with pytest.raises(SettingsError) as error:
        from_env({f"TABULARIUM_{name}": value})
    assert str(error.value) == f"TABULARIUM_{name}={value!r}: it takes {takes}"


@pytest.mark.parametrize("proxies", ["*", "127.0.0.1", "10.0.0.0/8,172.16.0.0/12", "::1, fd00::/8"])
def test_proxies_are_addresses_and_networks(proxies: str) -> None:
    assert from_env({"TABULARIUM_PROXIES": proxies}).proxies == proxies.replace(" ", "")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:sesame@db/games?password=sesame&x=1", "postgresql://me:…@db/games?password=…&x=…"),
        ("postgresql://me:ses@me:ses@me/sesame@db:5432/games", "postgresql://me:…@db:5432/games"),
        ("postgresql://me@db:5432/games", "postgresql://me@db:5432/games"),
        ("postgresql:///games?host=/run/db", "postgresql:///games?host=…"),
    ],
)
def test_a_password_is_never_repeated(url: str, shown: str) -> None:
    settings = from_env({"TABULARIUM_DATABASE_URL": url})
    assert settings.database_url == url
    assert settings.visible_values()["database_url"] == shown
    assert "sesame" not in repr(settings)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://traces.example/v1?api-key=sesame&x=1", "https://traces.example/v1?api-key=…&x=…"),
        ("https://traces.example/v1?x=1&token=a@sesame?x", "https://traces.example/v1?x=…&token=…"),
        ("https://traces.example/v1?sesame", "https://traces.example/v1?…"),
        ("https://traces.example:4318/v1/traces", "https://traces.example:4318/v1/traces"),
    ],
)
def test_a_key_in_an_address_is_never_repeated(url: str, shown: str) -> None:
    settings = from_env({"TABULARIUM_TRACES_URL": url})
    assert settings.visible_values()["traces_url"] == shown
    assert "sesame" not in repr(settings)


ISSUER = {"TABULARIUM_OIDC_ISSUER": "https://login.example.org", "TABULARIUM_OIDC_AUDIENCE": "tabularium"}


@pytest.mark.parametrize("name", ["log_key", "oidc_client_secret"])
def test_a_secret_is_never_repeated(name: str) -> None:
    given = {**ISSUER, "TABULARIUM_OIDC_CLIENT_ID": "pages", f"TABULARIUM_{name.upper()}": "PRIVATE+KEY+sesame"}
    settings = from_env(given)
    assert getattr(settings, name) == "PRIVATE+KEY+sesame"
    assert settings.visible_values()[name] == "…"
    assert "sesame" not in repr(settings)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"TABULARIUM_OIDC_CLIENT_ID": "pages"}, "OIDC_ISSUER"),
        ({**ISSUER, "TABULARIUM_OIDC_CLIENT_SECRET": "sesame"}, "OIDC_CLIENT_ID"),
    ],
)
def test_a_client_belongs_to_an_issuer_and_a_secret_to_a_client(given: dict[str, str], missing: str) -> None:
    with pytest.raises(SettingsError, match=f"needs TABULARIUM_{missing}") as error:
        from_env(given)
    assert "sesame" not in str(error.value)


@pytest.mark.parametrize("url", ["mysql://me:sesame@db/games", "postgres:/me:sesame@db/games", "me:sesame@db"])
def test_a_password_is_not_repeated_in_a_complaint(url: str) -> None:
    with pytest.raises(SettingsError) as error:
        from_env({"TABULARIUM_DATABASE_URL": url})
    assert "sesame" not in str(error.value)


HOME = "postgresql://me:sesame@one/games"
SERVERS = "0-7,12=postgresql://me:sesame@two:5432/games?password=sesame 40-63=postgres://me:ses@me@three,four/games"


def test_books_are_given_to_servers() -> None:
    settings = from_env({"TABULARIUM_DATABASE_URL": HOME, "TABULARIUM_BOOK_SERVERS": f" {SERVERS} "})
    urls = [HOME, *(part.partition("=")[2] for part in SERVERS.split())]
    kept = [[*range(8, 12), *range(13, 40)], [*range(8), 12], [*range(40, 64)]]
    assert [(url, sorted(books)) for url, books in settings.servers.items()] == [*zip(urls, kept, strict=True)]
    assert from_env({"TABULARIUM_DATABASE_URL": HOME}).servers == {HOME: frozenset(range(64))}
    shown = settings.visible_values()["book_servers"]
    assert shown == "0-7,12=postgresql://…@two:5432/games?… 40-63=postgres://…@three,four/games"
    assert "ses" not in repr(settings).replace("…@", "")


@pytest.mark.parametrize(
    ("servers", "wrong"),
    [
        ("0-7=postgresql://me:sesame@two/a 7-9=postgresql://me:sesame@three/a", "names book 7 twice"),
        ("0-64=postgresql://me:sesame@two/a", "names book 64: books are 0 to 63"),
        ("0-63=postgresql://me:sesame@two/a", "leaves no book to TABULARIUM_DATABASE_URL"),
        ("9-3=postgresql://me:sesame@two/a", "has the span 9-3: write it as 3-9"),
        ("0=postgresql://me:sesame@two/a 2=postgresql://me:sesame@two/a", "names postgresql://me:…@two/a again"),
        (f"0={HOME}", "names postgresql://me:…@one/games again"),
        ("0-7:me:sesame@two/a", "it takes books and addresses, separated by spaces: 32-47=postgresql://user"),
        ("postgresql://me:sesame@two/a", "it takes books and addresses"),
        ("0-7=mysql://me:sesame@two/a 8=me:sesame@three", "it takes books and addresses"),
        ("0-7=postgresql://me:sesame@two/a8=postgresql://me:sesame@three/a 9=", "it takes books and addresses"),
    ],
)
def test_a_map_of_books_to_servers_that_is_none_is_refused_in_one_line(servers: str, wrong: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(wrong)) as error:
        from_env({"TABULARIUM_DATABASE_URL": HOME, "TABULARIUM_BOOK_SERVERS": servers})
    assert str(error.value).startswith("TABULARIUM_BOOK_SERVERS")
    assert "\n" not in str(error.value)
    assert "sesame" not in str(error.value)


def test_a_map_of_books_needs_a_home() -> None:
    with pytest.raises(SettingsError, match="TABULARIUM_BOOK_SERVERS needs TABULARIUM_DATABASE_URL"):
        from_env({"TABULARIUM_BOOK_SERVERS": "0-7=postgresql://two/games"})


def test_a_standby_is_that_of_one_database() -> None:
    standby = {"TABULARIUM_STANDBY_URL": "postgresql://me:sesame@two,three/games"}
    assert "sesame" not in repr(from_env({"TABULARIUM_DATABASE_URL": HOME, **standby}))
    with pytest.raises(SettingsError, match="TABULARIUM_STANDBY_URL needs TABULARIUM_DATABASE_URL"):
        from_env(standby)
    with pytest.raises(SettingsError, match="TABULARIUM_STANDBY_URL is for one server") as error:
        from_env({"TABULARIUM_DATABASE_URL": HOME, "TABULARIUM_BOOK_SERVERS": SERVERS, **standby})
    assert "sesame" not in str(error.value)


def test_an_issuer_is_trusted_with_what_it_may_grant() -> None:
    settings = from_env(
        {
            "TABULARIUM_OIDC_ISSUER": "https://login.example.org/realms/games",
            "TABULARIUM_OIDC_AUDIENCE": "tabularium",
            "TABULARIUM_OIDC_ALGORITHMS": "ES256,EdDSA",
            "TABULARIUM_OIDC_SCOPES": "games-admin=admin,players=play",
        }
    )
    assert settings.oidc_scope_names == {"games-admin": "admin", "players": "play"}
    assert from_env({}).oidc_scope_names == {}


OFF = {"rate_per_token": "off", "rate_per_address": "off", "registrations_per_address": "off"}
COUNTS = {"connections": 2000, "connections_per_address": 100}


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "localhost"])
def test_no_rates_are_limited_where_only_this_machine_comes_in(host: str) -> None:
    settings = from_env({"TABULARIUM_HOST": host})
    assert settings.limits == {**OFF, **COUNTS}
    assert settings.unlimited == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "games.example.org"])
def test_rates_are_limited_where_others_come_in_unless_it_is_said(host: str) -> None:
    limits = {"rate_per_token": 50, "rate_per_address": 200, "registrations_per_address": 30, **COUNTS}
    assert from_env({"TABULARIUM_HOST": host}).limits == limits
    settings = from_env({"TABULARIUM_HOST": host, "TABULARIUM_RATE_PER_TOKEN": "20"})
    assert settings.limits == {**limits, "rate_per_token": 20}
    assert settings.visible_values()["rate_per_address"] == 200
    assert settings.unlimited == []


@pytest.mark.parametrize("off", ["off", "Off", "0"])
def test_limits_are_turned_off_by_the_word(off: str) -> None:
    given = {f"TABULARIUM_{name.upper()}": off for name in OFF}
    settings = from_env({**given, "TABULARIUM_CONNECTIONS_PER_ADDRESS": "off", "TABULARIUM_HOST": "0.0.0.0"})
    assert settings.limits == {**OFF, **COUNTS, "connections_per_address": "off"}
    assert settings.unlimited == [*given, "TABULARIUM_CONNECTIONS_PER_ADDRESS"]
    closed = from_env({**given, "TABULARIUM_REGISTRATION": "false", "TABULARIUM_HOST": "0.0.0.0"})
    assert "TABULARIUM_REGISTRATIONS_PER_ADDRESS" not in closed.unlimited, "nobody registers there"


def test_what_is_told_to_the_tests_does_not_reach_programs_that_they_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "postgresql://superuser@coordinator/postgres")
    with kept_from_programs():
        assert from_env(os.environ) == Settings()
    assert os.environ[SETTING]


def test_every_setting_says_what_it_means() -> None:
    said = meanings()
    assert list(said) == list(Settings.__struct_fields__)
    assert all(meaning.endswith(".") for meaning in said.values()), said
    assert said["grace"] == "seconds that open requests have to finish when the service stops."
