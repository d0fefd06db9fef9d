"""Rules. Pure: no clock, no chance of their own, no logging, no network."""
