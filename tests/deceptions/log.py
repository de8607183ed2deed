"""What a service can do with its log."""

from collections.abc import Callable

import msgspec

from domain.kernel.canonical import canonical
from domain.transparency.proof import read_proof
from service.transparency.keys import new_key, read_log_key
from service.transparency.pages import Page
from tests.deceptions.games import plays_again
from tests.deceptions.service import CASE, CLUB, EARLIER, OVER, RUNNING, TIME, Service, disputed, honest, moment
from tests.forgeries.games import playing
from tests.helpers.play import Play
from tests.service.transparency.logs import KEY
from tests.tiny.auction import ROOM, TinyAuction


def shows_an_old_checkpoint(service: Service) -> None:
    service.size = EARLIER


def shows_no_checkpoint(service: Service) -> None:
    service.entries.clear()


def signs_two_trees(service: Service) -> None:
    service.entries[4] = service.entries[8]


def drops_an_entry_and_goes_on(service: Service) -> None:
    del service.entries[4]
    service.log(CASE, CASE)


def signs_nonsense(service: Service) -> None:
    service.entries.append(b"{}")


def signs_with_another_key(service: Service) -> None:
    service.key = read_log_key(new_key(KEY.origin, lambda count: b"o" * count))


def begins_another_log(service: Service) -> None:
    service.key = read_log_key(new_key("games.example/other", lambda count: b"o" * count))
    service.entries = service.entries[-3:]


def hides_its_entries(service: Service) -> None:
    get, shown = service.get, str(service.checkpoint([*service.entries, b"hidden"])).encode()
    service.get = lambda path: Page(200, shown) if path.endswith("checkpoint") else get(path)


def shows_other_entries(service: Service) -> None:
    signed = service.copied()
    signed.log(CASE)
    shown = str(signed.newest).encode()
    service.log(OVER)
    get = service.get
    service.get = lambda path: Page(200, shown) if path.endswith("checkpoint") else get(path)


def backup() -> Service:
    """Return the service as it was after two thirds."""
    older = Service()
    for export in moment(2):
        older.show(export)
    older.entries = honest().entries[:EARLIER]
    return older


def restores(service: Service) -> None:
    older = backup()
    for name in ("games", "statuses", "entries", "exports"):
        setattr(service, name, getattr(older, name))


def restores_and_goes_on(service: Service) -> None:
    """The games go on otherwise, and there are soon more of them than before."""
    restores(service)
    for seed in range(20, 26):
        service.log(service.show(Play(TinyAuction(), ROOM, 3, seed).export()))


def shows_two_logs(service: Service) -> Service:
    """The second visitor sees the game that is over with another winner, in a log that fits."""
    other = backup()
    for play in (plays_again(), playing(), disputed().play):
        other.log(other.show(play.export()))
    other.log(other.show(disputed().export()))
    service.log(service.show(Play(TinyAuction(), ROOM, 3, 20).export()))
    return other


def gives_a_certificate_of_no_entry(service: Service) -> None:
    entry = msgspec.json.decode(service.entries[0]) | {"status": "cancelled"}
    right = read_proof(service.proof_of(0))
    service.issued[entry["id"]] = str(msgspec.structs.replace(right, extra=canonical(entry)))


def gives_a_certificate_of_another_game(service: Service) -> None:
    service.issued[OVER] = service.certificate(RUNNING) or ""


def forges_a_cosignature(service: Service) -> None:
    service.log(service.show(Play(TinyAuction(), ROOM, 3, 20).export()))
    text = service.newest.text
    signature = CLUB.signature(text, TIME)
    service.cosignatures[text] = (msgspec.structs.replace(signature, value=signature.value[:-1] + b"?"),)


def answers_nothing(of: str, lie: Callable[[Service], object]) -> Callable[[Service], None]:
    """Tell a lie, and answer an error on every path that could show it: all that begin so."""

    def lies(service: Service) -> None:
        lie(service)
        get = service.get
        service.get = lambda path: Page(500, b"") if path.startswith(of) else get(path)

    return lies
