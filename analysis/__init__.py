"""
What is known of a program without running it.

Every module here is a set of pure functions on IR with frozen results: nothing changes
the IR, and an operation that is not known is never an error, only a loss of precision.
"""
