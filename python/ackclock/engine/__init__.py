"""The compiled engine: its functions, its catalogue of laws, queues and senders, and limits of its runs.

No other package imports the extension module `ackclock._core`, and here only `ackclock.engine.core` does.
"""
