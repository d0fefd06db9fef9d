"""Open decisions, whose clock runs, what a seat has left, and who is away."""
