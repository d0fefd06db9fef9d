"""What reaches the store, and how tables are taken up from it again."""
