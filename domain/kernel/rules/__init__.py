"""What a ruleset is made of: events, commands, decisions, options, refusals, a catalogue and a board."""
