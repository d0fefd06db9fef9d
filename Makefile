# Croupier. `make` alone prints this help; every target sets up what it needs.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
TOOLS := .tools
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS_READY := $(TOOLS)/.ready

.PHONY: help
help: ## print this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# Environments --------------------------------------------------------------------------------

.PHONY: setup
setup: $(READY) ## make .venv with the server, the SDK and the development tools

# The locks hold a hash of every file, so nothing else can be installed. The two packages of this
# repository come last, editable, without build isolation: hatchling is in the lock too.
$(READY): requirements/dev.lock pyproject.toml clients/python/pyproject.toml
	@echo "setup: making $(VENV)"
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Croupier needs Python 3.11 or newer")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--requirement requirements/dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
		--no-deps --editable clients/python --editable .
	@touch $@

$(TOOLS_READY): requirements/tools.lock
	@echo "setup: making $(TOOLS)"
	@test -x $(TOOLS)/bin/python || $(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--requirement requirements/tools.lock
	@touch $@
