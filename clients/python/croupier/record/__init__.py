"""Generated packages."""
