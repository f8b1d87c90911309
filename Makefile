# Everything runs in .venv, which is made when it is missing and kept as long as
# requirements-dev.lock and pyproject.toml are what it was made from.

PYTHON ?= python3
# Tests start many programs, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.made-from

# Seeded fuzzing: make fuzz N=2000 SEED=1, make fuzz N=5000 ONLY=barriers
# Faults put into the source: make mutate N=200 SEED=1
N ?= 200
SEED ?= 0
ONLY ?= all
# Benchmarks: which, beside what, on how many threads
PEERS ?= all
THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help venv lock example test quick lint types filecheck pytest fuzz soak mutate bench \
	peers docs format clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

venv: $(READY) ## make .venv from the lock file

$(READY): requirements-dev.lock pyproject.toml
	@cat $^ | cmp -s - $@ && touch $@ || $(MAKE) --no-print-directory environment

.PHONY: environment
environment:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "expected Python 3.11 or newer, got %d.%d: set PYTHON=..." % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@cat requirements-dev.lock pyproject.toml > $(READY)

example: $(READY) ## compile, run and check the examples on real sizes
	$(BIN)/python examples/run_all.py

test: lint ## everything that has to hold
	@$(MAKE) --no-print-directory -j 2 types pytest filecheck

quick: filecheck ## tests in MLIR, and one case of every quick test in Python
	$(BIN)/python -m pytest -q -n logical --dist worksteal --sample 0 -m "not slow"

lint: $(READY) ## ruff: rules and format; the longest files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@find analysis dialects distribution lowering passes reference runtime tools -name '*.py' \
	  | xargs wc -l | sort -rn | sed -n '2,6s/^/longest: /p'

types: $(READY) ## pyright, strict
	$(BIN)/pyright

pytest: $(READY) ## tests in Python
	$(BIN)/python -m pytest -q -n logical --dist worksteal

filecheck: $(READY) ## tests in MLIR, the programs as forks of one that is loaded
	$(BIN)/lit -s -D forked tests/filecheck

soak: $(READY) ## threads, Ctrl-C, forks, wrong input, all at once: SECONDS=600 SEED=1
	$(BIN)/python tests/fuzz/soak.py --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1)

fuzz: $(READY) ## N random kernels from seed SEED; ONLY=barriers
	$(BIN)/python tests/fuzz/run.py -n $(N) --seed $(SEED) --kind $(ONLY)

mutate: $(READY) ## N faults in the source from seed SEED; ONLY=passes/masking
	$(BIN)/python tests/mutation/run.py -n $(N) --seed $(SEED) --only "$(ONLY:all=)"

bench: $(READY) ## side by side with peers; ONLY=gemm_* PEERS=intel,c THREADS=2
	$(BIN)/python -m benchmarks --only "$(ONLY)" --peers "$(PEERS)" --threads $(THREADS)

peers: $(READY) ## install what `make bench` compares with, as far as pip has it
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[bench]'

docs: $(READY) ## put the IR of today into docs/
	$(BIN)/python tests/docs/pages/pipeline_page.py
	$(BIN)/python tests/docs/pages/barriers_page.py
	$(BIN)/python tests/docs/pages/divergence_page.py
	$(BIN)/python tests/docs/pages/explain_page.py
	$(BIN)/python -m tests.docs.pages.larger_page
	$(BIN)/python -m tests.docs.pages.larger_pictures
	$(BIN)/python -m tests.docs.pages.tiles_pictures
	$(BIN)/python -m tests.docs.pages.notebook
	$(BIN)/python -m tests.docs.pages.op_reference
	$(BIN)/python -m tests.docs.pages.architecture_page

format: $(READY) ## let ruff repair what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: ## resolve the dependencies anew
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --upgrade --extra dev --extra dask --strip-extras --allow-unsafe \
	  --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --no-emit-trusted-host --no-emit-find-links \
	  --output-file requirements-dev.lock pyproject.toml

clean: ## remove what was made
	rm -rf $(VENV) build dist out .pytest_cache .ruff_cache .hypothesis .lit_test_times.txt
