"""Games that other services recorded: importing them, and looking at them."""
