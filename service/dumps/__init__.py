"""Dumps: files with all finished public games of a ruleset and month."""
