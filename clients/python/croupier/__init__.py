"""Python client of Croupier: generated stubs (`croupier.v1`) and the SDK round them."""
