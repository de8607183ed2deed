"""What a service that lies could write: exports forged with a sound chain, and the sentence that each is refused with.

`openapi/verification.md` lists every field of an export with what is checked of it. Here is a forgery of each, and in
`every.py` those that nobody can find in an export alone. `python -m tests.forgeries` prints what `verify` says of all.
"""
