"""Bots, in a file for each ruleset or family of rulesets. The ids of these rulesets begin with the file's name."""
