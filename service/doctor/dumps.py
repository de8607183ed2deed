"""Looking at the folder of dumps: whether all that its index names is there."""

import hashlib
from pathlib import Path

from service.doctor.finding import Finding, fail, ok, warn
from service.dumps.index import DumpFile, DumpsUnreadable, files_of, read_index


def examine(folder: Path, *, deep: bool) -> Finding:
    """Return the finding about a folder of dumps; `deep` reads each file and compares its checksum."""
    try:
        sets = read_index(folder)
    except DumpsUnreadable as error:
        remedy = "Put a copy of that file back, or remove it and run `tabularium dump`, which makes all dumps again."
        return fail("dumps", str(error), remedy)
    if not sets:
        remedy = "Run `tabularium dump`, best every night. It makes a month's dumps a few days after its end."
        return warn("dumps", f"{folder} has no dumps yet", remedy)
    wrong = [each.name for each in files_of(sets) if not _is_whole(folder / each.name, each, deep)]
    if wrong:
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        remedy = f"Put copies back. Or take their sets out of {folder / 'index.json'} and run `tabularium dump`."
        return fail("dumps", f"{wrong[0]} is missing, or is not what was made{more}", remedy)
    return ok("dumps", f"{len(sets)} sets, the newest of {max(each.month for each in sets)}")


def _is_whole(path: Path, dump_file: DumpFile, deep: bool) -> bool:
    try:
        if path.stat().st_size != dump_file.bytes:
            return False
        if not deep:
            return True
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == dump_file.sha256
    except OSError:
        return False
