"""Capacity planning: computes machines, connections and disk from the load, by measured costs and prices.

It only multiplies: how long requests wait in queues is computed by `simulation`. `costs.toml` has the costs, and says
which were measured elsewhere; `python -m tests.bench plan` measures the others again, and compares the model with them.
"""

import math
from importlib import resources
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

DAY: Final = 86_400.0
GIB: Final = 2**30

Number = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(gt=0, le=1)]


class Load(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much is played, and how much is read.

    Attributes:
        games: unfinished games at the same time.
        commands: commands that a game gets in a day.
        events: events that a command makes, on average.
        watchers: clients that follow a game at the same time: pages of its players, spectators, programs.
        reads: requests for state, options, pictures and lists that come with each command.
        peak: the load of the busiest hour of a day, as a multiple of the average.
        finished: the share of a year's events whose games are over and can be archived.
    """

    games: Number
    commands: Number = 12.0
    events: Number = 2.6
    watchers: Number = 0.2
    reads: Number = 6.0
    peak: Annotated[float, Meta(ge=1)] = 4.0
    finished: Annotated[float, Meta(ge=0, le=1)] = 0.9


class Costs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What commands, reads and stored data cost. Times are seconds of a core.

    Attributes:
        command: of a service process, for a single command, without projections.
        together: of a service process, for a command when many come at once.
        read: of a service process, for a hot read.
        frame: of a service process, for each client that follows the game of a command.
        append: of the database, for a single command with all its queries.
        appended: of the database, for a command when many come at once.
        flush: seconds (not of a core) that a commit waits for the disk.
        fold: of a process that keeps projections, for an event.
        enter: for a head: of the process that keeps the transparency log, and of the database for which it waits.
        process: bytes of a process without games.
        game: bytes of a game in memory.
        watcher: bytes of a client that follows.
        connections: connections to the database that a process holds.
        clients: clients that a process lets follow (`TABULARIUM_CONNECTIONS`).
        log: bytes of the log on the disk, for an event.
        rows: bytes of projections on the disk, for an event.
        entry: bytes of the transparency log on the disk, for a head.
        archived: bytes of an event in the archive.
        busy: the share of a core, and of `clients`, that is planned for; the rest is for bursts.
        in_memory: the share of games that are kept in memory.
    """

    command: Number
    together: Number
    read: Number
    frame: Number
    append: Number
    appended: Number
    flush: Number
    fold: Number
    enter: Number
    process: Number
    game: Number
    watcher: Number
    connections: int
    clients: int
    log: Number
    rows: Number
    entry: Number
    archived: Number
    busy: Share
    in_memory: Share


class Prices(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a month of each resource costs, in any unit of money."""

    core: Number = 15.0
    memory: Number = 2.0
    """A GiB of memory."""
    disk: Number = 0.1
    """A GiB of disk. The plan counts it twice: for the database, and for its standby."""


USUAL: Final = Load(games=0)
"""The usual load, for all that is not given."""
PRICES: Final = Prices()


class Plan(Struct, frozen=True, kw_only=True):
    """What a load needs.

    Attributes:
        commands: commands a second, on average.
        busiest: commands a second in the busiest hour. Everything but the disk is planned for it.
        serving: cores' worth of work of the processes that serve.
        processes: how many processes serve: enough for the work and for the clients that follow.
        database: cores' worth of work of the database.
        database_cores: how many cores the database needs.
        folding: cores' worth of work of keeping projections.
        folders: how many processes keep them.
        entering: cores' worth of work of the one process that keeps the transparency log.
        connections: connections to the database.
        memory: GiB of memory of all processes.
        log: GiB of the log that a year adds, with its index.
        rows: GiB of projections that a year adds.
        tree: GiB of the transparency log that a year adds.
        archive: GiB that a year's finished games take in the archive, in place of their share of the log.
        month: what a month costs, after a year.
        step: which step of "Growing" (`deploy/README.md`) this takes.
    """

    commands: float
    busiest: float
    serving: float
    processes: int
    database: float
    database_cores: int
    folding: float
    folders: int
    entering: float
    connections: int
    memory: float
    log: float
    rows: float
    tree: float
    archive: float
    month: float
    step: str


def measured() -> Costs:
    """Return the costs in `costs.toml`."""
    text = (resources.files("service.planning") / "costs.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=Costs)


def planned(load: Load, costs: Costs, prices: Prices) -> Plan:
    """Return what a load needs."""
    commands = load.games * load.commands / DAY
    busiest = commands * load.peak
    followed = math.ceil(load.games * load.watchers / (costs.clients * costs.busy))
    processes = max(followed, _enough(busiest * command_of(costs.busy, load, costs), costs))
    serving = processes * use_of(busiest / processes, load, costs)
    database = busiest * append_of(busiest / processes, costs)
    folding = busiest * load.events * costs.fold
    entering = busiest * costs.enter
    folders = _enough(folding, costs)
    year = commands * DAY * 365
    events = year * load.events
    log, rows, tree = (events * costs.log / GIB, events * costs.rows / GIB, year * costs.entry / GIB)
    archive = events * load.finished * costs.archived / GIB
    in_memory = load.games * costs.in_memory * costs.game
    memory = (processes * costs.process + in_memory + load.games * load.watchers * costs.watcher) / GIB
    database_cores = _enough(database, costs)
    step = _step(serving + folding + entering, processes, database_cores, costs)
    on_disk = log * (1 - load.finished) + archive + rows + tree
    return Plan(
        commands=commands,
        busiest=busiest,
        serving=serving,
        processes=processes,
        database=database,
        database_cores=database_cores,
        folding=folding,
        folders=folders,
        entering=entering,
        connections=(processes + folders) * costs.connections,
        memory=memory,
        log=log,
        rows=rows,
        tree=tree,
        archive=archive,
        month=(
            (_enough(serving, costs) + folders + 2 * database_cores) * prices.core
            + memory * prices.memory
            + 2 * on_disk * prices.disk
        ),
        step=step,
    )


def command_of(use: float, load: Load, costs: Costs) -> float:
    """Return the seconds that a process needs for a command when it is busy for a share `use` of its time.

    They include the reads that come with the command, and the clients that follow. A share `use` of the commands comes
    while others are at work: these go together through the loop, to the database and back.
    """
    command = costs.command + (costs.together - costs.command) * use
    return command + load.reads * costs.read + load.watchers * costs.frame


def use_of(rate: float, load: Load, costs: Costs) -> float:
    """Return the share of its time for which a process with `rate` commands a second is busy.

    It solves `use = rate * command_of(use)`. Above 1 the process cannot keep up.
    """
    saved = rate * (costs.command - costs.together)
    use = rate * command_of(0, load, costs) / (1 + saved)
    return use if use <= 1 else rate * command_of(1, load, costs)


def append_of(rate: float, costs: Costs) -> float:
    """Return the seconds of the database's cores for a command, when each process gets `rate` commands a second.

    Commands that come during a call go into the next call together.
    """
    under_way = min(1.0, rate * (costs.append + costs.flush))
    return costs.append + (costs.appended - costs.append) * under_way


def _enough(work: float, costs: Costs) -> int:
    return max(1, math.ceil(work / costs.busy))


def _step(work: float, processes: int, database_cores: int, costs: Costs) -> str:
    if processes == 1 and work <= costs.busy:
        return "one process on SQLite"
    if processes == 1:
        return "one process on PostgreSQL"
    if database_cores <= 16:
        return "several processes on one PostgreSQL, with Redis"
    return "several servers of PostgreSQL, by books"
