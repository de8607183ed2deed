"""Games that other services recorded: verified in a process of their own, stored unchanged, and only read."""
