"""What `deploy/test.sh --fast` runs: the tests that a change can have touched, the nearest first, for two minutes.

`reads` finds which files each file reads, `plan` which tests a change touches, and `plugin` has pytest run them.
"""
