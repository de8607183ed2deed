"""A log with one entry: the head of the scene's game, signed."""

from domain.transparency.checkpoint import Checkpoint
from domain.transparency.entry import Entry
from domain.transparency.note import Note
from domain.transparency.proof import Proof
from domain.transparency.tree import Frontier, leaf_hash
from service.api.scene import GAME, Example, Scene
from service.api.transparency.routes import log_key_view
from service.transparency.keys import new_key, read_log_key


def examples(scene: Scene) -> dict[str, Example]:
    """Return the examples, made from a log that has one entry."""
    key = read_log_key(new_key("games.example.org/transparency", lambda count: bytes(range(count))))
    last = scene.given.records[-1]
    entry = Entry("game", GAME, last.version, last.hash.hex(), scene.now.status, last.at).encoded
    frontier = Frontier()
    frontier.extend([leaf_hash(entry)])
    text = Checkpoint(key.origin, frontier.size, frontier.root).text
    note = Note(text, tuple(key.signatures(text)))
    return {
        "showCheckpoint": Example(str(note)),
        "showTile": Example("…"),
        "showEntries": Example(entry.decode()),
        "showLogKey": Example(log_key_view([signer.key for signer in key.signers])),
        "showCertificate": Example(str(Proof(0, (), note, entry))),
        "showCertificateOfCase": Example(str(Proof(0, (), note, entry))),
        "showCertificateOfTournament": Example(str(Proof(0, (), note, entry))),
        "showCertificateOfLeague": Example(str(Proof(0, (), note, entry))),
    }
