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
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# Environments --------------------------------------------------------------------------------

.PHONY: setup
setup: $(READY) ## make .venv with the server, the SDK and the development tools
	@:

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

# The main job ------------------------------------------------------------------------------------

ARGS ?=
PLAY := --bots greedy,random --boards 200

.PHONY: play
play: $(READY) ## play a contest of each game, greedy against random, over gRPC
	@$(BIN)/croupier play tractor $(PLAY) --option max_deals=1
	@$(BIN)/croupier play tongits $(PLAY) --option max_hands=1
	@$(BIN)/croupier play pokex $(PLAY) --option max_deals=2

LADDER := games/ladder-$(shell date +%Y%m%d-%H%M%S)
HALF := clients/python/examples/half_greedy.py:HalfGreedy

.PHONY: ladder
ladder: $(READY) ## play a ladder of 1,000 duplicate boards of Pokex, and write its report
	@$(BIN)/croupier ladder new $(LADDER) --game pokex --bots greedy,greedy,random,$(HALF) \
		--option max_deals=1 --boards 167
	@$(BIN)/croupier ladder run $(LADDER) --concurrency 64 --html $(LADDER)/report.html

.PHONY: bench
bench: $(READY) ## measure decisions a second, in process and over gRPC (ARGS=--json)
	@$(BIN)/croupier bench $(ARGS)

.PHONY: walk
walk: $(READY) ## count the modules that one move enters, and the hops between them (ARGS=--list)
	@$(BIN)/python -m scripts.walk $(ARGS)

.PHONY: bench-peers
bench-peers: $(READY) ## measure random play here and in RLCard and OpenSpiel, in turns
	@$(BIN)/python scripts/bench_peers.py $(ARGS)

.PHONY: oracle-openspiel
oracle-openspiel: $(READY) ## compare melds and deadwood with OpenSpiel's gin rummy (ARGS="--hands 1000")
	@$(BIN)/python -m scripts.compare_openspiel $(ARGS)

# Checks ------------------------------------------------------------------------------------------

PYTEST := $(BIN)/python -m pytest

.PHONY: fmt
fmt: $(READY) ## format Python and protos, mend what ruff can mend
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .
	@$(BIN)/buf format --write

.PHONY: lint
lint: $(READY) ## ruff, import contracts, spelling, buf
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/codespell
	@$(BIN)/buf lint
	@$(BIN)/buf format --diff --exit-code

.PHONY: types
types: $(READY) ## mypy --strict on server, SDK, scripts and tests
	@$(BIN)/mypy

.PHONY: test
test: $(READY) ## run the quick tests, in a minute and a half (ARGS="-k follow")
	@$(PYTEST) -n 2 $(ARGS)

.PHONY: test-more
test-more: $(READY) $(TOOLS_READY) ## run the tests that `make test` leaves out, but for the slow ones
	@$(PYTEST) -n 2 -m "more and not slow" $(ARGS)

.PHONY: test-all
test-all: $(READY) $(TOOLS_READY) ## run every test
	@$(PYTEST) -n 2 -m "" --timeout 1800 $(ARGS)

SEED ?= 1
N ?= 100

.PHONY: sim
sim: $(READY) ## play N matches in simulated worlds from SEED on (SEED=7 N=100 ARGS="--jobs 2")
	@$(BIN)/python -m scripts.simulate --seed $(SEED) --matches $(N) $(ARGS)

MINUTES ?= 30

.PHONY: soak
soak: $(READY) ## hold a server at half load for MINUTES and watch its memory (MINUTES=30 ARGS="--rate 1000")
	@$(BIN)/python -m scripts.soak --minutes $(MINUTES) $(ARGS)

STORE ?= sqlite
KILLS ?= 200
MATCHES ?= 50

.PHONY: crash
crash: $(READY) ## kill a server again and again in mid-match (STORE=sqlite|postgresql KILLS=200 MATCHES=50)
	@$(BIN)/python -m scripts.crash --store $(STORE) --kills $(KILLS) --matches $(MATCHES) $(ARGS)

SECONDS ?= 600

.PHONY: fuzz
fuzz: $(READY) ## send a server what no client should, to every call (SECONDS=600 ARGS="--seed 7")
	@$(BIN)/python -m scripts.fuzz --seconds $(SECONDS) $(ARGS)

.PHONY: attack
attack: $(READY) ## attack a server as hostile clients and cheats would (ARGS="streams --seconds 5")
	@$(PYTEST) -n 2 -m attack
	@$(BIN)/python -m scripts.attack $(ARGS)

