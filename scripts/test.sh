#!/usr/bin/env bash
# Installs, builds and runs the tests.
#   scripts/test.sh             every test but those labelled slow
#   scripts/test.sh --all       slow tests and a smoke run of the fuzzers as well (what CI runs)
#   scripts/test.sh --sanitize  every test but the slow ones under the address and undefined behaviour sanitizers
# Tests that need real data look in $MUSTCITE_SHARED, else in ../shared, and say "skipped: no ../shared" without it.
set -euo pipefail
cd "$(dirname "$0")/.."

mode="${1:-}"
case "$mode" in
  "" | --all | --sanitize) ;;
  *) echo "usage: scripts/test.sh [--all | --sanitize]" >&2; exit 2 ;;
esac

scripts/install-deps.sh --dev
export MUSTCITE_SHARED="${MUSTCITE_SHARED:-$(cd .. && pwd)/shared}"
jobs=$(nproc)

if [[ $mode == --sanitize ]]; then
  cmake --preset asan >/dev/null
  cmake --build --preset asan
  ctest --preset asan -LE slow -j "$jobs"
  exit
fi
if [[ $mode == --all ]]; then
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz --target fuzzers
  ctest --preset fuzz -R '^fuzz/'
fi

cmake --preset release -DMUSTCITE_TESTS=ON >/dev/null  # the quickstart builds the program alone
cmake --build --preset release
if [[ $mode == --all ]]; then
  ctest --preset release -j "$jobs"
else
  ctest --preset release -LE slow -j "$jobs"
fi
