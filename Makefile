# One way in: `make run` shows it working, `make test` proves it, `make bench` measures it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help run test test-quick bench bench-docs sample-data format clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The stamps make an install happen once, and again whenever what it depends on changes.
$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: pyproject.toml constraints.txt $(VENV)/.made
	@echo "installing into $(VENV): about 2 GB with PyTorch, some minutes …"
	@$(INSTALL) -e .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt $(VENV)/.made
	@echo "installing into $(VENV): about 2 GB with PyTorch, some minutes …"
	@$(INSTALL) -e '.[test]'
	@touch $@ $(VENV)/.run

run: $(VENV)/.run ## open the inspector on the sample dataset
	$(BIN)/tui-eval

test: $(VENV)/.test ## ruff, mypy and every test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 3 --dist worksteal

test-quick: $(VENV)/.test ## the tests for after each change: nothing that starts a model, a process or the app
	$(BIN)/python -m pytest -n 2 --quick

bench: $(VENV)/.test ## the benchmarks, as ratios against peers
	$(BIN)/python -m benchmarks

bench-docs: $(VENV)/.test ## write docs/performance.md from what the benchmarks measured last
	$(BIN)/python -m benchmarks.docs

sample-data: $(VENV)/.run ## render the sample dataset again
	$(BIN)/python -m sample_data.generate

format: $(VENV)/.test ## let ruff format and mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
