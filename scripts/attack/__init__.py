"""Attacks on a real server, with an honest player beside them: ``make attack``."""
