# One way in: `make run` shows it working, `make test` proves it, `make bench` measures it.
PYTHON ?= python3
TORCH ?= auto
LIGHT ?=
SBOM ?= build/sbom.cdx.json
WORKERS ?= 4
VENV := .venv
BIN := $(VENV)/bin
# What `make run` needs to be installed: `make run LIGHT=1` is content with less.
READY := $(VENV)/.$(if $(filter-out 0 no,$(LIGHT)),light,run)

.DEFAULT_GOAL := help
.PHONY: help run verified test test-quick fuzz faults audit sbom bench bench-docs pictures sample-data format clean

help: ## list the targets and variables
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo
	@echo 'TORCH=auto    PyTorch of run and test: the CPU build if there is no NVIDIA GPU (1.9 GB in all),'
	@echo '              else with CUDA (5.7 GB); TORCH=cpu and TORCH=cuda insist on one'
	@echo 'LIGHT=1       run without PyTorch (0.9 GB): no text encoder but the embedded one'
	@echo 'PYTHON=…      the Python that makes .venv, 3.11 or newer (python3)'

# The stamps make an install happen once, and again whenever what it depends on changes. The larger
# install includes the smaller one. One build of PyTorch is there
# at a time, and any will do for `auto`.
$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.light: pyproject.toml constraints.txt $(VENV)/.made
	@$(BIN)/python install.py light
	@touch $@

$(VENV)/.torch-$(TORCH): constraints.txt $(VENV)/.made
	@$(BIN)/python install.py torch $(TORCH)
	@rm -f $(VENV)/.torch-*
	@touch $(VENV)/.torch-auto $@

$(VENV)/.run: pyproject.toml constraints.txt $(VENV)/.torch-$(TORCH)
	@$(BIN)/python install.py models
	@touch $@ $(VENV)/.light

$(VENV)/.test: pyproject.toml constraints.txt $(VENV)/.torch-$(TORCH)
	@$(BIN)/python install.py test
	@touch $@ $(VENV)/.run $(VENV)/.light

$(VENV)/.audit: $(VENV)/.test
	@$(BIN)/python install.py audit
	@touch $@

verified: $(VENV)/.made ## install everything, every file checked against its hash (CPU build of PyTorch)
	@$(BIN)/python install.py verified $(TORCH)
	@rm -f $(VENV)/.torch-*
	@touch $(VENV)/.torch-auto $(VENV)/.torch-$(TORCH)
	@touch $(VENV)/.test $(VENV)/.run $(VENV)/.light

run: $(READY) ## open the inspector on the sample dataset
	$(BIN)/tui-eval

# mypy needs one core for a minute, and the tests do not always need both: they run side by side,
# and what mypy says comes last. Collecting once before the workers do spares each of them to rewrite
# all assertions; what fails there is said by the tests.
test: $(VENV)/.test ## ruff, mypy and every test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo '$(BIN)/mypy, beside'
	@$(BIN)/mypy >$(VENV)/mypy.log 2>&1 & types=$$!; \
	trap 'kill $$types 2>/dev/null' INT TERM; \
	$(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1; \
	echo '$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal'; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal; tests=$$?; \
	wait $$types; types=$$?; \
	echo '$(BIN)/mypy'; cat $(VENV)/mypy.log; \
	exit $$((tests ? tests : types))

# Also where it is switched off: every process that a test starts would compile everything anew.
test test-quick: export PYTHONDONTWRITEBYTECODE :=

test-quick: $(VENV)/.test ## the tests for after each change: nothing that starts a model, a process or the app
	$(BIN)/python -m pytest -n 2 --quick

fuzz: $(VENV)/.test ## 100,000 mutated files and command lines; goes on where it was stopped
	$(BIN)/python -m tests.fuzz --resume

faults: $(VENV)/.test ## kill -9, full disks and other faults wherever a file is touched, and the table
	$(BIN)/python -m tests.faults --all

audit: $(VENV)/.audit ## known vulnerabilities of what is pinned; hashes, licences, the model and our code
	$(BIN)/python -m supply.audit

sbom: $(VENV)/.test ## write build/sbom.cdx.json (CycloneDX 1.6): the program, its tests and tools; SBOM=… elsewhere
	$(BIN)/python -m supply.sbom $(SBOM)

bench: $(VENV)/.test ## the benchmarks, as ratios against peers
	$(BIN)/python -m benchmarks

bench-docs: $(VENV)/.test ## write docs/performance.md from what the benchmarks measured last
	$(BIN)/python -m benchmarks.docs

pictures: $(VENV)/.test ## write docs/pictures from the snapshots of the screens
	$(BIN)/python -m tests.write_pictures

sample-data: $(VENV)/.run ## render the sample dataset again
	$(BIN)/python -m sample_data.generate

format: $(VENV)/.test ## let ruff format and mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
