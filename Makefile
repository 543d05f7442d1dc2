# Front doors. The build itself is CMake's: see CMakePresets.json (cmake --preset dev, ...).
JOBS ?= $(shell nproc)

.PHONY: help setup build demo test bench format lint coverage clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## install the Debian packages of tools/packages.txt that are missing
	@tools/setup

build: setup  ## configure and build build/release
	@cmake --preset release --log-level=NOTICE
	@cmake --build --preset release --parallel $(JOBS)

demo: build  ## build, then show what Jostle does
	@tools/demo

test: build  ## build and run every test, then check format and layering
	@ctest --preset release --parallel $(JOBS)
	@tools/format --check
	@tools/check-includes

bench: build  ## build and run the benchmarks (BENCH_ARGS="--quick step hook")
	@build/release/bin/jostle_bench $(BENCH_ARGS)

format: setup  ## format all sources
	@tools/format

lint: setup  ## run clang-tidy on src/ (minutes)
	@tools/lint

coverage: setup  ## run the tests with counts; print the executed lines of each folder of src/ (slow)
	@tools/coverage

clean:  ## remove everything that was built
	@rm -rf build
