"""Each lie, and who notices it in which words."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from domain.transparency.certificate import BEYOND as UNCERTIFIED
from tests.deceptions.games import (
    and_signs,
    cuts,
    drops_the_case,
    forging,
    forks_otherwise,
    from_a_version_that_never_was,
    from_another_version,
    goes_on_after_the_end,
    inserts_a_ruling,
    leaves_a_ruling_out,
    lets_another_win,
    of_a_game_that_went_otherwise,
    plays_it_again,
    puts_words_into_a_mouth,
    removes,
    removes_what_it_withholds_for,
    replaces_a_command,
    resumes_in_the_name_of_the_case,
    ruled_by_a_player,
    rules_for_a_friend,
    rules_otherwise,
    withholds_another_game,
    withholds_what_began_otherwise,
    withholds_what_is_over,
)
from tests.deceptions.log import (
    answers_nothing,
    begins_another_log,
    drops_an_entry_and_goes_on,
    forges_a_cosignature,
    gives_a_certificate_of_another_game,
    gives_a_certificate_of_no_entry,
    hides_its_entries,
    restores,
    restores_and_goes_on,
    shows_an_old_checkpoint,
    shows_no_checkpoint,
    shows_other_entries,
    shows_two_logs,
    signs_nonsense,
    signs_two_trees,
    signs_with_another_key,
)
from tests.deceptions.service import CASE, OVER, RUNNING, Service
from tests.forgeries import changes
from tests.forgeries.games import MALLORY, RED


class Deception(Struct, frozen=True):
    """A lie, and what each observer must say of it; an observer without an entry must notice nothing.

    Attributes:
        lie: tells it. It returns another service when a second person sees that one.
        before: whether it is told before anything is signed.
        forked: whether a fork of the game that is over is told and signed first.
        withheld: whether a game that hides something is told and signed first, and a fork of it that is withheld.
        beyond: which sentence of those on what no certificate shows says so, where nobody can notice.
    """

    name: str
    lie: Callable[[Service], Service | None]
    verify: str = ""
    certificate: str = ""
    follower: str = ""
    witness: str = ""
    before: bool = False
    forked: bool = False
    withheld: bool = False
    beyond: str = ""

    def __str__(self) -> str:
        return self.name


ANOTHER: Final = "it is another log"
SHORT: Final = "it was cut short"
UNKNOWN_KEY: Final = "not signed by a key that the policy has"
UNKNOWN_LOG: Final = "is of the log games.example/other, and the policy knows"

DECEPTIONS: Final = (
    Deception("removes a game", removes, follower="version 35 of game game-3, and shows no such game any more"),
    Deception(
        "cuts the last events of a game off and tells it as running",
        cuts,
        certificate=SHORT,
        follower="signed version 35 of game game-3, and shows the game at version .*" + SHORT,
    ),
    Deception(
        "cuts the last events of a game off and signs it again",
        and_signs(cuts, OVER),
        certificate=SHORT,
        follower="has version 35 of game game-3, and after it version",
    ),
    Deception(
        "cuts the last events of a running game off",
        forging(changes.cut_off, RUNNING),
        certificate=SHORT,
        follower=SHORT,
    ),
    Deception(
        "replaces a command and hashes anew",
        forging(replaces_a_command, OVER),
        verify="is not what follows from the rules",
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "lets another win a prize",
        forging(lets_another_win, OVER),
        verify="is not what follows from the rules",
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "plays a game again with the same dice and other commands", plays_it_again, certificate=SHORT, follower=SHORT
    ),
    Deception(
        "plays a game again and signs it again",
        and_signs(plays_it_again, OVER),
        certificate=SHORT,
        follower="has version 35 of game game-3, and after it version 33",
    ),
    Deception(
        "inserts a ruling by a stranger",
        and_signs(forging(inserts_a_ruling, RUNNING), RUNNING),
        verify="is a ruling by mallory, who is not the organizer",
    ),
    Deception(
        "swaps a player's account",
        forging(changes.everywhere(RED, MALLORY), OVER),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "backdates a game",
        forging(changes.everywhere("2026-01-01", "2025-12-31"), OVER),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "tells the last act as one of ten years later",
        forging(changes.much_later, OVER),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "tells from the beginning that the last act was ten years later",
        forging(changes.much_later, OVER),
        certificate="Version 35 is dated 2036-01-01T00:00:00.000000Z, and club had seen it by 2026",
        before=True,
    ),
    Deception("gives a ruling other reasons", forging(changes.reason, OVER), certificate=ANOTHER, follower=ANOTHER),
    Deception("names another creator", forging(changes.creator, OVER), certificate=ANOTHER, follower=ANOTHER),
    Deception(
        "changes what a seat added to the dice",
        forging(changes.told("seat-taken", entropy="mine"), RUNNING),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "changes the commitment to the dice",
        forging(changes.told("game-created", commitment="ab" * 32), RUNNING),
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "goes on after the end",
        and_signs(forging(goes_on_after_the_end, OVER), OVER),
        verify="follows the end of the game",
        follower="Version 35 of game game-3 was over, and version 36 came after it",
    ),
    Deception(
        "forks from a version that never was",
        forks_otherwise(from_a_version_that_never_was),
        verify="In the past of the fork, game-3: .* is not what follows from the rules",
        certificate=ANOTHER,
        follower="has version .* of game game-3-2, and after it version",
        forked=True,
    ),
    Deception(
        "tells that a fork began at another version",
        forks_otherwise(from_another_version),
        verify="forks at version",
        follower="has version .* of game game-3-2, and after it version",
        forked=True,
    ),
    Deception(
        "forks from a game that went otherwise",
        of_a_game_that_went_otherwise,
        verify="Version 8 of game-3 is not the one of the game that the fork is compared with",
    ),
    Deception("drops a case", drops_the_case, follower="of case ccase, and shows no such case any more"),
    Deception(
        "rules otherwise afterwards",
        forging(rules_otherwise, CASE),
        verify="names this case, which did not order it",
        certificate=ANOTHER,
        follower=ANOTHER,
    ),
    Deception(
        "tells a case and its game with another reason", rules_for_a_friend, certificate=ANOTHER, follower=ANOTHER
    ),
    Deception(
        "lets a player rule",
        and_signs(forging(ruled_by_a_player, CASE), CASE),
        verify="TAB-RUL-06: You hold or held a seat in this game",
        certificate=ANOTHER,
        follower="has version 6 of case ccase, and after it version 6",
    ),
    Deception(
        "withholds a fork when its game is over",
        withholds_what_is_over,
        follower="withholds game game-6-2 until game game-6 is over, and shows that as over",
        withheld=True,
    ),
    Deception(
        "withholds a fork that began otherwise",
        withholds_what_began_otherwise,
        follower="does not show the first event of it that it signed",
        withheld=True,
    ),
    Deception(
        "withholds a fork of a game that is gone",
        removes_what_it_withholds_for,
        follower="until game game-6 is over, and shows no such game",
        withheld=True,
    ),
    Deception(
        "withholds a game that is no fork",
        withholds_another_game,
        follower="version 24 of game game-4 as running, and withholds it now",
    ),
    Deception("puts words into a mouth", puts_words_into_a_mouth, verify="does not fit its commitment"),
    Deception(
        "carries out a ruling that no case has",
        resumes_in_the_name_of_the_case,
        verify="names this case, which did not order it",
    ),
    Deception(
        "leaves out what a ruling ordered",
        leaves_a_ruling_out,
        verify="is not what the ruling on version 13 ordered",
        certificate=SHORT,
        follower=SHORT,
    ),
    Deception(
        "shows an old checkpoint",
        shows_an_old_checkpoint,
        follower="a checkpoint of 7 entries, and signed one of 11 before",
    ),
    Deception("shows no checkpoint", shows_no_checkpoint, follower="shows no checkpoint any more"),
    Deception(
        "signs two trees of one size",
        signs_two_trees,
        follower="signed two trees of 11 entries",
        witness="422: The tree of 11 does not go on from the tree of 11",
    ),
    Deception(
        "drops an entry and goes on",
        drops_an_entry_and_goes_on,
        follower="does not go on from the tree of 11 .*: history was rewritten",
        witness="422: The tree of 12 does not go on from the tree of 11",
    ),
    Deception("signs what is no entry", signs_nonsense, follower="Entry 11 is not an entry of this log"),
    Deception(
        "signs with another key",
        signs_with_another_key,
        certificate=UNKNOWN_KEY,
        follower=UNKNOWN_KEY,
        witness=UNKNOWN_KEY,
    ),
    Deception(
        "begins another log",
        begins_another_log,
        certificate=UNKNOWN_LOG,
        follower=UNKNOWN_LOG,
        witness="404: This witness does not know the log",
    ),
    Deception("hides its entries", hides_its_entries, follower="does not show /transparency/tile/entries/000.p/12"),
    Deception(
        "shows other entries than it signed", shows_other_entries, follower="do not make the tree of 12 that it signed"
    ),
    Deception(
        "restores an old backup",
        restores,
        certificate=SHORT,
        follower="a checkpoint of 7 entries, and signed one of 11 before",
    ),
    Deception(
        "restores an old backup and goes on",
        restores_and_goes_on,
        certificate=SHORT,
        follower="does not go on from the tree of 11 .*: history was rewritten",
        witness="422: The tree of 13 does not go on from the tree of 11",
    ),
    Deception(
        "does not answer for a game that it rewrote",
        answers_nothing(f"/v1/games/{OVER}", forging(changes.reason, OVER)),
        certificate=ANOTHER,
        follower="no answer that shows game game-3 since",
    ),
    Deception(
        "does not answer for what it signs",
        answers_nothing("/transparency/tile/entries", signs_nonsense),
        follower="no answer that shows its log since",
    ),
    Deception(
        "does not answer for the hashes that certify its lie",
        answers_nothing("/transparency/tile/0", and_signs(plays_it_again, OVER)),
        certificate=SHORT,
        follower="has version 35 of game game-3, and after it version 33",
    ),
    Deception(
        "does not answer for the hashes of a history that was rewritten",
        answers_nothing("/transparency/tile/0", restores_and_goes_on),
        certificate=SHORT,
        follower="do not make the tree of 13 that it signed",
        witness="422: The tree of 13 does not go on from the tree of 11",
    ),
    Deception(
        "shows two logs to two people",
        shows_two_logs,
        certificate=ANOTHER,
        witness="409: 12 ",
    ),
    Deception(
        "gives a certificate of no entry",
        gives_a_certificate_of_no_entry,
        certificate="does not lead from its entry to the root that was signed",
    ),
    Deception(
        "gives a certificate of another game",
        gives_a_certificate_of_another_game,
        certificate="is of game game-4, and the export of game-3",
    ),
    Deception(
        "forges a cosignature",
        forges_a_cosignature,
        certificate="the signature of club.example is wrong",
        follower="the signature of club.example is wrong",
        witness="the signature of club.example is wrong",
    ),
)

PERSON, CLOCK, JUST, NEVER = UNCERTIFIED
FROM_THE_BEGINNING: Final = (
    Deception(
        "tells from the beginning that another account played",
        forging(changes.everywhere(RED, MALLORY), OVER),
        before=True,
        beyond=PERSON,
    ),
    Deception(
        "tells from the beginning that it was earlier",
        forging(changes.everywhere("2026-01-01", "2025-12-31"), OVER),
        before=True,
        beyond=CLOCK,
    ),
    Deception("rules for a friend", rules_for_a_friend, before=True, beyond=JUST),
    Deception("removes a game before it is signed", removes, before=True, beyond=NEVER),
)
"""Lies from before anything is signed: everything fits, and the observer hears that nobody can know."""
