# SPDX-License-Identifier: MIT
#
# The short way to everything. The build itself is CMake's: see CMakeLists.txt and CMakePresets.json.

PREFIX ?= /usr/local
# Seconds that `make fuzz` spends on each target.
FUZZ_SECONDS ?= 60
# Under what name `make bench` keeps its results.
BENCH_NAME ?= latest
# Parallel jobs; all processors when empty.
JOBS ?=
export JOBS FUZZ_SECONDS

# What users need; tests and benches ask for more packages.
build_tool = sh tools/build.sh release -DUBI_BUILD_TESTS=OFF -DUBI_BUILD_BENCH=OFF

.PHONY: all deps demo check test check-deep check-bare check-engines pictures-web picture-flamegraph bench bench-web fuzz install package clean help

all: ## Build the library and the tool in build/release
	@$(build_tool)

deps: ## Install the Debian packages that are missing
	@sh tools/deps.sh

demo: ## Install, build, and look into real heap snapshots of Node.js and Firefox
	@sh tools/deps.sh build
	@$(build_tool)
	@sh tools/demo.sh build/release/bin/ubiheap

check: ## Build for everyday work and run the quick tests: less than a minute after an edit
	@sh tools/build.sh dev
	@ctest --preset dev -L '^quick$$' -j $(or $(JOBS),$(shell nproc))

test: deps ## Run every test: gcc, clang with sanitizers, fuzz corpora (about 40 minutes on two cores, the first time)
	@sh tools/test.sh

check-deep: deps ## Run the tests that take long
	@sh tools/check-deep.sh

check-bare: ## Try `make demo`, `make test` and the packages in a fresh Debian (as root)
	@sh tools/check-bare.sh

check-engines: deps ## Try the tools with other sources of QuickJS: make check-engines ENGINES="DIR..."
	@python3 tools/check_engines.py $(ENGINES)

pictures-web: deps ## Take the pictures of docs/reference/page again
	@$(build_tool)
	@sh tools/pictures-web.sh build/release/bin/ubiheap

picture-flamegraph: deps ## Draw the flame graph of README.md again
	@$(build_tool)
	@sh tools/picture-flamegraph.sh build/release/bin/ubiheap

bench: deps ## Measure all that docs/explanation/performance.md shows; says first how long it takes
	@sh tools/build.sh release
	@python3 bench/run.py $(BENCH_NAME)

bench-web: deps ## Measure what people who look at the web page wait for, in Chromium, beside Firefox's panel
	@sh tools/build.sh release
	@sh bench/web.sh $(BENCH_NAME)

fuzz: deps ## Fuzz every target for FUZZ_SECONDS (default 60)
	@sh tools/fuzz.sh

install: ## Install below PREFIX (default /usr/local); DESTDIR works
	@$(build_tool) -DCMAKE_INSTALL_PREFIX="$(abspath $(PREFIX))"
	@DESTDIR="$(DESTDIR)" cmake --install build/release

package: deps ## Make Debian packages, a portable tar ball and an npm package in build/packages
	@$(build_tool)
	@sh tools/package-deb.sh build/release build/packages
	@sh tools/package-portable.sh build/packages
	@sh tools/package-npm.sh build/packages/ubiheap-*-linux-x86_64.tar.gz build/packages

clean: ## Remove the build directory
	rm -rf build

help: ## Say this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' Makefile
