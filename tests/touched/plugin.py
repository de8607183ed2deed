"""Has pytest run what a change can have touched, the nearest first, and say what it left out: `--touched COMMIT`."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pytest

from domain.library import LIBRARY
from tests.touched.notes import noted
from tests.touched.plan import plan

SLOW: Final = 10.0
"""Seconds. A test that takes longer waits until the others have run, and begins only if it will end in time."""
UNKNOWN: Final = 6.0
"""Seconds. What a file is taken to need of which nothing is noted."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("touched", "what a change can have touched")
    group.addoption("--touched", metavar="COMMIT", help="run what was touched since then, the nearest first")
    group.addoption("--within", metavar="SECONDS", type=float, default=90.0, help="then --touched starts no more tests")


def pytest_configure(config: pytest.Config) -> None:
    if (base := config.getoption("--touched")) is None:
        return
    if (given := getattr(config, "workerinput", None)) is not None:
        config.pluginmanager.register(Runner(config, **given["touched"]))
    else:
        config.pluginmanager.register(Conductor(config, base, noted(config)))


class Runner:
    """Runs the tests of some files until the time is over; so does each worker of pytest-xdist."""

    def __init__(
        self, config: pytest.Config, files: Mapping[str, list[str]], seconds: Mapping[str, float], until: float
    ) -> None:
        """`files` has the rulesets for which no test of a file need run, `seconds` how long slow tests take."""
        config.args[:] = files
        self._files, self._seconds, self._until = files, seconds, until

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        dropped = [item for item in items if plays(item.nodeid, self._files.get(item.nodeid.partition("::")[0], ()))]
        config.hook.pytest_deselected(items=dropped)
        left_out = {*dropped}
        items[:] = sorted(
            (item for item in items if item not in left_out), key=lambda item: item.nodeid in self._seconds
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        late = time.time() + self._seconds.get(item.nodeid, 0) > self._until
        return True if late else None  # True tells pytest that the test needs no more


class Conductor:
    """Chooses the files that are run, and says which and why, and what is left."""

    def __init__(self, config: pytest.Config, base: str, seconds: Mapping[str, float]) -> None:
        until = time.time() + config.option.within
        self._plan = plan(config.rootpath, base)
        if not self._plan.tests:
            pytest.exit(" ".join([f"No test reads what was changed since {base}.", *self._plan.changed]), returncode=0)
        workers = getattr(config.option, "numprocesses", None) or 1
        self._files = chosen(
            {
                test.file: [] if test.rulesets is None else sorted({*LIBRARY.ids()} - {*test.rulesets})
                for test in self._plan.tests
            },
            seconds,
            (until - time.time()) * workers,
        )
        slow = {test: took for test, took in seconds.items() if took > SLOW and test.partition("::")[0] in self._files}
        self._touched = {"files": self._files, "seconds": slow, "until": until}
        self._collected: set[str] = set()
        self._ran: set[str] = set()
        if workers == 1:
            config.pluginmanager.register(Runner(config, **self._touched))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["touched"] = self._touched

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        self._collected.update(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected.update(item.nodeid for item in session.items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ran.add(report.nodeid)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        said = session.config.get_terminal_writer()
        said.line(f"changed since {self._plan.base}: {', '.join(self._plan.changed)}")
        if self._plan.unread:
            said.line(f"read by nothing that is known, so all beside it is run: {', '.join(self._plan.unread)}")
        if self._plan.untested:
            said.line(f"reached by no test: {', '.join(self._plan.untested)}")
        said.line(f"{len(self._plan.tests)} files of tests can have been touched; run are, the nearest first:")
        for test in self._plan.tests:
            if test.file in self._files:
                only = "" if test.rulesets is None else f" ({', '.join(test.rulesets)})"
                said.line(f"  {test.file}{only}{''.join(f' < {step}' for step in test.way)}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        late = Counter(test.partition("::")[0] for test in self._collected - self._ran)
        for file, count in sorted(late.items()):
            terminalreporter.line(f"not run, for want of time: {count} tests of {file}")
        folders = Counter(test.file.rpartition("/")[0] for test in self._plan.tests if test.file not in self._files)
        if folders:
            left = ", ".join(f"{count} of {folder}" for folder, count in sorted(folders.items()))
            terminalreporter.line(f"not run, further away: {folders.total()} files of tests: {left}")
        if late or folders:
            terminalreporter.line("deploy/test.sh runs them all.")


def plays(test: str, rulesets: Iterable[str]) -> bool:
    """Tell whether a test is one of some rulesets, by the id of its parameters."""
    return any(ruleset in test.partition("[")[2] for ruleset in rulesets)


def chosen(files: Mapping[str, list[str]], seconds: Mapping[str, float], most: float) -> dict[str, list[str]]:
    """Return the first files, until what is noted of their quick tests needs more than `most` seconds."""
    need: defaultdict[str, float] = defaultdict(float)
    for test, took in seconds.items():
        file = test.partition("::")[0]
        if took <= SLOW and file in files and not plays(test, files[file]):
            need[file] += took
    found: dict[str, list[str]] = {}
    for file, others in files.items():
        found[file] = others
        most -= need.get(file, UNKNOWN)
        if most < 0:
            break
    return found
