"""The settings of a sandbox: those of a service, but for those that lead to anything outside."""

from typing import Any, Final

from msgspec.structs import asdict

from service.base.settings import PREFIX, Settings, SettingsError

ELSEWHERE: Final = (
    *("database_url", "redis_url", "log_key", "log_policy", "webhook_key", "push_key"),
    *("smtp_url", "oidc_issuer"),
)
"""The settings that a sandbox must not have: they lead to shared resources, or are secret."""


class SandboxSettings(Settings, frozen=True):
    """The settings of a sandbox. Only code can make them, so no environment variable turns a service into a sandbox."""

    @property
    def is_sandbox(self) -> bool:
        return True


def sandbox_settings(settings: Settings) -> SandboxSettings:
    """Return the settings of a sandbox. Raises `SettingsError` for settings that it must not have."""
    if wrong := [name for name in ELSEWHERE if getattr(settings, name)]:
        raise SettingsError(
            f"{PREFIX}{wrong[0].upper()} is set, but a sandbox keeps all to itself: start it without that variable"
        )
    # In a sandbox, clocks and tournaments are checked when the time is moved, not by a timer.
    changed: dict[str, Any] = {**asdict(settings), "clocks": False, "tournaments": False, "durable": False}
    return SandboxSettings(**changed)
