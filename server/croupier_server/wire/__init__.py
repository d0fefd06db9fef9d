"""Domain values to and from the messages of the contract, as bytes on the hot path."""
