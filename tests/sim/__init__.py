"""Simulation: the real server under simulated time, network and disk, from one seed.

The clock jumps from timer to timer, so that an hour of play takes a second, and every byte that
goes over the network or to the disk goes through this package, which delays, cuts, loses and
repeats it as the seed says. What clients see is judged by `tests.sim.promises`, which
knows nothing of the simulation and judges real runs as well.
"""
