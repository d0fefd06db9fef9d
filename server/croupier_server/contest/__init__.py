"""Contests: entrants, boards, pairings, results, and the runner that plays them.

A contest is a client of the contract, as any other: it makes tables, hands out invitations and
reads finished records.
"""
