# `make demo` and `make test` need only Python 3.11 or later. `make help` lists the rest.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COMPILE := $(BIN)/uv pip compile --quiet --no-config --generate-hashes --universal \
	--python-version 3.11 --fork-strategy fewest --group build --no-emit-index-url \
	--no-emit-find-links --custom-compile-command "make lock" pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-slow test-kernels test-system check system fresh bench lock \
	mutants docs pictures changelog hooks clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

demo: $(VENV)/.runtime ## run a first plan and show where the release is
	$(BIN)/shoal demo --force

test: check ## run all tests that need only Python and little time
	$(BIN)/pytest -n 2 -m "not system and not slow"

test-all: test test-slow test-kernels test-system ## also run the tests that need time, system packages or uncompiled kernels

# One at a time: they use both cores themselves.
test-slow: $(VENV)/.dev
	$(BIN)/pytest -m "slow and not system"

# Kernel tests mirror src/shoal/kernels: tests/kernels/ or tests/test_kernels*.py.
test-kernels: $(VENV)/.dev
	@set -- $(wildcard tests/kernels tests/test_kernels*.py); \
	if [ $$# -gt 0 ]; then \
		NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 "$$@"; \
	else \
		scripts/lacking "kernel tests with the compiler off" "there are no kernel tests"; \
	fi

# pytest exits with 5 if no test is marked `system`.
test-system: $(VENV)/.dev $(VENV)/.spark
	$(BIN)/pytest -m system || [ $$? -eq 5 ]

# PART=2/5 runs every fifth mutant from the second, SAMPLE=50 SEED=1 some of them, ARGS="verify/text"
# those of some modules.
mutants: $(VENV)/.dev ## change what judges releases: does a test notice? PART, SAMPLE, SEED, ARGS
	$(BIN)/python -m scripts.mutants --part $(or $(PART),1/1) --sample $(or $(SAMPLE),0) \
		--seed $(or $(SEED),0) $(ARGS)

check: $(VENV)/.dev ## style, types and layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

system: ## install the system packages that test-all uses (Debian, as root)
	scripts/system

fresh: ## run make test in a new clone of HEAD
	scripts/fresh test

bench: $(VENV)/.dev ## run the benchmarks; ARGS is passed on
	$(BIN)/python -m benchmarks $(ARGS)

# The development lock comes first and constrains the other, so that both have the same versions.
lock: $(VENV)/.dev ## resolve the dependencies again; ARGS=--upgrade takes the newest
	$(COMPILE) $(ARGS) --extra dev --extra certificate --extra database --extra studio --extra sklearn -o requirements-dev.lock
	$(COMPILE) $(ARGS) -c requirements-dev.lock -o requirements.lock
	$(COMPILE) $(ARGS) -c requirements-dev.lock --extra spark -o requirements-spark.lock

docs: $(VENV)/.dev ## write the generated pages of the docs
	$(BIN)/python scripts/docs.py

pictures: $(VENV)/.dev ## take the pictures of the docs again (make system first)
	$(BIN)/python scripts/pictures.py

changelog: $(VENV)/.dev ## collect changelog.d/ into CHANGELOG.md; VERSION=x.y.z
	$(BIN)/towncrier build --version $(VERSION)

hooks: $(VENV)/.dev ## have git run the checks before every commit
	$(BIN)/pre-commit install

clean: ## remove the environment and the caches
	rm -rf $(VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("shoal needs Python 3.11 or later; choose one: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing shoal and its dependencies into $(VENV)"
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@echo "Installing the development tools into $(VENV)"
	$(PIP) install --require-hashes -r requirements-dev.lock
	touch $@

# Spark is 400 MB, and only the tests of the engine of that name need it.
$(VENV)/.spark: requirements-spark.lock $(VENV)/.dev
	@echo "Installing Spark into $(VENV)"
	$(PIP) install --require-hashes -r requirements-spark.lock
	touch $@
