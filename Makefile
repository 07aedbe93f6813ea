# A thin front for the CMake presets. `make demo` and `make test` install what is
# missing first (scripts/setup.sh), so they work on a fresh Debian or Ubuntu.
JOBS ?= $(shell nproc)

.PHONY: all setup release demo test test-peers bench fuzz install cuda format clean

all: release

setup:
	@scripts/setup.sh build

release: setup
	@cmake --preset release >/dev/null
	@cmake --build build/release -j $(JOBS)

demo: setup
	@cmake --preset release >/dev/null
	@cmake --build build/release --target jensen_program -j $(JOBS)
	build/release/jensen demo --out demo

test:
	@scripts/setup.sh test
	@scripts/test.sh

test-peers:
	@scripts/setup.sh peers
	@scripts/test_peers.sh

bench: release
	@scripts/bench.sh

fuzz:
	@scripts/setup.sh test
	@scripts/fuzz.sh

install: release
	cmake --install build/release
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true

cuda: setup
	@cmake --preset cuda >/dev/null
	@cmake --build build/cuda -j $(JOBS)

format:
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format-14 -i

clean:
	rm -rf build
