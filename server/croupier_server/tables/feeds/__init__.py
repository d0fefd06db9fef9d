"""What readers are sent: seats, spectators, the lobby."""
