# Ackclock's commands: `make help` lists them. On a new machine, run `make reproduce` or `make test`.
# Each target makes what it needs in .venv/ and target/, and makes it again only if its sources have changed.

STUDY ?= burstiness
LISTS ?= 250
PROFILE ?= ns2-2.35
CASES ?= 100000
KILLS ?= 1000
RAY ?= 0
SECONDS ?= 1200
MUTANTS ?= 200
NET ?= 100
SEED ?= 1
SEEDS ?= 3

VENV := .venv
OUT := out
PY := $(VENV)/bin/python
# An absolute path, as in maturin: if the values were different, cargo would build PyO3 twice.
export PYO3_PYTHON := $(CURDIR)/$(PY)
# The folder of rustup, for shells that have not read its profile yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Without stored bytecode, each process of the tests compiles all tests again: 9 s of 20 s before the first one runs.
unexport PYTHONDONTWRITEBYTECODE
export PIP_QUIET := 1

# The first interpreter that is new enough; `make PYTHON=...` selects another.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.15 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$python && break; done)

# The extras of pyproject.toml with lock files of their own.
OPTIONAL := ray gym fast notebooks

COMPILE := $(VENV)/lock/bin/pip-compile --quiet --generate-hashes --strip-extras --no-header \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# Directories are listed as well as files, so that a removed file counts as a change.
ENGINE := Cargo.toml Cargo.lock $(shell find crates \( -name tests -o -name examples \) -prune -o \
	\( -type d -o -name '*.rs' -o -name Cargo.toml \) -print)

.PHONY: help reproduce quick test check $(OPTIONAL) optional docs references long extras laws hostile hostile-stores kills fuzz mutants bench guard scaling wasm lab traces agreement linux live ns3 l4s flips validation kept guides build \
	signatures notices deny coverage recipes lock wheel wheel-test format clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s  %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

reproduce: $(VENV)/.built ## run the study STUDY (default: burstiness) and write its report
	$(VENV)/bin/ackclock reproduce $(STUDY) --out $(OUT)/$(STUDY)

# One process of pytest for each processor. Programs in `examples` are built by `make check` and `make bench`.
test: $(VENV)/.built ## run the tests: Rust, Python, the examples in the documentation
	cargo test --workspace --locked --lib --tests
	cargo test --workspace --locked --doc
	$(PY) -m pytest -m 'not needs' --numprocesses auto --dist worksteal

quick: $(VENV)/.built ## run the tests that take little time, for every save: Rust's unit tests, and Python without whole commands and studies
	cargo test --workspace --locked --lib --quiet
	$(PY) -m pytest -q -m 'not whole and not slow and not needs' --numprocesses auto --dist worksteal

check: $(VENV)/.installed ## check formatting, lints, types, documentation, its links and the words of all prose
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --locked
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(PY) tools/prose.py
	PYTHONPATH=tools $(PY) -m website.links

ray: ## install Ray as well, for `ackclock sweep --engine ray` and the tests of it
gym: ## install Gymnasium and PettingZoo as well, for the environments of `ackclock.gym` and the tests of them
fast: ## install numba as well, for `ackclock.compiled` and the tests of it
notebooks: ## install what runs the notebooks of examples/notebooks as well, for their tests

$(OPTIONAL): %: $(VENV)/.installed requirements/%.lock
	$(PY) -m pip install --require-hashes --requirement requirements/$*.lock

optional: $(OPTIONAL) ## install all of these

docs: $(VENV)/.docs $(VENV)/.built ## build the documentation site in out/site, with the packages of requirements/docs.lock
	PYTHONPATH=tools $(PY) -m website $(OUT)/site

long: $(VENV)/.built ## run the tests that `make test` shortens, with all their repetitions
	ACKCLOCK_LONG=1 $(PY) -m pytest -m 'slow and not needs' --numprocesses auto --dist worksteal

# The lab's page is built where npm and a compiler for WebAssembly are available.
LAB = $(shell command -v npm >/dev/null && { test -d "$$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" || \
	apt-cache show rustc-web >/dev/null 2>&1; } && echo lab)

extras: optional $(VENV)/.docs $(VENV)/.built $(LAB) ## run the tests that need Ray, Gymnasium, numba, Zensical, a notebook kernel, Chromium, Node, tshark or tcptrace, where installed
	$(PY) -m pytest -m needs --numprocesses auto --dist loadfile

