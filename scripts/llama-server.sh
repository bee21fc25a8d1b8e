#!/usr/bin/env bash
# Builds llama.cpp's server for the test that asks a real model (tests/e2e/llama_server_test.cpp), from the sources
# that the PyPI package llama-cpp-python 0.2.90 carries. No model is fetched: the test writes a tiny one. It takes
# about ten minutes on one core.
#   scripts/llama-server.sh FOLDER     then: MUSTCITE_LLAMA_SERVER=FOLDER/bin/llama-server ctest -R llama
set -euo pipefail
if [[ $# -ne 1 ]]; then
  echo "usage: scripts/llama-server.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --no-binary :all: -d "$work" llama-cpp-python==0.2.90
tar -xzf "$work"/llama_cpp_python-*.tar.gz -C "$work" --strip-components=1
cmake -G Ninja -S "$work/vendor/llama.cpp" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
  -DLLAMA_BUILD_TESTS=OFF -DGGML_OPENMP=OFF >/dev/null
cmake --build "$work/build" --target llama-server
install -D "$work/build/bin/llama-server" "$folder/bin/llama-server"
echo "$folder/bin/llama-server"
