"""What the service may ask of many books at once, and the statements that it asks it by.

Every other statement is about one stream, whose book it names.
"""

import re
from typing import Final

OF_MANY: Final = {
    "pages of games": r"FROM games g .* ORDER BY g.number DESC LIMIT",
    "pages of cases": r"FROM cases c WHERE (?!.*\bc\.book = \$).* ORDER BY c.place DESC LIMIT",
    "pages of tournaments": r"FROM tournaments t WHERE (?!t\.book).* ORDER BY t.place DESC LIMIT",
    "pages of leagues": r"FROM leagues l WHERE (?!l\.book).* ORDER BY l.place DESC LIMIT",
    "how many tournaments an account holds": r"SELECT count\(\*\) FROM tournaments t WHERE t.organizer",
    "how many leagues an account has": r"SELECT count\(\*\) FROM leagues l WHERE l.organizer",
    "the log of all streams": r"unnest\(\$1::smallint\[\], \$2::bigint\[\]",
    "whether the archive has parts of it": r"unnest\(\$1::bigint\[\]\) WITH ORDINALITY",
    "streams that a page has named": r"unnest\(\$\d::smallint\[\], \$\d::text\[\]\)",
    "whether old cases and forks are in other books than their games": "SELECT NOT \\(EXISTS",
    "how many forks an account has open": "SELECT count\\(\\*\\) FROM games g JOIN forks f .* WHERE g.organizer",
    "how many bots an account has seated": r"SELECT count\(\*\) FROM games g JOIN seated s .* p\.bot IS NOT NULL",
    "how many events there are": r"SELECT coalesce\(sum\(head\), 0\) FROM",
    "whether the store answers": "SELECT 1 FROM games LIMIT 1",
    "keys that have ended": "DELETE FROM keys WHERE ctid",
}
"""The statements that are about many streams."""

OF_MACHINES: Final = {
    "a new board, which all machines get": r"INSERT INTO tabularium\.boards",
    "where the books stand": r"FROM (tabularium\.)?books\b(?!.*\bWHERE book = )",
    "keys that have ended": r"DELETE FROM keys WHERE \(book, game, account, key\) IN",
    "the streams that have moved": r"^SELECT n\.game, e\.version, e\.hash, e\.at, n\.status",
}
"""The statements that are about many streams, and are others on one machine."""


def is_of_many(statement: str) -> str | None:
    """Return what a statement is about, when that is many streams."""
    return next((what for what, text in OF_MANY.items() if re.search(text, statement)), None)
