"""How a command, or any other act, goes from the game in memory to the log, and back with the answer."""

import contextlib
from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from domain.kernel.ids import GameId, Version
from domain.kernel.log import timing
from domain.kernel.log.following import following
from domain.kernel.log.game import Decided, Game
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from service.games.acts import Act, Case, NotOrganizer, NotSeated, TooManyBots, takes_part
from service.games.appending import Appender
from service.games.cache import CachedGame, GameCache
from service.games.reading import GameReader
from service.games.requests import Done, Request, StaleVersion
from service.games.watch import Watch
from service.observe.logging import log
from service.observe.tracing import span
from service.store.protocol import Conflict, StoreError, StoreUnavailable, Within

ATTEMPTS: Final = 5
"""How often a request is decided again after another process was quicker."""


class CommandHandler:
    """Decides acts and stores their events, for each game one act at a time."""

    def __init__(
        self,
        library: Library,
        reader: GameReader,
        cache: GameCache,
        appender: Appender,
        refused: Callable[[str, str], None],
        watch: Watch | None = None,
    ) -> None:
        """`refused` gets the ruleset and the rule of every refusal; it has to be quick."""
        self._watch = watch
        self._library = library
        self._reader = reader
        self._cache = cache
        self._appender = appender
        self._refused = refused

    async def handle(
        self, game_id: GameId, request: Request, act: Act, expected: Collection[Version] | None, within: Within | None
    ) -> Done:
        """Decide and store an act in a game. Raises what `Games.act` raises."""
        # 1. Take the game, loaded and as new as other processes have announced. Other requests to it wait.
        async with self._cache.locked(game_id) as cached:
            if cached.announced > cached.now.version:  # else the first append would fail, and the act be decided twice
                await self._cache.catch_up(cached)
            for _ in range(ATTEMPTS):
                try:
                    before = cached.now.version
                    if cached.now.left_to_house is not None:
                        await self.settle(cached)
                    if cached.now.clocks is not None:
                        await self.credit(cached, request)
                    if cached.now.version > before and expected is not None and before in expected:
                        expected = (cached.now.version,)  # the client could not know this version
                    with span("decide"):
                        # 2. The act refuses with a rule, or says which events happen.
                        decided = await self.decide(cached, request, act, expected)
                        # 3. Answers that seats have left in advance, and those of the house, follow at once.
                        decided = followed(cached, decided)
                    # 4. Store the events. Then the game in memory goes on, its readers wake, and the answer is ready.
                    outcome = await self._appender.append(cached, request, decided, within=within)
                    break
                except Conflict:
                    # 5. Another process was quicker: catch up and decide again.
                    await self._cache.catch_up(cached)
                except (Refusal, NotSeated, NotOrganizer, TooManyBots, StaleVersion) as error:
                    # 6. Refused, but perhaps only because the game in memory was old.
                    if await self._cache.head(cached) > cached.now.version:
                        await self._cache.catch_up(cached)
                        continue
                    # 7. Refused, but perhaps because this very request was accepted before, and the game has moved on.
                    if first := await self._reader.first_answer(game_id, request.use):
                        return first
                    if isinstance(error, Refusal) and request.player is not None:
                        self._refused(cached.now.ruleset.id, error.rule)
                    raise
            else:
                raise StoreUnavailable(f"{game_id} changed {ATTEMPTS} times while the service decided this; try again")
            if cached.now.left_to_house is not None:
                with contextlib.suppress(StoreError):  # another process does it then, or the next act
                    await self.settle(cached)
            return outcome

    async def settle(self, cached: CachedGame) -> None:
        """Let the house answer for seats that resigned (TAB-SEAT-05), in as many transactions as that needs.

        Raises `Conflict` and `StoreError`.
        """
        while cached.now.left_to_house is not None:
            at = cached.recent[-1].at  # the answers belong to the act that they follow
            decided = followed(cached, Decided(cached.now, ()), at)
            if not decided.records:
                return
            await self._appender.append(cached, Request(None, at), decided)

    async def credit(self, cached: CachedGame, request: Request) -> bool:
        """Give time back to the clocks of a game if no process watched them; tell whether it gave any.

        The timekeeper does so in every game (TAB-CLK-09). A player who acts before it must not lose time. Raises
        `Conflict` and `StoreError`.
        """
        clocks = cached.now.clocks
        if self._watch is None or request.player is None or clocks is None or not clocks.runs:
            return False
        since = await self._watch.unwatched_since(cached.id, request.at)
        if since is None:
            return False
        at = max(request.at, cached.recent[-1].at)
        try:
            credited = timing.credit_outage(cached.now, since, at)
        except Refusal:  # the time was credited already, or the clocks began to run later
            return False
        await self._appender.append(cached, Request(None, at), credited)
        return True

    async def decide(
        self, cached: CachedGame, request: Request, act: Act, expected: Collection[Version] | None
    ) -> Decided:
        """Decide an act without storing it. Raises what `Games.act` raises."""
        game = cached.now
        if expected is not None and game.version not in expected:
            raise StaleVersion(expected, game.version)
        decided = await act.decide(self.case(cached, request))
        if decided.game.around is not game.around:
            await self._require_one_person(game, decided.game)
        return decided

    async def _require_one_person(self, before: Game, after: Game) -> None:
        """Raise `Refusal` when an account gets a seat or office where one joined with it has a side (TAB-JOIN-05).

        The other may have held the same seat (TAB-SEAT-02). It acts no more, so no later check is needed.
        """
        members = {*before.players.values(), *before.around.officials}
        seats = {holder: seat for seat, holder in after.players.items() if holder is not None and holder not in members}
        officials = [player for player in after.around.officials if player not in members]
        for player in (*seats, *officials):
            for other in await self._reader.store.joinings.joined_with(player):
                if takes_part(before, other, seats.get(player)):
                    wrong = f"{other} was joined with {player}, and takes or took part in this game."
                    raise Refusal("TAB-JOIN-05", wrong, "They are one person. Choose another account.")

    def case(self, cached: CachedGame, request: Request) -> Case:
        """Return the input for deciding an act."""
        # Clocks of processes differ and may be set back, but times in a log must never run backwards.
        at = max(request.at, cached.recent[-1].at)
        history = partial(self._cache.history, cached)
        return Case(cached.now, cached.secret, cached.vault, request.cause, at, self._library, history)


def followed(cached: CachedGame, decided: Decided, at: str = "") -> Decided:
    """Add to a decision what follows at once, at the time `at` or that of its last record.

    That is answers left in advance, and answers of the house for seats that resigned.
    """
    game = decided.game
    if not game.answers and not game.around.resigned:
        return decided
    chance, at = game.chance(cached.secret), at or decided.records[-1].at
    try:
        for step in following(decided, chance, cached.vault, at):
            decided = decided.then(step)
    except Exception:  # an act for somebody else must not fail the request that it follows
        log.exception("what follows an act failed", game=game.id, version=decided.game.version)
    return decided
