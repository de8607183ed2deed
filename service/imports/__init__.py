"""Games that other services recorded: examined in a process of their own, kept as they came, and only looked at."""
