"""The newest checkpoint that this process signed, kept apart from the database.

A database that was restored from an older copy does not know what was signed after it. This file does: it is written
before a checkpoint is shown to anybody.
"""

import hashlib
import os
from pathlib import Path

from domain.transparency.checkpoint import Checkpoint, read_checkpoint
from domain.transparency.note import Note, NoteError, read_note
from service.base.private import make_folder, sync_directory, write_durably


class Kept:
    """The file with the newest checkpoint of a log; each origin has a file in the directory."""

    def __init__(self, directory: Path, origin: str) -> None:
        self.path = directory / f"log-{hashlib.sha256(origin.encode()).hexdigest()[:16]}.checkpoint"
        self._newest: Checkpoint | None = None

    def newest(self) -> Checkpoint | None:
        """Return the kept checkpoint; None without one. Raises `OSError`, or `NoteError` when the file is damaged."""
        if self._newest is None and self.path.exists():
            try:
                self._newest = read_checkpoint(read_note(self.path.read_bytes()).text)
            except NoteError as error:
                raise NoteError(f"{self.path} is damaged: {error}") from error
        return self._newest

    def keep(self, note: Note) -> None:
        """Keep a checkpoint; when this returns, it is on the disk. Raises `OSError`."""
        new = self.path.with_name(f"{self.path.name}.new-{os.getpid()}")
        make_folder(self.path.parent)
        write_durably(new, str(note))
        new.replace(self.path)
        sync_directory(self.path.parent)
        self._newest = read_checkpoint(note.text)
