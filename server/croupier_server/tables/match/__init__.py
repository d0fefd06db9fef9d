"""One table and its match: seats, opening, deals, numbered events, what each reader may see."""
