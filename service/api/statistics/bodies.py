"""What is read from the projections, as it is asked for and answered."""

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, RuleId, Seat, Version
from domain.kernel.log.lifecycle import Status
from service.api.bodies import Identifier, Page


class DiceQuery(Page, frozen=True):
    """Which dice.

    Attributes:
        ruleset: only those of games of this ruleset.
        game: only those of this game.
        seat: only those that this seat rolled.
    """

    ruleset: Identifier | None = None
    game: Identifier | None = None
    seat: Identifier | None = None


class RefusalsQuery(Page, frozen=True):
    """Which rules.

    Attributes:
        ruleset: only what was refused in games of this ruleset.
    """

    ruleset: Identifier | None = None


class RoundScore(Struct, frozen=True):
    """What the seats had in one round.

    Attributes:
        round: the number of the round; 0 before the first.
        version: the version at which the score was taken: when the round was over; of the present round, when its
            present phase began.
        scores: by seat, and then by what the ruleset counts, such as ``tribute`` or ``provinces``.
    """

    round: int
    version: Version
    scores: dict[Seat, dict[str, int]]


class ScoreboardView(Struct, frozen=True):
    """How a game stands, and the score round by round.

    Attributes:
        game: the game.
        ruleset: what it is played by.
        status: ``gathering`` players, ``running``, ``over`` or ``cancelled``.
        version: the version up to which this tells.
        round: the number of the round; 0 before the first.
        heading: where in the game it is, in words.
        created: when it was created.
        started: when it began; null before that.
        ended: when it ended; null before that.
        winners: the seats that won; none while it goes on, and none for a draw.
        ended_by: the rule that ended it; null while it goes on.
        commands: how many commands were accepted, those that were taken back included.
        retractions: how often moves were taken back.
        rounds: the scores, by round.
    """

    game: GameId
    ruleset: str
    status: Status
    version: Version
    round: int
    heading: str
    created: str
    started: str | None
    ended: str | None
    winners: tuple[Seat, ...]
    ended_by: str | None
    commands: int
    retractions: int
    rounds: tuple[RoundScore, ...]


class TimelineEntry(Struct, frozen=True):
    """A place on the timeline of a game.

    Attributes:
        version: the version that shows it.
        kind: ``start``, ``phase`` (one begins, or goes on after a retraction), ``retraction``, ``end``, or what the
            ruleset marks, such as ``battle``.
        round: the number of the round; 0 before the first.
        heading: where in the game this is.
        text: what happened.
        at: when.
    """

    version: Version
    kind: str
    round: int
    heading: str
    text: str
    at: str


class TimelinePage(Struct, frozen=True):
    """Places on the timeline of a game, in order.

    Attributes:
        items: the entries of this page.
        next: the `cursor` of the next page; null when these are the last so far. It is no version, at which several
            entries may stand.
    """

    items: tuple[TimelineEntry, ...]
    next: str | None


class RulesetRecord(Struct, frozen=True):
    """What a player has done in games of one ruleset.

    Attributes:
        ruleset: the ruleset.
        gathering: games that wait for players.
        running: games that go on.
        finished: games that are over.
        won: those of them that the player won, alone or with others.
    """

    ruleset: str
    gathering: int
    running: int
    finished: int
    won: int


class PlayerRecord(Struct, frozen=True):
    """What a player has done.

    Attributes:
        player: the player.
        finished: games that are over, of all rulesets.
        won: those of them that the player won.
        rulesets: the same by ruleset.
    """

    player: PlayerId
    finished: int
    won: int
    rulesets: tuple[RulesetRecord, ...]


class FaceCount(Struct, frozen=True):
    """A face of a die.

    Attributes:
        face: the face.
        times: how often it came up.
        expected: how often it would have, on a die that falls exactly as its sides say.
    """

    face: str
    times: int
    expected: float


class FairnessTest(Struct, frozen=True):
    """Pearson's chi-square test of a die.

    Attributes:
        chi_square: how far the counts are from those expected.
        degrees: the degrees of freedom.
        p: the probability that a fair die strays as far or further. A very small one speaks against the die; but of a
            hundred fair dice, one has less than 0.01.
    """

    chi_square: float
    degrees: int
    p: float


class DieTally(Struct, frozen=True):
    """All rolls of one kind of die, those that were taken back included.

    Attributes:
        ruleset: the ruleset in whose games it was rolled.
        die: the kind of die.
        rolled: how many dice were rolled.
        faces: what they showed.
        fairness: whether that looks like chance; null while there are too few dice to say.
    """

    ruleset: str
    die: str
    rolled: int
    faces: tuple[FaceCount, ...]
    fairness: FairnessTest | None


class DicePage(Struct, frozen=True):
    """Kinds of dice, by ruleset.

    Attributes:
        items: the dice of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[DieTally, ...]
    next: str | None


class RuleTally(Struct, frozen=True):
    """How often a rule has refused something.

    Attributes:
        ruleset: the ruleset in whose games that was.
        rule: the id of the rule.
        title: the title of the rule; empty when the ruleset has no such rule any more.
        refusals: how often it has refused.
        per_command: refusals for each command that was accepted in games of the ruleset; null when there was none.
    """

    ruleset: str
    rule: RuleId
    title: str
    refusals: int
    per_command: float | None


class RuleTallyPage(Struct, frozen=True):
    """Rules, those that refuse most first.

    Attributes:
        items: the rules of this page.
        next: the `cursor` of the next page; null after the last.
    """

    items: tuple[RuleTally, ...]
    next: str | None
