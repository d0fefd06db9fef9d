"""The owner of an event loop's tables: calls, timers, upkeep, operators."""