laws: export PROPTEST_CASES := $(CASES)
laws: export PROPTEST_RNG_SEED := $(or $(DRAW),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
laws: ## run the property tests of the engine and the readers of captures and scripts with many more random cases than `make test` (CASES=100000, new cases each time; DRAW=N repeats those of a run)
	@echo 'DRAW=$(PROPTEST_RNG_SEED)'
	cargo test --profile laws --locked --package ackclock-tcp --test contract
	cargo test --profile laws --locked --package ackclock-net --test laws
	cargo test --profile laws --locked --package ackclock-capture --test any_bytes
	cargo test --profile laws --locked --package ackclock-conform --test any_bytes

kills: $(VENV)/.built ## kill sweeps at random moments and check that no row is lost or duplicated (KILLS=1000; RAY=50 also kills Ray workers, after `make ray`)
	PYTHONPATH=. $(PY) bench/kills.py --kills $(KILLS) --ray $(RAY)
	PYTHONPATH=. $(PY) bench/kills_of_commands.py

hostile: $(VENV)/.built ## run random hostile scenarios, each limited to 6 s and 4 GB, and check how they end (CASES=2000)
	PYTHONPATH=bench $(PY) -m hostile --cases $(if $(filter file,$(origin CASES)),2000,$(CASES)) --out $(OUT)/hostile

hostile-stores: $(VENV)/.built ## open random forged stores, and check that nothing outside of them is touched (CASES=10000)
	PYTHONPATH=bench:. $(PY) -m hostile.stores --cases $(if $(filter file,$(origin CASES)),10000,$(CASES))

fuzz: ## fuzz the capture reader for SECONDS (1200), starting from the corpus (needs a nightly toolchain and cargo-fuzz)
	cd crates/capture && cargo +nightly fuzz run read -- -max_total_time=$(SECONDS) -max_len=8192

mutants: $(VENV)/.built ## put random faults into the sources and list the faults that no test detects (MUTANTS=200 NET=100 SEED=1; several hours; needs cargo-mutants; DIFF=main: only lines that the branch changes)
	PYTHONPATH=bench $(PY) -m mutants --python $(MUTANTS) --net $(NET) --seed $(SEED) $(if $(DIFF),--diff $(DIFF))

coverage: $(VENV)/.built ## measure which lines the tests reach, and write pages to out/coverage (TESTS="tests/running/test_run.py": only these; Rust with cargo-llvm-cov)
	@mkdir -p $(OUT)/coverage
	$(PY) -m coverage erase
	$(PY) -m coverage run -m pytest -m 'not needs' --numprocesses auto --dist worksteal $(TESTS)
	$(PY) -m coverage combine --quiet
	$(PY) -m coverage html --quiet --directory $(OUT)/coverage/python
	$(PY) -m coverage report --skip-covered --skip-empty
	@if command -v cargo-llvm-cov >/dev/null; then \
		cargo llvm-cov --workspace --locked --lib --tests --html --output-dir $(OUT)/coverage/rust; \
	else echo 'cargo-llvm-cov is not installed: no coverage of the Rust code'; fi

bench: $(VENV)/.built ## measure speed and memory, also of ns-2 if installed, and write docs/performance.md (PARTS="speed records")
	PYTHONPATH=bench $(PY) -m performance $(PARTS)

guard: $(VENV)/.built ## check that the engine's instructions per packet have not increased (needs valgrind; RECORD=1 records the current count)
	PYTHONPATH=bench $(PY) -m performance.guard $(if $(RECORD),--record)

scaling: $(VENV)/.built ## check that the cost of a packet does not grow with flows, windows, losses and queues (needs valgrind)
	PYTHONPATH=bench $(PY) -m performance.scaling

traces: $(VENV)/.built ## lose the same random packets in ns-2 and in the engine, and compare every segment (LISTS=250 PROFILE=ns2-2.35; needs ns-2)
	$(PY) validation/ns2_traces.py --lists $(LISTS) --profile $(PROFILE) --out $(OUT)/traces.jsonl
	ACKCLOCK_TRACES='$(CURDIR)/$(OUT)/traces.jsonl' cargo test --release --locked --package ackclock-net \
		--test ns2_traces -- --nocapture new_random

agreement: $(VENV)/.built ## compare the engine with every ns-2 figure in the repository (some minutes)
	PYTHONPATH=validation $(PY) -m ns2 $(STUDY)

live: $(VENV)/.built ## run the gallery of docs/live.md with this machine's kernel, and write it (Linux, root; some six minutes)
	$(PY) tools/live_gallery.py

linux: $(VENV)/.built ## compare the profile linux with measurements of a Linux kernel, and write docs/agreement_linux.md
	PYTHONPATH=validation $(PY) -m linux

ns3: $(VENV)/.built ## compare today's senders and queues with results of ns-3, and write docs/agreement_ns3.md
	PYTHONPATH=validation $(PY) -m ns3

l4s: $(VENV)/.built ## compare Prague and CUBIC with a testbed of the L4S kernel, and write docs/agreement_l4s.md
	PYTHONPATH=validation $(PY) -m l4s

flips: $(VENV)/.built ## run STUDY with two sets of SEEDS (3) seeds each; fail if the sets give opposite verdicts (takes minutes)
	$(PY) validation/flips.py $(STUDY) --seeds $(SEEDS)

validation: $(VENV)/.built ## run the tests that validate a claim, and write claims and results to docs/validation.md
	$(PY) validation/claims.py

kept: $(VENV)/.built ## record the current content of all pages as the expected content; look at the changes first
	ACKCLOCK_KEEP=1 $(PY) -m pytest -q -m 'not needs' $$(grep -rl 'import hold' tests --include='test_*.py')

guides: $(VENV)/.built ## run every block of the guides and write its output below it (PAGES=docs/guide/first_study.md: one page)
	$(PY) tools/guides.py $(PAGES)

build: $(VENV)/.built ## make .venv/bin/ackclock and nothing else
	@echo '$(VENV)/bin/ackclock is up to date'

format: $(VENV)/.installed ## format all sources in place
	cargo fmt --all
	$(PY) -m ruff check --fix-only --quiet
	$(PY) -m ruff format

wasm: target/lab/engine.wasm ## compile the engine to WebAssembly, with rustup's target or else Debian's rustc-web
	@ls -l target/lab/engine.wasm

lab: python/ackclock/lab/page.zip ## build the page of `ackclock lab`, one file with the engine (needs Node 20 and npm)
	@ls -l python/ackclock/lab/page.zip

references: $(VENV)/.built ## write docs/reference: the fields of scenarios, the commands, the records and the measures, from the program, and the exercises of docs/guide/teaching.md
	PYTHONPATH=tools $(PY) -m website.references
	$(PY) tools/lab_teaching.py

signatures: $(VENV)/.built ## write the fields of transports and queues, the measures and the public names for editors and type checkers
	$(PY) tools/signatures.py

recipes: $(VENV)/.installed ## follow the recipes in a copy of the sources, and compile and test it (about a minute)
	rm -rf $(OUT)/recipes
	CARGO_TARGET_DIR='$(CURDIR)/target' $(PY) tools/recipes.py $(OUT)/recipes

notices: $(VENV)/.installed web/node_modules ## write python/THIRD_PARTY.txt, the licences of the code in wheels and in the lab's page (needs npm)
	$(PY) tools/notices.py

deny: ## check licences, sources and known vulnerabilities of the Rust dependencies (needs cargo-deny and a network)
	cargo deny --locked check

lock: $(VENV)/.installed ## select new versions of the Python packages
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install pip-tools
	$(COMPILE) --upgrade --extra dev --output-file requirements/dev.lock pyproject.toml
	for name in $(OPTIONAL) docs; do $(COMPILE) --extra $$name --constraint requirements/dev.lock \
		--output-file requirements/$$name.lock pyproject.toml || exit; done
	$(COMPILE) --upgrade --output-file requirements/wheel.lock requirements/wheel.in

wheel: $(VENV)/wheel/.installed python/ackclock/lab/page.zip ## build a wheel with the lab's page and an sdist into dist, and check them (needs npm)
	$(VENV)/wheel/bin/python tools/wheel.py

wheel-test: $(VENV)/.built $(VENV)/wheel/.installed ## test the wheel in dist in new environments, with each Python found (STUDIES=1: every study as well)
	$(PY) tools/wheel_test.py $(if $(STUDIES),--studies)

clean: ## remove everything that was made here, reports included
	rm -rf $(VENV) target $(OUT) dist python/ackclock/_core*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@test -n '$(PYTHON)' && $(PYTHON) -c '$(NEW_ENOUGH)' || \
		{ echo 'Ackclock needs Python 3.11 or newer: none found. Install one, or name it: make PYTHON=/path/to/python3' >&2; exit 1; }
	@command -v cargo >/dev/null || \
		{ echo 'Ackclock needs a Rust toolchain (cargo): none found. See https://www.rust-lang.org/tools/install' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made requirements/dev.lock
	$(PY) -m pip install --require-hashes --requirement requirements/dev.lock
	@touch $@

$(VENV)/wheel/.installed: $(VENV)/.made requirements/wheel.lock
	@echo 'Downloading the tools of make wheel (requirements/wheel.lock), with a C compiler, Zig'
	$(PYTHON) -m venv $(VENV)/wheel
	$(VENV)/wheel/bin/python -m pip install --require-hashes --requirement requirements/wheel.lock
	@touch $@

$(VENV)/.docs: $(VENV)/.installed requirements/docs.lock
	$(PY) -m pip install --require-hashes --requirement requirements/docs.lock
	@touch $@

$(VENV)/.built: $(VENV)/.installed pyproject.toml $(ENGINE)
	env -u CONDA_PREFIX VIRTUAL_ENV='$(CURDIR)/$(VENV)' $(VENV)/bin/maturin develop --release --locked
	@touch $@

target/lab/engine.wasm: web/engine.sh $(ENGINE)
	web/engine.sh

target/lab/catalogue.json: $(VENV)/.built tools/lab_parts.py \
		$(wildcard web/stories/* web/exercises.toml python/ackclock/lab/*.py python/ackclock/scenario/*.py python/ackclock/values/*.py)
	$(PY) tools/lab_parts.py $@

web/node_modules: web/package-lock.json
	@command -v npm >/dev/null || { echo 'The lab needs Node 20 or newer with npm: https://nodejs.org' >&2; exit 1; }
	cd web && npm ci --no-audit --no-fund --silent
	@touch $@

python/ackclock/lab/page.zip: target/lab/engine.wasm target/lab/catalogue.json web/node_modules \
		web/build.mjs web/index.html web/tsconfig.json python/THIRD_PARTY.txt tools/lab_page.py \
		python/ackclock/lab/page.py $(wildcard web/src/* web/test/*)
	cd web && npx tsc --noEmit && node build.mjs --test && node build.mjs
	$(PY) tools/lab_page.py target/lab $@
