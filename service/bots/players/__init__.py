"""Bots, in a file for each ruleset. It is named after the ruleset, or after what the ids of its rulesets begin with."""
