"""What is kept: the log of live tables and the records of finished matches."""
