"""Dumps: the finished public games of a ruleset and month, as files for whoever wants all of them."""
