"""The arbiter: tournaments and ratings over gRPC, as a client of a server of tables.

Read `tournaments.py` first: it runs the contests of `contest/ladder`, whose event logs are all that
they are. `specs.py` reads what an organiser asks for, `messages.py` writes what is shown,
`ratings.py` rates, `store.py` keeps ratings and the list of tournaments, `process.py` is the whole.
"""
