"""Settings from the environment."""

from pathlib import Path

import pytest

from service.settings import Settings, SettingsError, from_env


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
        }
    )
    expected = Settings(data=Path("/srv/games"), port=9000, durable=False, heartbeat=2.5, log_level="debug")
    assert settings == expected
    assert settings.database == Path("/srv/games/tabularium.db")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "many"),
        ("PORT", "-1"),
        ("PORT", "70000"),
        ("DURABLE", "perhaps"),
        ("CACHE_GAMES", "0"),
        ("LOG_LEVEL", "loud"),
        ("HEARTBEAT", "nan"),
        ("COLOUR", "red"),
    ],
)
def test_what_makes_no_sense_is_said_in_one_line(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"TABULARIUM_{name}") as error:
        from_env({f"TABULARIUM_{name}": value})
    assert "\n" not in str(error.value)


def test_a_password_is_never_repeated() -> None:
    url = "postgresql://me:sesame@db/games?password=sesame"
    settings = from_env({"TABULARIUM_DATABASE_URL": url})
    assert settings.database_url == url
    assert "sesame" not in repr(settings)
    with pytest.raises(SettingsError) as error:
        from_env({"TABULARIUM_DATABASE_URL": "mysql://me:sesame@db/games"})
    assert "sesame" not in str(error.value)
