"""Measures how much a machine plays: rules in one process, and the server with bots in others.

A decision is one question that a seat answers: ask who is to act and what, build the legal
answer, choose with equal chances, apply. Questions with one legal answer are not counted; their
time is. Rates are by CPU time, so that other work on the machine falsifies them as little as it
can; cells take turns in rounds, medians are over rounds, and ratios are taken inside a round.
"""
