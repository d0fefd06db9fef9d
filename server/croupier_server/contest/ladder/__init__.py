"""Tournaments and ladders: schedules, an event log that is the only state, and the runner.

Read `contest.py` first: what a log means. `formats.py` decides who meets whom, `standings.py`
computes the results, `conductor.py` has boards played in arenas, and `log.py` stores the events.
"""
