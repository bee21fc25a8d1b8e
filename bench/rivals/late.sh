#!/usr/bin/env bash
# Late interaction against PyLate: the same token vectors, the same queries, one after another.
#   BUILD=build VENV=venv bench/rivals/late.sh MODEL CORPUS.jsonl QUERIES.jsonl [DOCUMENTS] [QUERIES] [DIMS] [THREADS]
# BUILD has late_ours (-DMUSTCITE_BENCH=ON); VENV has pylate. CORPUS and QUERIES are those of a release.
set -euo pipefail
model=$1 corpus=$2 asked=$3 documents=${4:-5000} queries=${5:-100} dims=${6:-128} threads=${7:-2}
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores" >&2
"$VENV/bin/python" "$here/late_encode.py" "$model" "$corpus" "$asked" "$documents" "$queries" "$dims" "$out" 2>"$out/log"
for bits in 1 2 4; do "$BUILD/bench/late_ours" "$out" "$bits" "$threads"; done
for bits in 2 4; do
  "$VENV/bin/python" "$here/late.py" "$out" "$threads" "$bits" 2>"$out/log" || tail -3 "$out/log" >&2
done
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)" >&2
