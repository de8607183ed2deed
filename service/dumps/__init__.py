"""Dumps: the finished public games of a ruleset and month, as files, for anybody who wants all of them."""
