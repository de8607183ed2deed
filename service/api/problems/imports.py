"""Problems of imports, which are games that other services recorded."""

from typing import Final

from service.api.problems.problem import Kind

NOT_IMPORTED: Final = Kind(
    "not-imported",
    422,
    "The export is not imported",
    "The export does not verify, or may not be imported. `rule` says which rule refuses it, and `detail` what was "
    "found: for an export that does not verify, the same as `tabularium verify` says. Nothing is stored.",
    "Get the export of a finished, public game from the service that recorded it, and send it unchanged.",
    {
        "detail": "Version 17 is wrong. The hash of version 17 does not continue the chain.",
        "allowed": "Get the export again from the service that recorded the game. `tabularium verify` says the same.",
        "rule": "TAB-IMP-01",
        "rule_title": "An imported game is proved first",
        "source": "Tabularium documentation",
    },
)
NOT_IMPORTER: Final = Kind(
    "not-importer",
    403,
    "Another account brought this import",
    "Only the account that brought an import, and administrators, may delete it.",
    "Ask the account that GET /v1/imports/{imported} names as `player`.",
    {"detail": "Another account brought this import.", "allowed": "Ask p0h4nv6wjj3k2yzts, who brought it."},
)
UNKNOWN_IMPORT: Final = Kind(
    "unknown-import",
    404,
    "There is no such import",
    "No import has this id, or it was deleted.",
    "GET /v1/imports lists the imports.",
    {"detail": "There is no import 'xgone'."},
)
TOO_MANY_IMPORTS: Final = Kind(
    "too-many-imports",
    409,
    "You have too many imports",
    "An account may have 100 imports.",
    "Delete one that you do not need any more.",
    {"detail": "You have 100 imports, which is the most."},
)