.PHONY: faults
faults: $(READY) ## test what a fault may cost an honest player
	@$(PYTEST) -n 2 -m fault

.PHONY: test-clients
test-clients: $(READY) ## build the clients in other languages and play every game (ARGS=go)
	@$(BIN)/python -m scripts.test_clients $(ARGS)

.PHONY: nightly
nightly: $(READY) ## run every test with long, unseeded searches
	@HYPOTHESIS_PROFILE=nightly $(PYTEST) -n 2 -m "" --timeout 7200 $(ARGS)

.PHONY: golden
golden: $(READY) ## show what differs from tests/golden (ARGS=--update writes it)
	@$(BIN)/python scripts/golden.py $(ARGS)

.PHONY: docs-check
docs-check: $(READY) ## pages written from the code, links, anchors, decisions, changelog
	@$(BIN)/python -m scripts.gen_docs --check
	@$(BIN)/python scripts/check_docs.py

.PHONY: audit
audit: $(TOOLS_READY) ## compare the locked dependencies with the public vulnerability database
	@$(TOOLS)/bin/uv tool run --quiet pip-audit==2.10.1 --strict --disable-pip --require-hashes \
		--progress-spinner off --timeout 10 --requirement requirements/server.lock

.PHONY: ci
ci: ## what CI runs, no more
	@.ci/run

# The compiled server -----------------------------------------------------------------------------

COMPILED := .compiled
COMPILED_READY := $(COMPILED)/.ready
SOURCES := $(shell find server/croupier_server -name '*.py')

.PHONY: compiled
compiled: $(COMPILED_READY) ## build a compiled wheel into dist/, and an environment that has it
	@:

$(COMPILED_READY): $(READY) hatch_build.py $(SOURCES)
	@echo "compiled: building the wheel"
	@rm -f dist/croupier_server-*.whl
	@HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 $(BIN)/python -m pip wheel --quiet \
		--disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .
	@echo "compiled: making $(COMPILED)"
	@test -x $(COMPILED)/bin/python || $(PYTHON) -m venv $(COMPILED)
	@$(COMPILED)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--requirement requirements/dev.lock
	@$(COMPILED)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --force-reinstall clients/python dist/croupier_server-*.whl
	@touch $@

.PHONY: test-compiled
test-compiled: $(COMPILED_READY) ## test the compiled server: rules, conformance, matches with a change of servers
	@$(COMPILED)/bin/python -m scripts.check_compiled
	@$(COMPILED)/bin/python -m pytest -p scripts.check_compiled -n 2 tests/games tests/conformance $(ARGS)
	@$(COMPILED)/bin/python -m scripts.crash --kills 6 --matches 6 --or-with $(BIN)/python

# Generated files ---------------------------------------------------------------------------------

.PHONY: proto
proto: $(TOOLS_READY) ## make the stubs, the encoders and the descriptor image from protos/
	@$(TOOLS)/bin/python -m scripts.gen_protos

.PHONY: proto-check
proto-check: $(TOOLS_READY) ## fail if what is committed differs from what `make proto` makes
	@$(TOOLS)/bin/python -m scripts.gen_protos --check

.PHONY: breaking
breaking: $(READY) ## fail if the contract breaks what protos/baseline.binpb has promised
	@$(BIN)/buf breaking --against protos/baseline.binpb

.PHONY: baseline
baseline: $(READY) ## promise the contract as it is now; only with a release, see CONTRIBUTING
	@$(BIN)/buf build --exclude-source-info --output protos/baseline.binpb

LOCK := $(TOOLS)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-package croupier

.PHONY: lock
lock: $(TOOLS_READY) ## lock dependencies anew (ARGS=--upgrade for newer ones)
	@$(LOCK) $(ARGS) pyproject.toml --extra uvloop --extra postgres --extra web -o requirements/server.lock
	@$(LOCK) $(ARGS) pyproject.toml --extra ray --extra uvloop --extra postgres --extra web --group dev -c requirements/server.lock \
		-o requirements/dev.lock
	@$(LOCK) $(ARGS) --group tools -o requirements/tools.lock

.PHONY: clean
clean: ## remove environments, caches and built packages
	@rm -rf $(VENV) $(TOOLS) $(COMPILED) .peers build dist clients/python/dist clients/*/gen clients/*/node_modules \
		clients/typescript/dist .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
	@find server clients scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +
