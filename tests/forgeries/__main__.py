"""Prints what `verify` says of every forged export."""

from tests.forgeries.every import FORGERIES, UNDETECTABLE
from tests.forgeries.forging import check


def main() -> None:
    for forgery in (*FORGERIES, *UNDETECTABLE):
        verdict = check(forgery.export())
        print(f"{forgery}: {'verifies' if verdict.ok else verdict.problem}")


if __name__ == "__main__":
    main()
