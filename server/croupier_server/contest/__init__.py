"""Contests: entrants, boards, pairings, results, and the runner that plays them.

A contest is a client of the contract, as any other: it makes tables, hands out invitations and
reads finished records. Must not be put here: anything that reaches a table in another way.
"""
