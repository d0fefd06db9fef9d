"""Tournaments and ladders: schedules, an event log from which everything follows, and the runner.

Read `contest.py` first: what a log means. `formats.py` decides who meets whom, `standings.py` what
it amounts to, `conductor.py` has boards played in arenas, `log.py` keeps the events.
"""
