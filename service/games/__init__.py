"""Games in play: commands to them, the cache that holds them, and what each viewer may see."""
