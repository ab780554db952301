# `make demo` and `make test` are all a newcomer runs; both build .venv on first use.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

venv  := .venv
bin   := $(venv)/bin
stamp := $(venv)/.made
peers := $(venv)/.peers

pip_install := $(bin)/python -m pip install --quiet --disable-pip-version-check

# Spark's Python workers must be the interpreter that has the library.
export PYSPARK_PYTHON := $(CURDIR)/$(bin)/python

# Spark needs Java 17 or newer; the recipes that start it go through this.
with_java = JAVA_HOME="$$($(bin)/python scripts/find_java.py)" && export JAVA_HOME &&

.PHONY: help setup demo test test-core test-spark test-verbs test-programs check bench bench-peers lock clean release-check
.PHONY: test-matrix test-matrix-quick test-merged test-servers test-cluster test-long test-long-frames test-long-others test-long-spark

help: ## show this list
	@printf 'streamframes: windows that follow the data\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(stamp) ## make .venv from requirements.lock (the other targets do it by themselves)

demo: $(stamp) ## see it work: episodes of packet loss found in made-up router reports
	@$(with_java) $(bin)/streamframes demo

test: $(stamp) ## all tests: without Spark; verbs, programs and pages on Spark; two of the four side by side
	@$(MAKE) --no-print-directory --jobs=2 --keep-going test-verbs test-core test-programs test-pages

test-core: $(stamp) ## the tests without Spark alone; need no Java
	$(bin)/pytest -m "not spark and not long and not servers"

test-spark: test-verbs test-programs test-pages ## the tests on Spark alone

test-verbs: $(stamp)
	$(with_java) $(bin)/pytest -m "spark and not long" tests/spark

test-programs: $(stamp)
	$(with_java) $(bin)/pytest -m "spark and not long and not servers" --ignore=tests/spark --ignore=tests/docs \
	    --ignore=tests/golden --ignore=tests/cluster --ignore=tests/matrix

test-pages: $(stamp)
	$(with_java) $(bin)/pytest -m "spark and not long" tests/docs tests/golden

test-servers: $(stamp) ## the tests with real servers, Kafka and Postgres, which are fetched once and run on this machine
	$(with_java) $(bin)/pytest -m "servers and not long" tests/servers

test-cluster: $(stamp) ## the tests on a standalone cluster and a Connect server, which they start
	$(with_java) $(bin)/pytest -m "spark and not long" tests/cluster

test-long: $(stamp) ## what is left out of `make test`: twenty times as many examples of each law, and queries killed often
	@$(MAKE) --no-print-directory --jobs=2 --keep-going test-long-frames test-long-others test-long-spark

# Half of the laws, by the time they take.
laws := tests/core/files tests/core/fill tests/core/frames tests/core/operator tests/core/schemes

test-long-frames: $(stamp)
	$(bin)/pytest --hypothesis-profile=long -m "not spark" $(laws)

test-long-others: $(stamp)
	$(bin)/pytest --hypothesis-profile=long -m "not spark" $(laws:%=--ignore=%) tests/core tests/oracles tests/data

test-long-spark: $(stamp)
	$(with_java) $(bin)/pytest -m "spark and long" --ignore=tests/release

check: $(stamp) ## style, types, rules of the house and doctests; needs no Java
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy --strict src
	$(bin)/lint-imports
	$(bin)/python -m scripts.check_house
	$(bin)/python -m scripts.test_map --check
	$(bin)/python -m scripts.module_map --check
	$(bin)/pytest --doctest-modules src

release-check: $(stamp) ## wheel and sdist, installed in new environments: README, demos and every command run there
	$(with_java) $(bin)/pytest tests/release

test-matrix: $(stamp) ## the wheel on every version of Spark and Python, with Delta and Iceberg; writes docs/where-it-runs.md
	$(with_java) $(bin)/python -m tests.matrix.run

test-matrix-quick: $(stamp) ## a quarter of it, on the oldest Spark and on the newest but one
	$(with_java) $(bin)/python -m tests.matrix.run --quick

test-merged: $(stamp) ## queries that merge into Delta and Iceberg, killed often, on every Spark that knows these
	$(with_java) $(bin)/python -m tests.matrix.run --long

bench: $(stamp) ## measure against Spark, DuckDB and Polars, and print the tables
	@$(with_java) $(bin)/python -m benchmarks.tables

bench-peers: $(peers) ## measure against every other tool in its best form; takes hours, see benchmarks/README.md
	@$(with_java) $(bin)/python -m benchmarks.peers $(PEERS)

lock: $(stamp) ## renew requirements.lock from pyproject.toml
	$(bin)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras --group dev \
	    --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --output-file requirements.lock pyproject.toml
	$(bin)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --group peers \
	    --constraints requirements.lock --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --output-file requirements-peers.lock

clean: ## remove .venv and everything the tools leave behind
	rm -rf $(venv) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf spark-warehouse metastore_db derby.log
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(stamp): requirements.lock pyproject.toml
	@python="$$(sh scripts/find_python.sh)" && \
	    printf 'Making $(venv) with %s; the first time takes a minute or two.\n' "$$python" && \
	    "$$python" -m venv $(venv)
	@$(pip_install) --use-pep517 --require-hashes -r requirements.lock
	@$(pip_install) --no-deps --no-build-isolation -e .
	@touch $@

# Too large for those who do not measure.
$(peers): requirements-peers.lock $(stamp)
	@$(pip_install) --require-hashes -r requirements-peers.lock
	@touch $@
