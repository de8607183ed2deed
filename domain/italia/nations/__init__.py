"""What only some nations do, as their cards say: they revolt, gather, take a title, or leave the game."""
