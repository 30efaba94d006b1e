# Everything a developer does here, each by one word: make help.
# Needs Python 3.11 or newer (PYTHON=... names another one) and make; the rest is set up in $(VENV).

VENV ?= .venv
PYTHON ?= $(firstword $(foreach python,python3 python3.14 python3.13 python3.12 python3.11,$(if $(shell \
	command -v $(python) > /dev/null 2>&1 && \
	$(python) -c 'import sys, venv, ensurepip; print(sys.version_info >= (3, 11) or "")' 2> /dev/null),$(python))))
PY := $(VENV)/bin/python
# More words for pytest: make test ARGS="-k resume -x"
ARGS ?=

# The handed cases live beside this checkout where they are used; CASE_KINDS are those that must pass.
CASES ?= ../shared/cases
CASE_KINDS := url relative scope redirect charset robots content traps retry names markdown adaptive state ci

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint format bench cases clean

help:  ## Show what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/installed  ## Crawl the demo site on loopback and show the tree that it makes
	$(PY) -m tests.demo

test: $(VENV)/ready  ## Run the tests (not those marked slow), on two cores
	$(PY) -m pytest -n 2 -m "not slow and not live" $(ARGS)

test-all: $(VENV)/ready  ## Run every test, the slow ones too
	$(PY) -m pytest -n 2 -m "not live" $(ARGS)

lint: $(VENV)/ready  ## Check style, format and types
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy

format: $(VENV)/ready  ## Put imports and format in order
	$(PY) -m ruff check --fix --select I
	$(PY) -m ruff format

bench: $(VENV)/ready  ## Measure start-up, memory and CPU time against their limits
	$(PY) -m benchmarks.budgets $(ARGS)

cases: $(VENV)/ready  ## Run the handed cases of the kinds that must pass
	@failed=; for kind in $(CASE_KINDS); do \
		PATH="$(abspath $(VENV))/bin:$$PATH" $(PY) $(CASES)/run_cases.py --map tests/cases-map.yaml --kind $$kind -j 3 \
			|| failed="$$failed $$kind"; \
	done; test -z "$$failed" || { echo "failed kinds:$$failed"; exit 1; }

clean:  ## Remove everything that was made here
	rm -rf $(VENV) dist build demo-tree .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(PY):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv and pip is needed; PYTHON=... names one."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# What users get, and nothing else: enough for the demo.
$(VENV)/installed: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --editable .
	@touch $@

# What developers need; dependency groups came with pip 25.1.
$(VENV)/ready: $(VENV)/installed
	$(PY) -m pip install --quiet "pip>=25.1"
	$(PY) -m pip install --quiet --group dev
	@touch $@
