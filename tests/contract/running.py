"""The service in a process of its own: ``python -m tests.contract.running DIRECTORY DATABASE_URL BOT_PAUSE PORT``."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from service.base.settings import Settings
from service.server import serve


@contextlib.contextmanager
def running(
    data: Path, log: Path, database_url: str = "", bot_pause: float = 0.5, port: int = 0
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the service over the files in `data`, or over a database; yield its address and process.

    Its log goes to the file `log`. Its bots let `bot_pause` seconds pass before they act. It listens at `port`, or at
    any free one.
    """
    command = [sys.executable, "-m", "tests.contract.running", str(data), database_url]
    command += [str(bot_pause), str(port)]
    with log.open("wb") as stderr, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr) as process:
        assert process.stdout is not None
        address = process.stdout.readline().decode().strip()
        assert address, log.read_text()
        try:
            yield address, process
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    place, database, pause, chosen = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    settings = Settings(
        data=place, database_url=database, port=chosen, heartbeat=0.2, durable=False, grace=600, bot_pause=pause
    )
    asyncio.run(serve(settings, lambda address: print(address, flush=True)))
