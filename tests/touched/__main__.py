"""Prints what a change since a commit can have touched, the nearest first: `python -m tests.touched COMMIT`."""

import sys
from pathlib import Path

from tests.touched.plan import plan

if __name__ == "__main__":
    found = plan(Path(), sys.argv[1])
    for test in found.tests:
        print(*(test.file, *test.way), sep=" < ")
