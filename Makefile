# A thin front for the CMake presets. What is missing is installed first
# (scripts/setup.sh), so that every target works on a fresh Debian or Ubuntu. Only the
# targets that test build the tests; the others build what is installed.
JOBS ?= $(shell nproc)

.PHONY: all setup release demo weights test test-slow test-peers bench faults fuzz mutate-runs install cuda dist deb docs style format clean

all: release
	@echo "built: build/release/jensen; 'make install', as root, lets you type jensen"

setup:
	@scripts/setup.sh build

release: setup
	@cmake --preset release >/dev/null
	@cmake --build build/release --target product -j $(JOBS)

demo: release
	build/release/jensen demo --out demo

weights: release
	@scripts/weights.sh

test:
	@scripts/setup.sh test
	@scripts/test.sh

test-slow:
	@scripts/setup.sh test
	@scripts/test.sh slow

test-peers:
	@scripts/setup.sh peers
	@scripts/test_peers.sh

bench: release
	@scripts/bench.sh

faults:
	@scripts/setup.sh test
	@scripts/faults.sh

fuzz:
	@scripts/setup.sh test
	@scripts/fuzz.sh

mutate-runs:
	@scripts/setup.sh test
	@scripts/mutate_runs.sh

install: release
	cmake --install build/release
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true

cuda: setup
	@cmake --preset cuda >/dev/null
	@cmake --build build/cuda --target product -j $(JOBS)

dist:
	@scripts/dist.sh

deb:
	@scripts/setup.sh deb
	@scripts/deb.sh

docs:
	@scripts/docs.sh

style:
	@scripts/setup.sh test
	@scripts/style.sh

format:
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.cu' '*.cuh' | xargs clang-format-14 -i

clean:
	rm -rf build
