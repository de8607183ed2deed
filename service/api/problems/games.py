"""Problems of games: which exist, who may see and fork them, and who sits at them."""

from typing import Final

from service.api.problems.problem import Kind

UNKNOWN_GAME: Final = Kind(
    "unknown-game",
    404,
    "There is no such game",
    "No game has this id.",
    "GET /v1/games lists the games.",
    {"detail": "There is no game 'gone'."},
)
UNKNOWN_VERSION: Final = Kind(
    "unknown-version",
    404,
    "The game has no such version",
    "The game has not reached this version.",
    "Use a version from 1 to the game's `version`.",
    {"detail": "There is no version 99 of this game; its versions are 1 to 17.", "version": 17},
)
PRIVATE: Final = Kind(
    "private",
    403,
    "The game is private",
    "Only those who take part in a private game can read it: players who hold a seat, or for whom one is kept or "
    "offered, its organizer and its officials. Others see only its hashes in the transparency log.",
    "Ask the organizer for an invitation. If you take part in the game, send a token of your account.",
    {
        "detail": "Game gk3w7c2q9xbt5hna4 is private.",
        "allowed": "Its seats, its organizer and its officials read it. Its organizer can invite you.",
        "rule": "TAB-READ-01",
        "rule_title": "A private game is read by those who take part in it",
        "source": "Tabularium documentation",
    },
)
WITHHELD: Final = Kind(
    "withheld",
    403,
    "The fork is withheld",
    "An official forked a running game at a version at which it hides something. Until that game is over, only its "
    "officials see the fork. The transparency log has the first event of the fork, which binds it to its game.",
    "Wait until the game in `until` is over. If you are one of its officials, use a token with the scope `judge`.",
    {
        "detail": "Game gk3w7c2q9xbt5hna4 is withheld until gm5x2q7ahbk3oxw7c is over.",
        "allowed": "Until then, only the officials of gm5x2q7ahbk3oxw7c are shown it.",
        "rule": "TAB-FORK-02",
        "rule_title": "A fork shows nothing that its game hides",
        "source": "Tabularium documentation",
        "until": "gm5x2q7ahbk3oxw7c",
    },
)
NOT_ORGANIZER: Final = Kind(
    "not-organizer",
    403,
    "You do not organize this game",
    "Only the account that organizes a game can do this.",
    "Use a token of the organizer. GET /v1/games/{game} says who that is.",
    {"detail": "Game 'gm5x2q7ahbk3oxw7c' is organized by 'pq2v6m3n4k5x7c8b9'."},
)
UNKNOWN_SEAT: Final = Kind(
    "unknown-seat",
    404,
    "There is no such seat",
    "The game has no seat of this name.",
    "GET /v1/games/{game} lists its seats.",
    {"detail": "The game has no seat 'pink'.", "allowed": "Expected one of red, blue."},
)
SEAT_TAKEN: Final = Kind(
    "seat-taken",
    409,
    "The seat cannot be taken",
    "Somebody already holds this seat, or you hold another seat in this game.",
    "Take one of the free seats. GET /v1/games/{game} lists them.",
    {
        "detail": "red is already taken.",
        "allowed": "Free seats: blue.",
        "rule": "TAB-LIFE-03",
        "rule_title": "One player, one seat",
        "source": "Tabularium documentation",
    },
)
UNKNOWN_LEVEL: Final = Kind(
    "unknown-level",
    422,
    "There is no bot of this level",
    "The ruleset of the game has no bot of this level.",
    "GET /v1/rulesets/{ruleset} lists the levels as `bots`.",
    {
        "detail": "There is no bot of the level 'grandmaster'.",
        "allowed": "Expected one of random, greedy.",
        "path": "$.level",
    },
)
TOO_MANY_BOTS: Final = Kind(
    "too-many-bots",
    409,
    "The organizer has too many bots",
    "Bots hold the most seats that they may hold in the games of one organizer: by default 24. Games that are over, "
    "and those in which nothing has happened for a day, do not count.",
    "Finish a game with bots, cancel one that has not begun, or give up your seat in one and let a bot play it to its "
    "end. Or come back tomorrow.",
    {"detail": "Bots hold as many seats in your games as they may."},
)
NOT_FOR_BOTS: Final = Kind(
    "not-for-bots",
    403,
    "A bot's account cannot do this",
    "A program plays this account. Invitations are for people; a bot takes a free seat by itself.",
    "POST /v1/games/{game}/seats takes a free seat. Bots of the service get theirs from the organizer.",
    {"detail": "A bot does not follow invitations."},
)
UNKNOWN_INVITATION: Final = Kind(
    "unknown-invitation",
    404,
    "There is no such invitation",
    "No game has this invitation, or its organizer revoked it.",
    "Use the whole link that you got, or ask the game's organizer for a new one.",
    {"detail": "No game has this invitation."},
)
TOO_MANY_INVITATIONS: Final = Kind(
    "too-many-invitations",
    409,
    "The game has too many invitations",
    "A game can have 20 invitations that were not revoked. Each works until the seats are full, so one is enough for "
    "all players.",
    "Revoke one that you no longer need: DELETE /v1/games/{game}/invitations/{invitation}.",
    {"detail": "The game has 20 invitations and cannot have more."},
)
FORK_HIDES: Final = Kind(
    "fork-hides",
    409,
    "The game hides something from its fork",
    "The game is running, and something is hidden at this version. The account that makes a fork plays all its seats, "
    "and so would see it.",
    "Fork a version at which nothing is hidden, ask an official, or wait until the game is over.",
    {
        "detail": "You asked for a fork of version 17 of gm5x2q7ahbk3oxw7c.",
        "allowed": "While the game runs, only its officials may fork it at a version at which something is hidden.",
        "rule": "TAB-FORK-02",
        "rule_title": "A fork shows nothing that its game hides",
        "source": "Tabularium documentation",
    },
)
NOT_COMPARABLE: Final = Kind(
    "not-comparable",
    422,
    "The games have different rulesets",
    "Only positions of the same ruleset can be compared.",
    "Compare a game with a fork of it, or with another game of its ruleset.",
    {
        "detail": "Games 'gm5x2q7ahbk3oxw7c' and 'gk7t2c4m9x6v8b3nwq' are played by tiny-auction and chess.",
    },
)
NOT_COUNTED: Final = Kind(
    "not-counted",
    404,
    "A fork has no scoreboard",
    "Forks are left out of records and statistics, so the service does not count what their seats have.",
    "GET /v1/games/{game}/state shows the position of a fork, and GET /v1/games/{game}/comparison how it differs.",
    {"detail": "Game 'gm5x2q7ahbk3oxw7c' is a fork."},
)
UNKNOWN_CHART: Final = Kind(
    "unknown-chart",
    404,
    "The game has no such chart",
    "The ruleset counts no such figure, or the name does not end in `.svg`.",
    "Use one of the charts that the problem names: `dice.svg`, or one for a figure of the scoreboard.",
    {"detail": "The game has no chart 'points.svg'.", "allowed": "It has tribute.svg, territory.svg, dice.svg."},
)
