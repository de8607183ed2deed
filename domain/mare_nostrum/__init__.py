"""Mare Nostrum: trade, construction and war around the Mediterranean; one ruleset."""
