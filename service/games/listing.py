"""Title and listing of a game, which are not in its log."""

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.rules.refusal import Refusal
from service.games.acts import require_organizer
from service.games.reading import GameReader


async def retitle(games: GameReader, game_id: GameId, player: PlayerId, title: str) -> None:
    """Change the title of a game, as its organizer. Raises `UnknownGame` or `NotOrganizer`."""
    require_organizer(await games.game(game_id), player)
    await games.store.retitle(game_id, title)


async def list_game(games: GameReader, game_id: GameId, player: PlayerId, listed: bool) -> None:
    """Show a game in public lists or hide it, as its organizer. Raises `UnknownGame`, `NotOrganizer` or `Refusal`."""
    game = await games.game(game_id)
    require_organizer(game, player)
    if game.is_private and listed:
        wrong = f"You asked to list {game_id}, which is private."
        raise Refusal("TAB-READ-01", wrong, "A private game stays private.")
    await games.store.list_game(game_id, listed)
