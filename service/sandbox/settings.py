"""The settings of a sandbox: those of a service, without anything that belongs to another one."""

from typing import Final

from msgspec.structs import asdict

from service.base.settings import PREFIX, Settings, SettingsError

ELSEWHERE: Final = (
    *("database_url", "redis_url", "log_key", "log_policy", "webhook_key", "push_key"),
    *("smtp_url", "oidc_issuer"),
)
"""Settings that lead to what others share, or are secret."""


class SandboxSettings(Settings, frozen=True):
    """The settings of a sandbox. Only code makes them, so no variable can turn a service into a sandbox."""

    @property
    def is_sandbox(self) -> bool:
        return True


def sandbox_settings(settings: Settings) -> SandboxSettings:
    """Return the settings of a sandbox. Raises `SettingsError` for settings that it must not have."""
    if wrong := [name for name in ELSEWHERE if getattr(settings, name)]:
        raise SettingsError(
            f"{PREFIX}{wrong[0].upper()} is set, but a sandbox keeps all to itself: start it without that variable"
        )
    # Here clocks and tournaments are looked at when the time is moved, not by the time of day.
    return SandboxSettings(**{**asdict(settings), "clocks": False, "tournaments": False, "durable": False})
