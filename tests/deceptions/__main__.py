"""Prints what each observer says of each lie, and follows honest logs."""

import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.deceptions.honest import alarms
from tests.deceptions.observers import OBSERVERS, failings, observed
from tests.deceptions.table import DECEPTIONS, FROM_THE_BEGINNING


def _row(name: str, marks: Sequence[str]) -> str:
    return f"{name:<66}" + "".join(f"{mark:<13}" for mark in marks)


def main(honest_logs: int = 200) -> int:
    wrong, met = list[str](), Counter[str]()
    table = [_row("", OBSERVERS)]
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        for number, deception in enumerate((*DECEPTIONS, *FROM_THE_BEGINNING)):
            said = observed(deception, _made(Path(folder) / f"lie-{number}"))
            wrong += failings(deception, said)
            table.append(_row(str(deception), ["x" if said[each] else "-" for each in OBSERVERS]))
            print(f"{deception}:")
            for observer in OBSERVERS:
                if said[observer]:
                    print(f"    {observer:<12} {_short(said[observer][0])}")
            if deception.beyond:
                print(f"    nobody       {deception.beyond}")
        seeds = range(honest_logs)
        alarmed = [said for seed in seeds for said in alarms(seed, _made(Path(folder) / f"honest-{seed}"), met)]
    print("", *table, "", sep="\n")
    print(f"{len(DECEPTIONS)} lies, and {len(FROM_THE_BEGINNING)} that nobody can notice. {honest_logs} honest logs,")
    print(f"in which there were {', '.join(f'{kind}: {times}' for kind, times in sorted(met.items()))}.")
    for each in (*wrong, *alarmed):
        print(f"WRONG: {each}")
    return 1 if wrong or alarmed else 0


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 240 else f"{sentence[:240]}…"


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
