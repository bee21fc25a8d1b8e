#!/usr/bin/env bash
# Installs what mustcite needs on Debian 12 (or a Debian-like system with the same packages).
#   scripts/install-deps.sh          to build and use it
#   scripts/install-deps.sh --neural also LibTorch and Faiss: encoders, their training, approximate indexes
#   scripts/install-deps.sh --dev    all of this, and tests, benchmarks, clang for fuzzing and clang-tidy
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache pkg-config
  libsqlite3-dev nlohmann-json3-dev libsimdjson-dev libtomlplusplus-dev libcli11-dev
  libicu-dev libstemmer-dev libcurl4-openssl-dev libssl-dev libpugixml-dev libgumbo-dev libspdlog-dev libfmt-dev
  libzstd-dev zlib1g-dev libxxhash-dev libeigen3-dev libxgboost-dev
  libcpp-httplib-dev libpoppler-glib-dev libseccomp-dev ca-certificates
)
if [[ "${1:-}" == "--neural" || "${1:-}" == "--dev" ]]; then
  # LibTorch multiplies with the system's BLAS.
  packages+=(libtorch-dev libopenblas0-openmp libfaiss-dev liblapack-dev)
fi
if [[ "${1:-}" == "--dev" ]]; then
  packages+=(libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev zstd zip
             clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == "installed" ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "install-deps: everything is installed" >&2
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: run as root, or install sudo; missing: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
if ! command -v apt-get >/dev/null; then
  echo "install-deps: this is no Debian-like system; install the equivalents of: ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
