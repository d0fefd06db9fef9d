"""Domain values to and from the messages of the contract: one file a game, bytes on the hot path."""
