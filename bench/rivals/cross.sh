#!/usr/bin/env bash
# Pairs a second against sentence-transformers' CrossEncoder: the same weights, pairs and cores, one after another.
#   BUILD=build VENV=venv bench/rivals/cross.sh MODEL PAPERS.jsonl [COUNT] [THREADS]
# BUILD has cross_ours (-DMUSTCITE_BENCH=ON); VENV has torch and sentence-transformers.
set -euo pipefail
model=$1 papers=$2 count=${3:-1000} threads=${4:-2}
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores" >&2
printf '{"engine": "ours-bfloat16"} '
"$BUILD/bench/cross_ours" "$model" "$papers" "$count" "$out/ours.f32" bfloat16 "$threads"
for precision in float32 bfloat16; do
  "$VENV/bin/python" "$here/cross.py" "$model" "$papers" "$count" "$threads" "$out/ours.f32" "$precision"
done
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)" >&2
