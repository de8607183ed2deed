"""What the whole test session starts and stops, and the stores that the service is tested on."""

import gc
import itertools
from collections.abc import AsyncIterator, Iterator, Set
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers import citus, sampling
from tests.helpers.asked import telling_database
from tests.helpers.citus import NOT_TESTED, stop_shared_machines
from tests.helpers.postgres import kept_from_programs, shared_cluster, stop_shared_cluster
from tests.helpers.redis import stop_shared_server
from tests.helpers.sampling import STORES, sampled

HERE = Path(__file__).parent
LONG = {"contract", "faults", "cli", "test_instructions"}
"""Folders, and a file, in which tests are long and wait for other programs more than they work."""
PAGES = {"browser"}
"""Where tests are long, too, but those of a file begin with the same games."""

pytest_plugins = ("tests.touched.notes",)

# How long an example takes says how busy the machine is, and nothing of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("samples", "which cases of a law a run looks at (tests/README.md)")
    group.addoption("--sample-seed", metavar="SEED", help="draw the samples of another run; a run prints its seed")
    group.addoption("--all", action="store_true", dest="all_cases", help="look at every case")
    group.addoption(
        "--on-citus", action="store_true", help="have each test over a store work over a log on several machines"
    )


def pytest_configure(config: pytest.Config) -> None:
    citus.RUN.on_citus = config.option.on_citus
    if config.option.all_cases:
        return
    # The workers of a run get the options of the process that started them, and so draw the same.
    config.option.sample_seed = config.option.sample_seed or sampling.seed_of_the_commit()
    sampling.RUN.seed = config.option.sample_seed


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that works over a store one of the two; `service/store` is where each store shows all it can do."""
    on_citus = metafunc.config.option.on_citus
    if "postgres_url" in metafunc.fixturenames:
        metafunc.parametrize("postgres_url", ["citus" if on_citus else "postgres"], indirect=True)
    if "database_url" in metafunc.fixturenames and on_citus:
        metafunc.parametrize("database_url", ["citus"], indirect=True)
    elif "database_url" in metafunc.fixturenames:
        here = f"{metafunc.function.__module__}.{metafunc.function.__qualname__}"
        metafunc.parametrize(
            "database_url", sampled(f"tests over a store:{here}", STORES, 1, weight=STORES.__getitem__), indirect=True
        )


@pytest.fixture(scope="session", autouse=True)
def told_to_tests() -> Iterator[None]:
    with kept_from_programs():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Search for no garbage while tests are found, nor later among what was found: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have each worker begin with its share of the long tests: else one of them is still at them at the end."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers == 1 or getattr(config.option, "touched", None):  # which begins with what is nearest to the change
        return
    long = [item for item in items if _is_of(item, LONG)]
    pages = [item for item in items if _is_of(item, PAGES)]
    rest = (item for item in list(items) if not _is_of(item, LONG | PAGES))
    ordered: list[pytest.Item] = []
    for number in range(workers):
        # The tests that a worker gets at first.
        size = (len(items) - len(ordered)) // (workers - number)
        begin, end = (len(pages) * each // workers for each in (number, number + 1))
        share = long[number::workers] + pages[begin:end]
        ordered += [*share, *itertools.islice(rest, max(0, size - len(share)))]
    items[:] = [*ordered, *rest]


def _is_of(item: pytest.Item, places: Set[str]) -> bool:
    return not places.isdisjoint((item.path.stem, *item.path.relative_to(HERE).parts))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    seed = config.option.sample_seed
    drawn = f"--sample-seed {seed} draws these samples again" if seed else "every case was looked at"
    terminalreporter.write_line(f"samples: {drawn}")
    if any(NOT_TESTED in str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())):
        terminalreporter.write_line(NOT_TESTED)


def pytest_sessionfinish() -> None:
    stop_shared_machines()
    stop_shared_cluster()
    stop_shared_server()


@pytest.fixture
async def database_url(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The setting that chooses the store: a database that a service has begun, or none for the embedded store."""
    async with _database(request.param) as url:
        yield url


@pytest.fixture
async def postgres_url(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """A database that a service has begun, for what only PostgreSQL can do, such as serving several processes."""
    async with _database(request.param) as url:
        yield url


@asynccontextmanager
async def _database(store: str) -> AsyncIterator[str]:
    if store == "sqlite":
        yield ""
    elif store == "postgres":
        async with shared_cluster().begun_database() as url:
            yield url
    else:
        async with telling_database() as (url, asked):
            yield url
        astray = {each.statement for each in asked if each.is_astray}
        assert astray == set(), "about one stream, and asked of all machines"
