# Needs python3 (3.11 or newer, with its venv module) and make; everything else goes into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST_ARGS ?= -n auto --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help demo test check format docs bench torture examples clean

help:  ## What can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

demo: $(VENV)/.product  ## Install into .venv and investigate the shipped incident
	@$(BIN)/leadline demo

test: $(VENV)/.tools  ## Run the tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/.tools  ## All that CI runs: format, lint, types, floors, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest $(PYTEST_ARGS)

format: $(VENV)/.tools  ## Format the code and mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.product  ## Write the tables of the documentation anew
	$(BIN)/python docs/tables.py

bench: $(VENV)/.tools  ## Measure: start-up, overhead, critical path, checkpoints, prompts
	$(BIN)/python -m benchmarks

torture: $(VENV)/.tools  ## Kill, race and confuse what acts, for about an hour: see docs/actions.md
	$(BIN)/python -m benchmarks action_kills approve_race actions_machine

examples: $(VENV)/.product  ## Write the shipped incidents anew
	$(BIN)/python -m leadline.examples.generate

clean:  ## Remove the venv, caches and builds
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache src/*.egg-info

# Stamps: an install is repeated only when what it installs has changed.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(0 if sys.version_info >= (3, 11) else "leadline needs Python 3.11 or newer; $(PYTHON) is " + v + ". Next: make PYTHON=python3.11 ...")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot create a venv. Next: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.product: $(VENV)/.python pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.tools: $(VENV)/.product
	$(PIP) install -c constraints.txt -e '.[test]'
	@touch $@
