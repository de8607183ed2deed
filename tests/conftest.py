"""What the whole test session starts and stops."""

from tests.postgres import stop_shared_cluster


def pytest_sessionfinish() -> None:
    stop_shared_cluster()
