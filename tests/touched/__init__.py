"""What `deploy/test.sh --fast` runs: the tests that a change can have touched, the nearest first, for two minutes.

`reads` finds which files each file reads, and `plan` which tests a change touches. `plugin` has pytest run them, and
`notes` keeps how long tests take.
"""
