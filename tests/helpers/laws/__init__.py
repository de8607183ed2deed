"""The laws that every ruleset keeps. One class plugs a ruleset in:

    class TestTinyLaws(Laws):
        ruleset, board = TinyAuction(), ROOM

`pieces`, `changes` and `faults` are the hooks: what the ruleset must conserve, which events say that they change it,
and what else can be wrong with its table.
"""
