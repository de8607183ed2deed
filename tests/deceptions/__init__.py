"""What a service that lies could do with its games, its cases and its log, and who notices each lie in which words.

Four look at each lie: `verify` at the exports, the holder of an earlier certificate, a follower who looked before, and
a witness, with the readers whose policy asks for it. Here is also what nobody can notice: lies from the beginning,
before anything was signed. Our own program would not even sign after an old backup was restored; here it does what it
can.

``python -m tests.deceptions [HONEST]`` prints what each of them says, and follows 200 honest logs, or HONEST.
"""
