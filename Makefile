# SPDX-License-Identifier: MIT
#
# The short way to everything. The build itself is CMake's: see CMakeLists.txt and CMakePresets.json.

PREFIX ?= /usr/local
# Seconds that `make fuzz` spends on each target.
FUZZ_SECONDS ?= 60
# Parallel jobs; all processors when empty.
JOBS ?=
export JOBS FUZZ_SECONDS

# What users need; tests and benches ask for more packages.
build_tool = sh tools/build.sh release -DUBI_BUILD_TESTS=OFF -DUBI_BUILD_BENCH=OFF

.PHONY: all deps demo test check-deep check-bare bench fuzz install clean help

all: ## Build the library and the tool in build/release
	@$(build_tool)

deps: ## Install the Debian packages that are missing
	@sh tools/deps.sh

demo: ## Install, build, and look into real heap snapshots of Node.js and Firefox
	@sh tools/deps.sh build
	@$(build_tool)
	@sh tools/demo.sh build/release/bin/ubiheap

test: deps ## Run every test: gcc, clang with sanitizers, fuzz corpora (below 30 minutes)
	@sh tools/test.sh

check-deep: deps ## Run the tests that take long
	@sh tools/check-deep.sh

check-bare: ## Try `make demo` and `make test` in a fresh Debian 12 (as root)
	@sh tools/check-bare.sh

bench: deps ## Measure, on real and generated snapshots
	@sh tools/build.sh release
	@sh bench/run.sh

fuzz: deps ## Fuzz every target for FUZZ_SECONDS (default 60)
	@sh tools/fuzz.sh

install: ## Install below PREFIX (default /usr/local); DESTDIR works
	@$(build_tool) -DCMAKE_INSTALL_PREFIX="$(abspath $(PREFIX))"
	@DESTDIR="$(DESTDIR)" cmake --install build/release

clean: ## Remove the build directory
	rm -rf build

help: ## Say this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s%s\n", $$1, $$2 }' Makefile
