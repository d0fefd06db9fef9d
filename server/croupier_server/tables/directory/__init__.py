"""All tables of a server: who may find them, sit at them and host them."""
