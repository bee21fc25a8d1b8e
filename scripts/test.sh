#!/usr/bin/env bash
# Installs, builds and runs the tests.
#   scripts/test.sh          every test but those labelled slow
#   scripts/test.sh --all    slow tests, sanitizers and a smoke run of the fuzzers as well (what CI runs)
# Tests that need real data look in $MUSTCITE_SHARED, else in ../shared, and say "skipped: no ../shared" without it.
set -euo pipefail
cd "$(dirname "$0")/.."

all=no
case "${1:-}" in
  "") ;;
  --all) all=yes ;;
  *) echo "usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac

scripts/install-deps.sh --dev
export MUSTCITE_SHARED="${MUSTCITE_SHARED:-$(cd .. && pwd)/shared}"
jobs=$(nproc)

if [[ $all == yes ]]; then
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz --target fuzzers -- -k 0
  ctest --preset fuzz -R '^fuzz/'
  cmake --preset asan >/dev/null
  cmake --build --preset asan
  ctest --preset asan -LE slow -j "$jobs"
fi

cmake --preset release >/dev/null
cmake --build --preset release
if [[ $all == yes ]]; then
  ctest --preset release -j "$jobs"
else
  ctest --preset release -LE slow -j "$jobs"
fi
